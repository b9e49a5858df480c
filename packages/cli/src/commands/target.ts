import { existsSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';
import { httpTransport } from '../../../parley/src/transports/http/client/transport.ts';
import type { HttpTransportOptions } from '../../../parley/src/transports/http/client/request.ts';
import { serverUrl } from '../../../parley/src/jsonrpc/server-url.ts';
import type { Transport } from '../../../parley/src/jsonrpc/transport.ts';
import type { SpawnOptions } from '../../../parley/src/transports/stdio/client/transport.ts';
import { sharedFetch } from './fetch.ts';
import { hiding } from '../../../parley/src/auth/common/secrets.ts';
import { secretsIn } from './explain/secrets.ts';
import { UsageError, environmentValue, type Io } from './io.ts';
import { masked } from './masked.ts';
import type { ParsedOptions } from './options.ts';
import { commandWay } from './server-stderr.ts';
import { reasonOf } from './shown.ts';

/** Server that is meant: one at a URL, or one that a command starts. */
export type ServerTarget =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] };

/** The options that say how a server is reached. */
export const targetOptions: ParseArgsOptionsConfig = {
  header: { type: 'string', multiple: true },
  env: { type: 'string', multiple: true },
};

/** Files that Node runs. */
const scripts = /\.([cm]?[jt]s)$/;

/**
 * Reads a URL, or the path of a file that Node is to start.
 *
 * @throws UsageError when it is neither, or Node does not run the file.
 */
export function typedTarget(text: string): ServerTarget {
  const [, end] = /^[a-z][a-z+.-]+:\/\//i.test(text) ? [] : (scripts.exec(text) ?? []);
  if (end === undefined) {
    refuseCommand(text);
    return urlTarget(text);
  }
  if (!existsSync(text)) throw new UsageError(`there is no file ${JSON.stringify(text)}`);
  if (end.endsWith('ts') && !runsTypes)
    throw new UsageError(
      `Node ${process.versions.node} does not run ${JSON.stringify(text)}; Node 22.18 and later do. Or write a command that does, after --: npx tsx ${text}`,
    );
  return { kind: 'command', command: process.execPath, args: [text] };
}

/** Programs that run the files of other languages. */
const runners: Readonly<Record<string, string>> = {
  py: 'python',
  rb: 'ruby',
  sh: 'sh',
  jar: 'java -jar',
  go: 'go run',
};

/** @throws UsageError for a command, or a file that a command runs, in the place of a URL. */
function refuseCommand(text: string): void {
  if (/^(?:node|npx|npm|bun|bunx|deno|tsx|python3?|uv|uvx|docker|java|dotnet|go|cargo)$/.test(text))
    throw new UsageError(`${JSON.stringify(text)} is a command, which goes after --, as in -- ${text} …`);
  const [, end = ''] = /^[^:]+\.(\w+)$/.exec(text) ?? [];
  if (Object.hasOwn(runners, end))
    throw new UsageError(
      `Node does not run ${JSON.stringify(text)}; write the command that does after --, such as -- ${runners[end]} ${text}`,
    );
}

/** True when this Node runs TypeScript as it is. */
const runsTypes = 'typescript' in process.features && Boolean(process.features.typescript);

/** @throws UsageError when the text is not a URL of HTTP. */
export function urlTarget(text: string): ServerTarget {
  try {
    return { kind: 'url', url: serverUrl(text) };
  } catch (error) {
    throw new UsageError(`${reasonOf(error)}; a command goes after --`);
  }
}

/** @throws UsageError when there are no words. */
export function commandTarget([command, ...args]: readonly string[]): ServerTarget {
  if (command === undefined) throw new UsageError('no command follows --');
  return { kind: 'command', command, args };
}

/**
 * Reads `<url>`, `<file>` or `-- <command>…`.
 *
 * @param command What follows the `--`, where there is one.
 * @throws UsageError for neither, both, or more than one URL.
 */
export function serverTarget(words: readonly string[], command: readonly string[] | undefined): ServerTarget {
  const [url, extra] = words;
  if (command !== undefined) {
    if (url !== undefined)
      throw new UsageError(`${JSON.stringify(url)} stands before --; give a URL or a command, not both`);
    return commandTarget(command);
  }
  if (url === undefined) throw new UsageError('give the URL of a server, or -- and the command that starts one');
  if (extra !== undefined)
    throw new UsageError(`${JSON.stringify(extra)} is one argument too many; a command goes after --`);
  return typedTarget(url);
}

/** Splits the words at the first `--`; `after` is `undefined` when there is none. */
export function splitAtDashes(argv: readonly string[]): {
  readonly before: readonly string[];
  readonly after: readonly string[] | undefined;
} {
  const at = argv.indexOf('--');
  return at < 0 ? { before: argv, after: undefined } : { before: argv.slice(0, at), after: argv.slice(at + 1) };
}

/** Settings of a transport by a command, beside the options that were typed. */
export type TransportSettings = Pick<HttpTransportOptions, 'fetch' | 'closeTimeoutMs' | 'auth' | 'maxMessageBytes'> &
  Pick<SpawnOptions, 'onStderr' | 'killTimeoutMs' | 'maxLineBytes'>;

/**
 * The way to the server that is meant.
 *
 * @throws UsageError for headers or variables that do not fit the target or are malformed.
 */
export function transportOf(
  target: ServerTarget,
  parsed: ParsedOptions,
  io: Io,
  settings: TransportSettings = {},
): Transport {
  const headers = parsed.texts('header');
  const variables = parsed.texts('env');
  if (target.kind === 'url') {
    if (variables.length > 0) throw new UsageError('--env is for a server that a command starts');
    const way = httpTransport(target.url, { fetch: sharedFetch, ...settings, headers: headersOf(headers) });
    return masked(way, { hide: hiding(secretsOf(target, parsed, io)) });
  }
  if (headers.length > 0) throw new UsageError('--header is for a server at a URL');
  const way = commandWay(target.command, target.args, { ...settings, env: variablesOf(variables, io.env) }, io);
  return masked(way, { hide: hiding(secretsOf(target, parsed, io)) });
}

/** Texts of the command line that must not be shown. */
export function secretsOf(target: ServerTarget, parsed: ParsedOptions, io: Io): readonly string[] {
  return secretsIn(parsed, io.env, target.kind === 'command' ? target.args : []);
}

/** Tells whether a header can be sent as it is. */
export function isHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** Headers that were typed as `Name: value`. The values may be secrets, and are in no message. @throws UsageError for others. */
export function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, Math.max(colon, 0)), line.slice(colon + 1).trim()];
      if (!isHeader(name, value)) throw new UsageError("a header is given as 'Name: value'");
      return [name, value] as const;
    }),
  );
}

/** Variables that were typed: `NAME=value` sets one, `NAME` alone passes the one of this process on. @throws UsageError for others. */
export function variablesOf(given: readonly string[], env: Io['env']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      const name = at < 0 ? text : text.slice(0, at);
      if (!/^[^\s\p{C}]+$/u.test(name))
        throw new UsageError("a variable is given as 'NAME' or 'NAME=value', and a name has no spaces");
      if (at >= 0) return [name, text.slice(at + 1)] as const;
      const value = environmentValue(env, name);
      if (value === undefined) throw new UsageError(`the variable ${name}, which --env is to pass on, is not set`);
      return [name, value] as const;
    }),
  );
}
