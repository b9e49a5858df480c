import { existsSync } from 'node:fs';
import { win32 } from 'node:path';
import type { Environment } from './environment.ts';

/** Command that is handed to the system to start a program. */
export interface SystemCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** True when Windows must take the arguments as they are, because they are quoted already. */
  readonly verbatim: boolean;
}

/**
 * Command that starts a program. Only Windows needs thought: `npx` and its like are batch files there, which nothing
 * but `cmd.exe` can run.
 *
 * @throws TypeError when a batch file would get an argument that `cmd.exe` interprets.
 */
export function resolveCommand(
  command: string,
  args: readonly string[],
  environment: Environment,
  platform: string = process.platform,
): SystemCommand {
  const direct = { file: command, args, verbatim: false };
  if (platform !== 'win32') return direct;
  const found = findOnWindows(command, environment);
  if (found === undefined || !/\.(?:cmd|bat)$/i.test(found)) return direct;
  const words = [found, ...args];
  const unsafe = words.find((word) => !isPlain(word));
  if (unsafe !== undefined)
    throw new TypeError(
      `${JSON.stringify(unsafe)} cannot be passed to the batch file ${found} safely: run its program directly`,
    );
  const line = words.map((word) => `"${word}"`).join(' ');
  return {
    file: environmentValue(environment, 'ComSpec') ?? 'cmd.exe',
    args: ['/d', '/s', '/v:off', '/c', `"${line}"`],
    verbatim: true,
  };
}

/** Tells whether `cmd.exe` takes a quoted word as it is. A backslash at its end would escape the quote. */
function isPlain(word: string): boolean {
  return /^[^"%!^&|<>\r\n\0]*$/.test(word) && !word.endsWith('\\');
}

function findOnWindows(command: string, environment: Environment): string | undefined {
  const extensions = (environmentValue(environment, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';');
  const names = win32.extname(command) === '' ? extensions.map((extension) => command + extension) : [command];
  const folders = /[\\/]/.test(command)
    ? ['']
    : (environmentValue(environment, 'PATH') ?? '').split(';').filter((folder) => folder !== '');
  return folders
    .flatMap((folder) => names.map((name) => (folder === '' ? name : win32.join(folder, name))))
    .find((file) => existsSync(file));
}

function environmentValue(environment: Environment, name: string): string | undefined {
  const key = Object.keys(environment).find((candidate) => candidate.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : environment[key];
}
