import { rawHttp, type RawHttp } from '../../check/harness/http.ts';
import { judgeServer, type CheckOptions } from '../../check/run/check.ts';
import { listen } from '../../../../parley/src/node.ts';
import { createExampleServer } from '../example/server.ts';
import type { Io } from '../io.ts';
import { printed } from '../shown.ts';
import type { ServerTarget } from '../target.ts';

/** Options of a run that goes to a stand-in. */
export type DryRun = Omit<CheckOptions, 'way' | 'isNear'>;

/**
 * Prints what would be sent to a server that offers what the example of Parley does. The example stands in for it: nothing is
 * sent to the server itself, and no command is started but the example.
 *
 * @returns The exit code: 0.
 */
export async function dryRun(target: ServerTarget, options: DryRun, io: Io): Promise<number> {
  const seen = new Set<string>();
  let count = 0;
  const tell = (sent: string): void => {
    count++;
    const text = withoutChance(sent);
    if (text === '' || seen.has(text)) return;
    seen.add(text);
    io.stdout.write(printed(`${shortened(text)}\n\n`, 'lines'));
  };
  await (target.kind === 'url' ? overHttp(target.url, options, tell) : overLines(options, tell));
  for (const { name, args } of options.calls ?? [])
    io.stdout.write(
      printed(
        `tools/call ${name}, where it is listed, with ${args === undefined ? 'examples and defaults of its inputSchema' : JSON.stringify(args)}, several times, and with wrong arguments\n`,
        'lines',
      ),
    );
  io.stdout.write(
    `\n${seen.size} kinds of messages, ${count} in all to a server that offers what "parley example" does; nothing was sent to yours\n`,
  );
  return 0;
}

async function overHttp(url: URL, options: DryRun, tell: (sent: string) => void): Promise<void> {
  const listening = await listen(createExampleServer(), { port: 0, drainTimeoutMs: 0, onWarning: () => undefined });
  const own = new URL(listening.url);
  const http = rawHttp(own);
  const heard: RawHttp = {
    ...http,
    async send(request) {
      const exchange = await http.send(request);
      // What names the stand-in would name the server.
      tell(exchange.sent.replaceAll(own.host, url.host).replace(` ${own.pathname}`, ` ${url.pathname}`));
      return exchange;
    },
  };
  try {
    await judgeServer({ ...options, way: { over: 'http', http: heard }, isNear: true });
  } finally {
    http.close();
    await listening.close();
  }
}

async function overLines(options: DryRun, tell: (sent: string) => void): Promise<void> {
  // The program that runs is started once more, as the example.
  const start = { command: process.execPath, args: [...process.argv.slice(1, 2), 'example'], env: {} };
  await judgeServer({ ...options, way: { over: 'stdio', start }, isNear: true, onSent: tell });
}

/** A message without what is another each time. */
function withoutChance(sent: string): string {
  return sent
    .trim()
    .replace(/^(mcp-session-id): .*$/im, '$1: <its session>')
    .replace(/"id":\d+/, '"id":<n>');
}

const longest = 1_500;

function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
