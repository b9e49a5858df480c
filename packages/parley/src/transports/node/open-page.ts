import { after } from '../../jsonrpc/timeout.ts';
import { pageUrl } from '../../connection/page-url.ts';

/** Options of `openPage`. */
export interface OpenPageOptions {
  /**
   * The program and its first arguments, such as `['firefox', '--private-window']`; by default the platform's program
   * for URLs.
   */
  readonly command?: readonly [string, ...string[]];
}

/** Time for a program to fail. One that still runs then shows the page. */
const settledMs = 2_000;

/**
 * Opens a page in the user's browser. Call it only after the user saw the URL and agreed.
 *
 * The URL is one argument of a program that is started without a shell. A server chooses the URL, and `&`, `;`, `$` and
 * the like, which are allowed in URLs, would be commands to a shell (`exec`, or `cmd /c start` on Windows).
 *
 * @param url Absolute, `https:`, or `http:` on this machine, without a user name.
 * @returns Resolves when the browser got the URL. Whether the user sees the page is unknown.
 * @throws TypeError for any other URL.
 * @throws Error if no program opens pages here, or if that program fails.
 */
export async function openPage(url: string | URL, options: OpenPageOptions = {}): Promise<void> {
  const page = pageUrl(String(url));
  if (page === undefined)
    throw new TypeError('a page is opened by https:, or by http: on this machine, and without a user name');
  const [program, ...args] = options.command ?? openerOf(process.platform, process.env);
  const { spawn } = await import('node:child_process');
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, [...args, page.href], { stdio: 'ignore', detached: true, shell: false });
    const cancel = after(settledMs, resolve, true);
    child.once('error', (cause) => {
      cancel();
      reject(new Error(`no page can be opened here by ${program}: ${cause.message}`, { cause }));
    });
    child.once('exit', (code) => {
      cancel();
      if (code === 0) resolve();
      else reject(new Error(`${program} could not open the page: exit code ${String(code)}`));
    });
    // The browser may stay for as long as it likes.
    child.unref();
  });
}

/** Command that opens URLs on a platform, without a shell in between. */
export function openerOf(
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['/usr/bin/open'];
  if (platform !== 'win32') return ['xdg-open'];
  // By its full path: Windows looks for programs in the working directory first.
  return [`${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler'];
}
