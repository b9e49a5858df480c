import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { hiding, type Hide } from '../../auth/secrets.ts';
import type { UpstreamOptions } from '../../bridge/options.ts';
import { httpTransport } from '../../http/client/transport.ts';
import { ssePairTransport } from '../../http/client/sse-pair.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { nearest } from '../../mistakes/nearest.ts';
import { chosenRevisions, type RevisionDate } from '../../protocol/revision.ts';
import { describeCommand } from '../../stdio/client/describe-command.ts';
import { ConfigProblem } from './expand.ts';
import { inspectorFields, revisionsOfEra, type InspectorFields } from './inspector-fields.ts';
import { oauthEntry, oauthKeys, type OAuthEntry } from './oauth-entry.ts';
import { Keys, jsonKindOf, pathOf, shownValue } from './read.ts';
import { sharedFetch } from '../fetch.ts';
import { secretArguments, secretHeaders, secretsOfUrl, secretVariables } from '../../wire/secrets.ts';
import { faultIn } from './json-fault.ts';
import { UsageError, type Io } from '../io.ts';
import { masked, type Mask } from '../masked.ts';
import { commandWay } from '../server-stderr.ts';
import { isHeader, type TransportSettings } from '../target.ts';

/** One server of a file. */
export interface ConfiguredServer extends UpstreamOptions, Reachable {
  readonly upstream: Transport;
  /** Wishes for how it is inspected, where they were asked for. */
  readonly inspector?: InspectorFields;
}

/** A way to a server that can be made with settings of its own. */
interface Reachable {
  reach(settings: TransportSettings): Transport;
  /** Texts of the entry that nobody should read. */
  readonly secrets: readonly string[];
  /** Server at which somebody may have to be authorized, unless the entry has what it takes, or says that nobody is. */
  readonly guarded?: GuardedUrl | undefined;
}

/** A server that may want authorization. */
export interface GuardedUrl {
  readonly url: URL;
  /** Its `oauth`, where the entry has one. */
  readonly oauth: OAuthEntry | undefined;
}

/** The servers that a file names. */
export interface Config {
  readonly upstreams: Readonly<Record<string, ConfiguredServer>>;
  /** Mistakes of the file, each with its place, one entry a line. */
  readonly problems: readonly string[];
  /** Parts of the file that are ignored. */
  readonly warnings: readonly string[];
}

/** Size limit of a file of servers. */
const mostBytes = 1024 * 1024;

/**
 * Reads the file in which hosts keep their servers: `{ "mcpServers": { … } }`, or `{ "servers": { … } }`.
 *
 * @throws UsageError when the file cannot be read or is no such file; wrong entries are in `problems`.
 */
export async function readConfig(file: string, io: ConfigIo, inspects = false): Promise<Config> {
  return configOf(parsedJson(await textOf(file), file), { file, io, inspects });
}

/** Parts of its process that a configuration needs. */
type ConfigIo = Pick<Io, 'env' | 'stderr'>;

/** Source of a configuration. */
interface Source {
  readonly file: string;
  readonly io: ConfigIo;
  /** True where what the official Inspector keeps in a file counts. */
  readonly inspects?: boolean;
}

/**
 * The servers of a configuration.
 *
 * @throws UsageError when it has no servers.
 */
export function configOf(value: unknown, { file, io, inspects = false }: Source): Config {
  if (!isObject(value)) throw new UsageError(`${file} holds ${jsonKindOf(value)}, not {"mcpServers": {…}}`);
  const top = Object.hasOwn(value, 'mcpServers') ? 'mcpServers' : 'servers';
  const servers = Object.hasOwn(value, top) ? value[top] : undefined;
  if (servers === undefined) throw new UsageError(`${file} has no "mcpServers" (or "servers") with servers by name`);
  if (!isObject(servers)) throw new UsageError(`${file}: ${top} must be an object, not ${jsonKindOf(servers)}`);
  const warnings = Object.keys(value).flatMap((key) => (key === top ? [] : [`${file}: ${pathOf([key])} is ignored`]));
  const problems: string[] = [];
  const upstreams: [string, ConfiguredServer][] = [];
  for (const [name, entry] of Object.entries(servers)) {
    const path = [top, name];
    try {
      const keys = new Keys(entry, path, io.env);
      const ignored = (unread: readonly string[], within: readonly string[], meant: typeof meantBy): void => {
        for (const key of unread)
          warnings.push(`${file}: ${pathOf([...within, key])} is ignored: it means nothing here${meant([key])}`);
      };
      const source = { io, folder: dirname(resolve(file)), inspects };
      const upstream = upstreamOf(keys, source, (unread) => ignored(unread, [...path, 'oauth'], meantInOauth));
      if (upstream === undefined) continue;
      upstreams.push([name, upstream]);
      ignored(keys.unread, path, meantBy);
    } catch (error) {
      if (!(error instanceof ConfigProblem)) throw error;
      problems.push(`${file}: ${pathOf(error.path)}: ${error.message}`);
    }
  }
  if (upstreams.length === 0 && problems.length === 0) throw new UsageError(`${file}: ${top} names no server to run`);
  return { upstreams: Object.fromEntries(upstreams), problems, warnings };
}

/** Keys that an entry may have. */
const known = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'oauth', 'type', 'sharing', 'revisions', 'disabled'];

/** Keys that other hosts use, and ours for them. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'],
  ['arguments', 'args'],
  ['environment', 'env'],
  ['serverUrl', 'url'],
  ['endpoint', 'url'],
  ['httpUrl', 'url'],
]);

/** The end of a message that names what was meant by keys that mean nothing, where one looks like it. */
function meantBy(keys: readonly string[], among: readonly string[] = known): string {
  for (const key of keys) {
    const [meant] = among.includes(key) ? [] : [aliases.get(key) ?? nearest(key, among)[0]];
    if (meant !== undefined) return `; ${pathOf([key])} may be meant as ${JSON.stringify(meant)}`;
  }
  return '';
}

function meantInOauth(keys: readonly string[]): string {
  return meantBy(keys, oauthKeys);
}

/** Surroundings in which an entry is read. */
interface Surroundings {
  readonly io: ConfigIo;
  readonly inspects: boolean;
  /** The folder of the file. */
  readonly folder: string;
}

/** Hears of keys that mean nothing. */
type Unread = (keys: readonly string[]) => void;

const kinds = ['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'] as const;

/** One server; `undefined` for one that is switched off. */
function upstreamOf(keys: Keys, source: Surroundings, unread: Unread): ConfiguredServer | undefined {
  if (keys.flag('disabled')) return undefined;
  const [, name] = keys.path;
  if (name === '') throw new ConfigProblem(keys.path, 'a server needs a name');
  const type = keys.oneOf('type', kinds);
  const hasCommand = keys.value('command') !== undefined;
  const hasUrl = keys.value('url') !== undefined;
  if (hasCommand && hasUrl) throw new ConfigProblem(keys.path, 'has both "command" and "url"; keep one of them');
  if (!hasCommand && !hasUrl)
    throw new ConfigProblem(
      keys.path,
      `needs "command", for a server to start, or "url", for one that runs${meantBy(keys.unread)}`,
    );
  if (type !== undefined && hasCommand !== (type === 'stdio'))
    throw new ConfigProblem(
      keys.at('type'),
      `${shownValue(type)} does not go with "${hasCommand ? 'command' : 'url'}"`,
    );
  const way = hasCommand ? commandOf(keys, source) : urlOf(keys, type === 'sse', { ...source, unread });
  const sharing = keys.oneOf('sharing', ['per-client', 'shared']);
  const ofEra = revisionsOfEra(keys);
  const revisions = revisionsOf(keys) ?? ofEra;
  return {
    ...way,
    upstream: way.reach({}),
    ...(sharing === undefined ? {} : { sharing }),
    ...(revisions === undefined ? {} : { revisions }),
    ...(source.inspects ? { inspector: inspectorFields(keys) } : {}),
  };
}

function commandOf(keys: Keys, { folder, io }: Surroundings): Reachable {
  const command = keys.expanded('command') ?? '';
  if (command.trim() === '') throw new ConfigProblem(keys.at('command'), 'must name a program, and is empty');
  const cwd = keys.expanded('cwd');
  const env = keys.secrets('env');
  for (const name of Object.keys(env))
    if (name === '' || name.includes('=') || name.includes('\0'))
      throw new ConfigProblem(keys.at('env', name), 'is no name of a variable');
  const args = keys.expandedTexts('args');
  // The system would refuse them with words that cite them, and they may be secrets.
  const texts: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    env: Object.entries(env),
    args: args.map((arg, at) => [String(at), arg]),
  };
  for (const [key, values] of Object.entries(texts))
    for (const [name, value] of values)
      if (value.includes('\0'))
        throw new ConfigProblem(keys.at(key, name), 'holds a NUL, which no process can be given');
  const isExpanded = [keys.text('command'), keys.text('cwd'), ...(keys.texts('args') ?? [])].some((text) =>
    text?.includes('${'),
  );
  const options = {
    env,
    ...(cwd === undefined ? {} : { cwd: resolve(folder, cwd) }),
    ...(isExpanded ? { calledAs: describeCommand(keys.told('command'), keys.toldTexts('args')) } : {}),
  };
  const secrets = [
    ...secretVariables(env),
    ...secretVariables(keys.variables(keys.text('command') ?? '', ...(keys.texts('args') ?? []))),
    ...secretArguments(args),
  ];
  const hide = hiding(secrets);
  return { reach: (settings) => masked(commandWay(command, args, { ...settings, ...options }, io), { hide }), secrets };
}

function urlOf(
  keys: Keys,
  isPair: boolean,
  { io, folder, unread }: Omit<Surroundings, 'inspects'> & { readonly unread: Unread },
): Reachable {
  // As it stands in the file, it holds no variable's value; what may be a secret of its own is left out.
  const told = shownValue((keys.text('url') ?? '').replace(/\/\/[^/]*@/, '//').replace(/[?#].*/s, ''));
  const text = keys.expanded('url') ?? '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ConfigProblem(keys.at('url'), `${told} is no http: or https: URL`);
  const headers = keys.secrets('headers');
  for (const [name, value] of Object.entries(headers))
    if (!isHeader(name, value)) throw new ConfigProblem(keys.at('headers', name), 'is no header that can be sent');
  const guarded = guardedAt(url, keys, { headers, io, folder, unread });
  const transport = isPair ? ssePairTransport : httpTransport;
  const secrets = [
    ...secretHeaders(Object.values(headers)),
    ...secretsOfUrl(text),
    ...secretPath(url, keys),
    guarded?.oauth?.secret ?? '',
  ];
  const mask = maskOf(url, keys, hiding(secrets));
  return {
    reach: (settings) => masked(transport(url, { fetch: sharedFetch, ...settings, headers }), mask),
    secrets,
    guarded,
  };
}

/** Credentials that an entry has of its own are all that its server gets. */
function guardedAt(
  url: URL,
  keys: Keys,
  {
    headers,
    io: { env },
    folder,
    unread,
  }: Omit<Surroundings, 'inspects'> & { readonly headers: object; readonly unread: Unread },
): GuardedUrl | undefined {
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const hasCredentials = url.username !== '' || url.password !== '';
  const own = hasHeader ? 'an Authorization header' : hasCredentials ? 'credentials in its URL' : undefined;
  const given = keys.value('oauth');
  const read = given === undefined ? undefined : oauthEntry(given, { path: keys.at('oauth'), env, folder });
  unread(read?.unread ?? []);
  if (read?.entry === false) return undefined;
  if (own === undefined) return { url, oauth: read?.entry };
  if (read === undefined) return undefined;
  throw new ConfigProblem(keys.at('oauth'), `stands beside ${own}; keep one of them`);
}

/** The scheme and the host of a URL in a file, and its path. */
const partsOfUrl = /^([a-z]+:\/\/[^/?#]*)([^?#]*)/i;

/** Path without the parts that variables put into it: many servers have a key there. */
function secretPath({ pathname }: URL, keys: Keys): readonly string[] {
  const [, , path] = partsOfUrl.exec(keys.text('url') ?? '') ?? [];
  return path === undefined ? [pathname] : Object.values(keys.variables(path));
}

/** A URL is called as the file has it where its path, or the whole of it, comes from variables. */
function maskOf(url: URL, keys: Keys, hide: Hide): Mask {
  const text = keys.told('url').replace(/[?#].*/s, '');
  const [, , path = text] = partsOfUrl.exec(text) ?? [];
  if (!path.includes('${')) return { hide };
  const calledAs = path === text ? text : `${url.origin}${path}`;
  const { origin, pathname } = url;
  return {
    calledAs,
    hide: (said) => hide(said.replaceAll(`${origin}${pathname}`, calledAs).replaceAll(` ${pathname} `, ` ${path} `)),
  };
}

function revisionsOf(keys: Keys): readonly RevisionDate[] | undefined {
  const dates = keys.texts('revisions');
  if (dates === undefined) return undefined;
  try {
    return chosenRevisions(dates).map(({ date }) => date);
  } catch (error) {
    throw new ConfigProblem(keys.at('revisions'), error instanceof Error ? error.message : String(error));
  }
}

async function textOf(file: string): Promise<string> {
  const bytes = new Uint8Array(mostBytes + 1);
  let length = 0;
  try {
    const handle = await open(file);
    try {
      for (let read = 1; read > 0 && length < bytes.length; length += read)
        read = (await handle.read(bytes, length, bytes.length - length)).bytesRead;
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown failure';
    const words = why === 'ENOENT' ? 'there is no such file' : why === 'EISDIR' ? 'it is a folder' : why;
    throw new UsageError(`cannot read ${file}: ${words}`, { cause });
  }
  if (length > mostBytes) throw new UsageError(`${file} has more than ${mostBytes} bytes`);
  return new TextDecoder().decode(bytes.subarray(0, length));
}

/** Reads JSON; the place of a fault is told, and the text around it not, which may hold secrets. */
function parsedJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = faultIn(text);
    throw new UsageError(
      `${file} is no JSON (line ${line} column ${column}); comments and trailing commas are not part of it`,
    );
  }
}
