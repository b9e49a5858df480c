/** Waiting for a client: the options, and how it is started. */

import { startClient, type StartedClient } from '../../check/client/started.ts';
import { UsageError, type Io } from '../io.ts';
import { milliseconds, wholeNumber, type ParsedOptions } from '../options.ts';
import { printed } from '../shown.ts';
import { variablesOf } from '../target.ts';

/** Placeholder for the address of the server. */
const placeholder = '{url}';

/** Those options. */
export interface WaitingOptions {
  readonly port: number;
  /** Longest wait for the client, in milliseconds. */
  readonly wait: number | undefined;
  readonly isStdio: boolean;
  readonly isRelayed: boolean;
}

/** Options for waiting for a client. @throws UsageError for options that contradict each other. */
export function waitingFor(parsed: ParsedOptions, command: readonly string[] | undefined): WaitingOptions {
  const [port, wait, isStdio] = [parsed.text('port'), parsed.text('wait'), parsed.flag('stdio')];
  if (parsed.words.length > 0)
    throw new UsageError(`--client waits for a client, and takes no address: ${parsed.words.join(' ')}`);
  if (isStdio && command !== undefined)
    throw new UsageError('--stdio is for a client that starts parley check as its server; leave the command out');
  if (isStdio && port !== undefined) throw new UsageError('--stdio listens at no port');
  const isRelayed = parsed.flag('relay');
  if (isRelayed && (isStdio || port !== undefined || parsed.flag('auth')))
    throw new UsageError('--relay has a client start its server by a command: leave --stdio, --port and --auth out');
  return {
    port: port === undefined ? 0 : wholeNumber('--port', port, [0, 65_535]),
    wait: wait === undefined ? undefined : milliseconds('--wait', wait, { unit: 's', most: 2_000_000_000 }),
    isStdio,
    isRelayed,
  };
}

/** Surroundings of a client that is started. */
export interface Starting {
  /** Address of the server, which the client gets. */
  readonly url: string;
  readonly parsed: ParsedOptions;
  readonly io: Io;
  /** Variables beside those that are wished. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Starts a client that finds the address of the server in its arguments and variables. */
export function startAt(command: readonly string[], { url, parsed, io, more = {} }: Starting): StartedClient {
  const words = command.map((word) => word.replaceAll(placeholder, url));
  return start(words, { PARLEY_CHECK_URL: url, ...more }, { parsed, io });
}

/** Starts a client that finds the command of its server in its arguments and variables. @param server Words of that. */
export function startWith(
  command: readonly string[],
  server: readonly string[],
  started: Pick<Starting, 'parsed' | 'io'>,
): StartedClient {
  const line = commandLine(server);
  // A word that is only the placeholder becomes all words of the command.
  const words = command.flatMap((word) => (word === '{command}' ? server : [word.replaceAll('{command}', line)]));
  return start(words, { PARLEY_CHECK_COMMAND: JSON.stringify(server) }, started);
}

/** Words of a command as one line, as shells and files of clients have it. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

function start(
  [file = '', ...args]: readonly string[],
  more: Readonly<Record<string, string>>,
  { parsed, io }: Pick<Starting, 'parsed' | 'io'>,
): StartedClient {
  const env = { ...variablesOf(parsed.texts('env'), io.env), ...more };
  return startClient({ command: file, args, env }, (text) => void io.stderr.write(printed(text, 'lines')));
}
