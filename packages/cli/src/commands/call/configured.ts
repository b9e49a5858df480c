import { clipped } from '../explain/text.ts';
import { readConfig, type Config } from '../config/config.ts';
import type { ConfiguredServer } from '../config/server-entry.ts';
import { UsageError, isTerminal, type Io } from '../io.ts';
import { authOfServers } from '../login/auth-of-servers.ts';
import type { ParsedOptions } from '../options.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { nearestWords } from '../../../../parley/src/options/nearest.ts';
import type { RevisionDate } from '../../../../parley/src/protocol/revision.ts';
import { printed } from '../shown.ts';

/**
 * Name of the server that is meant of a file: that of --server, or else the first word.
 *
 * @throws UsageError for --server without a file.
 */
export function configuredName(
  parsed: ParsedOptions,
  words: readonly string[] = parsed.words,
): {
  readonly name: string | undefined;
  /** The words that are left. */
  readonly rest: readonly string[];
} {
  const named = parsed.text('server');
  const [first, ...rest] = words;
  if (named === undefined) return { name: first, rest };
  if (parsed.text('config') === undefined) throw new UsageError('--server names one of --config; give a file too');
  return { name: named, rest: words };
}

/** One server of a file, and the way to it. */
export interface ConfiguredTarget {
  readonly way: Transport;
  /** The revisions that are spoken to it; all of them where the file does not say. */
  readonly revisions: readonly RevisionDate[] | undefined;
  /** The longest wait for an answer, in milliseconds; where the file says it. */
  readonly timeoutMs: number | undefined;
}

/**
 * The way to one server of a file, with what authorizes requests to it.
 *
 * @param name Name of the server in the file.
 * @throws UsageError when the file has no such server, or it is wrong, and for options that are about other servers.
 */
export async function configuredTarget(
  file: string,
  name: string | undefined,
  parsed: ParsedOptions,
  io: Io,
): Promise<ConfiguredTarget> {
  const server = await configuredServer(file, name, parsed, io);
  if (name === undefined) return { way: server.upstream, revisions: server.revisions, timeoutMs: server.timeoutMs };
  const found = await authOfServers({ [name]: server }, parsed, { io, asks: isTerminal(io) });
  const auth = found.get(name)?.auth;
  const way = auth === undefined ? server.upstream : server.reach({ auth });
  return { way, revisions: server.revisions, timeoutMs: server.timeoutMs };
}

/**
 * One server of a file.
 *
 * @throws UsageError when the file has no such server, or it is wrong, and for options that are about other servers.
 */
export async function configuredServer(
  file: string,
  name: string | undefined,
  parsed: ParsedOptions,
  io: Io,
): Promise<ConfiguredServer> {
  for (const option of ['header', 'env'])
    if (parsed.texts(option).length > 0)
      throw new UsageError(`--${option} is for a server that is typed; in the file each has its own`);
  const { upstreams, problems, warnings } = await readConfig(file, io);
  const server = name === undefined || !Object.hasOwn(upstreams, name) ? undefined : upstreams[name];
  // The other servers are not needed.
  const told = server === undefined ? [...warnings, ...problems] : warnings.filter((line) => isAbout(line, name ?? ''));
  for (const line of told) io.stderr.write(`parley: ${printed(line, 'line')}\n`);
  if (server === undefined) throw new UsageError(missing(name, file, upstreams));
  return server;
}

function isAbout(line: string, name: string): boolean {
  return line.includes(`.${name}.`) || line.includes(`.${JSON.stringify(name)}.`);
}

function missing(name: string | undefined, file: string, upstreams: Config['upstreams']): string {
  const names = Object.keys(upstreams);
  const there = `it has ${names.length === 0 ? 'none' : names.map((one) => clipped(one, 100)).join(', ')}`;
  if (name === undefined) return `name a server of ${file}: ${there}`;
  return `${file} has no usable server ${JSON.stringify(name)}: ${there}${nearestWords(name, names)}`;
}
