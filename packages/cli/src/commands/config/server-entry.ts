import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { hiding, type Hide } from '../../../../parley/src/auth/common/secrets.ts';
import type { UpstreamOptions } from '../../../../parley/src/bridge/options.ts';
import { httpTransport } from '../../../../parley/src/transports/http/client/transport.ts';
import { ssePairTransport } from '../../../../parley/src/transports/http/client/sse-pair.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { nearest } from '../../../../parley/src/options/nearest.ts';
import { chosenRevisions, type RevisionDate } from '../../../../parley/src/protocol/revision.ts';
import { describeCommand } from '../../../../parley/src/transports/stdio/client/describe-command.ts';
import type { PassOn } from '../../../../parley/src/transports/stdio/client/unpassed.ts';
import { secretArguments, secretHeaders, secretsOfUrl, secretVariables } from '../../recorder/secrets.ts';
import { sharedFetch } from '../fetch.ts';
import type { Io } from '../io.ts';
import { masked, type Mask } from '../masked.ts';
import { commandWay } from '../server-stderr.ts';
import { isHeader, type TransportSettings } from '../target.ts';
import { ConfigProblem, type Variables } from './expand.ts';
import { inspectorFields, revisionsOfEra, timeOf, type InspectorFields } from './inspector-fields.ts';
import { oauthEntry, oauthKeys, type OAuthEntry } from './oauth-entry.ts';
import { jsonKindOf, pathOf, shownValue, type ConfigKeys, type Spellings } from './read.ts';
import { filtered, toolFilterOf } from './tool-filter.ts';

/** One server of a file. */
export interface ConfiguredServer extends UpstreamOptions, Reachable {
  readonly upstream: Transport;
  /** The longest wait for an answer, in milliseconds; that of the command by default. */
  readonly timeoutMs?: number;
  /** Wishes for how it is inspected, where they were asked for. */
  readonly inspector?: InspectorFields;
}

/** Command that an entry starts, or the address that it names. */
export type EntryPlace =
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly cwd?: string;
    }
  | { readonly kind: 'url'; readonly url: URL; readonly headers: Readonly<Record<string, string>> };

/** A way to a server that can be made with settings of its own. */
interface Reachable {
  reach(settings: TransportSettings): Transport;
  /** The same as a command or an address, for a command that has connections of its own. */
  readonly place: EntryPlace;
  /** Texts of the entry that must not be shown. */
  readonly secrets: readonly string[];
  /** Set if the server may need authorization, unless the entry has the credentials, or disables sign-in. */
  readonly guarded?: GuardedUrl | undefined;
}

/** A server that may want authorization. */
export interface GuardedUrl {
  readonly url: URL;
  /** Its `oauth`, where the entry has one. */
  readonly oauth: OAuthEntry | undefined;
}

/** Parts of its process that a configuration needs. */
export type ConfigIo = Pick<Io, 'env' | 'stderr'>;

/** Keys of an entry, as hosts spell them; ours are among them. */
export const spellings: Spellings = {
  command: ['command', 'cmd'],
  args: ['args', 'arguments'],
  env: ['env', 'environment'],
  // Where Gemini CLI has both, the first is over Streamable HTTP.
  url: ['httpUrl', 'url', 'serverUrl', 'endpoint'],
  headers: ['headers', 'http_headers'],
  type: ['type', 'transport', 'transportType'],
  enabled: ['enabled', 'isActive'],
  oauth: ['oauth', 'auth'],
};

const writeHeaders = 'write "headers": {"Authorization": "Bearer ${TOKEN}"}';

/** Text to write instead of a key that only one host reads. */
export const cures: ReadonlyMap<string, string> = new Map([
  ['auth', `${writeHeaders}, or "oauth"`],
  ['authProviderType', `only Gemini CLI reads it; sign in, or ${writeHeaders}`],
  ['headersHelper', `only Claude Code runs it; ${writeHeaders}`],
  ['bearer_token_env_var', writeHeaders],
  ['env_http_headers', 'write "headers": {"X-Name": "${VARIABLE}"}'],
  ['authorizationUrl', 'write "issuer", the authorization server that names it'],
  ['tokenUrl', 'write "issuer", the authorization server that names it'],
  ['redirectUri', 'write "callbackPort", the port in it'],
]);

/** Keys that an entry may have, for who misspells one. */
const known = [...Object.keys(spellings), 'cwd', 'envFile', 'oauth', 'sharing', 'revisions', 'disabled', 'timeout'];

/** Keys about the page of a host, and about calls that it makes without asking: nothing is left to be done here. */
const ofHostAlone =
  'alwaysAllow autoApprove trust description gallery icon name source title version dev watchPaths connectionTimeout metadata modernLogLevel paginatedLists roots taskTtl'.split(
    ' ',
  );

/** The end of a message that names what was meant by keys that mean nothing, where one looks like it. */
export function meantBy(keys: readonly string[], among: readonly string[] = known): string {
  for (const key of keys) {
    const [meant] = among.includes(key) ? [] : nearest(key, among);
    if (meant !== undefined) return `; ${pathOf([key])} may be meant as ${JSON.stringify(meant)}`;
  }
  return '';
}

export function meantInOauth(keys: readonly string[]): string {
  return meantBy(keys, oauthKeys);
}

/** Surroundings in which an entry is read. */
interface Surroundings {
  readonly name: string;
  readonly io: ConfigIo;
  readonly variables: Variables;
  readonly inspects: boolean;
  /** The folder of the file. */
  readonly folder: string;
  /** Called with the keys of `oauth` that mean nothing, and its place. */
  unread(within: readonly string[], keys: readonly string[]): void;
}

/** Reads one server; `undefined` for one that is switched off. */
export function serverEntry(keys: ConfigKeys, source: Surroundings): ConfiguredServer | undefined {
  if (keys.flag('disabled') || keys.setting('enabled') === false) return undefined;
  const ofExtension = keys.value('source') === 'extension';
  if (source.name === '') throw new ConfigProblem(keys.path, 'a server needs a name');
  const type = typeOf(keys);
  const hasCommand = keys.value('command') !== undefined;
  const hasUrl = keys.value('url') !== undefined;
  if (hasCommand && hasUrl) throw new ConfigProblem(keys.path, 'has both "command" and "url"; keep one of them');
  if (!hasCommand && !hasUrl && ofExtension)
    throw new ConfigProblem(keys.at('source'), 'names an extension, which only Zed starts; write "command" or "url"');
  if (!hasCommand && !hasUrl)
    throw new ConfigProblem(
      keys.path,
      `needs "command", for a server to start, or "url", for one that runs${meantBy(keys.unread)}`,
    );
  if (type !== undefined && hasCommand !== (type === 'stdio'))
    throw new ConfigProblem(
      keys.at('type'),
      `${shownValue(keys.text('type') ?? '')} does not go with "${hasCommand ? 'command' : 'url'}"`,
    );
  const whole = hasCommand ? commandOf(keys, source) : urlOf(keys, type === 'sse', source);
  const offers = toolFilterOf(keys);
  const reach: Reachable['reach'] = (settings) =>
    offers === undefined ? whole.reach(settings) : filtered(whole.reach(settings), offers);
  const sharing = keys.oneOf('sharing', ['per-client', 'shared']);
  const ofEra = revisionsOfEra(keys);
  const revisions = revisionsOf(keys) ?? ofEra;
  const timeoutMs = timeoutOf(keys);
  const inspector = source.inspects ? inspectorFields(keys) : undefined;
  for (const key of ofHostAlone) keys.value(key);
  return {
    ...whole,
    reach,
    upstream: reach({}),
    ...(sharing === undefined ? {} : { sharing }),
    ...(revisions === undefined ? {} : { revisions }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(inspector === undefined ? {} : { inspector }),
  };
}

/** The names of transports in files of hosts, without regard to case and hyphens. */
const types: Readonly<Record<string, 'stdio' | 'http' | 'sse'>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  streamablehttp: 'http',
  remote: 'http',
  sse: 'sse',
};

function typeOf(keys: ConfigKeys): 'stdio' | 'http' | 'sse' | undefined {
  const text = keys.text('type');
  if (text === undefined) return undefined;
  const folded = text.toLowerCase().replaceAll(/[-_]/g, '');
  if (Object.hasOwn(types, folded)) return types[folded];
  throw new ConfigProblem(keys.at('type'), `must be stdio or http or streamable-http or sse, not ${shownValue(text)}`);
}

/** Up to this number, a time-out is in seconds, as in Cline; above, in milliseconds, as in other hosts. */
const maxSeconds = 3_600;

/** The longest wait for an answer, in milliseconds. */
function timeoutOf(keys: ConfigKeys): number | undefined {
  const requestTimeoutMs = timeOf(keys, 'requestTimeout');
  const written = keys.value('timeout');
  // Some files have each value as a text.
  const value = typeof written === 'string' && /^\d+(?:\.\d+)?$/.test(written) ? Number(written) : written;
  // No time is no limit in hosts; here the limit of the command counts then.
  if (value === undefined || value === 0) return requestTimeoutMs === 0 ? undefined : requestTimeoutMs;
  const ms = typeof value === 'number' ? Math.round(value > maxSeconds ? value : value * 1_000) : Number.NaN;
  if (ms >= 1 && ms < 2 ** 31) return ms;
  throw new ConfigProblem(
    keys.at('timeout'),
    `must be seconds up to ${maxSeconds}, or milliseconds above, not ${typeof value === 'number' ? value : jsonKindOf(value)}`,
  );
}

function commandOf(keys: ConfigKeys, { folder, io }: Surroundings): Reachable {
  const own = keys.secrets('env');
  const env = { ...variablesIn(keys, folder), ...own };
  for (const name of Object.keys(own))
    if (name === '' || name.includes('=') || name.includes('\0'))
      throw new ConfigProblem(keys.at('env', name), 'is no name of a variable');
  const command = keys.with(env).expanded('command') ?? '';
  if (command.trim() === '') throw new ConfigProblem(keys.at('command'), 'must name a program, and is empty');
  const cwd = keys.with(env).expanded('cwd');
  const args = keys.with(env).expandedTexts('args', leftIn(keys));
  // The system would refuse them with words that cite them, and they may be secrets.
  const texts: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    env: Object.entries(own).map(([name, value = '']) => [name, value]),
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
    ...secretVariables(textsIn(env)),
    ...secretVariables(keys.variables(keys.text('command') ?? '', ...(keys.texts('args') ?? []))),
    ...secretArguments(args),
    ...keys.files(...Object.values(keys.textsByName('env')).map((text) => text ?? ''), ...(keys.texts('args') ?? [])),
  ];
  const hide = hiding(secrets);
  return {
    reach: (settings) => masked(commandWay(command, args, { ...settings, ...options }, io, passOn), { hide }),
    place: { kind: 'command', command, args, env, ...(cwd === undefined ? {} : { cwd: resolve(folder, cwd) }) },
    secrets,
  };
}

const passOn: PassOn = (names) => `"env": {${names.map((name) => `"${name}": "\${${name}}"`).join(', ')}} in the file`;

/**
 * Tells which variables stay in arguments as they are: those that the entry itself sets. The program reads them from its
 * environment, so that no secret is among its arguments. What the entry passes on under the same name is known here.
 */
function leftIn(keys: ConfigKeys): (name: string) => boolean {
  const texts = keys.textsByName('env');
  return (name) => {
    const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
    return text !== undefined && ![`\${${name}}`, `\${env:${name}}`, `$${name}`].includes(text);
  };
}

/** The variables in the file that an entry names, as in VS Code and Cursor. */
function variablesIn(keys: ConfigKeys, folder: string): Readonly<Record<string, string | undefined>> {
  const file = keys.expanded('envFile');
  if (file === undefined) return {};
  try {
    return parseEnv(readFileSync(resolve(folder, file), 'utf8'));
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown failure';
    throw new ConfigProblem(
      keys.at('envFile'),
      `cannot be read: ${why === 'ENOENT' ? 'the file does not exist' : why}`,
    );
  }
}

function textsIn(given: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function urlOf(plain: ConfigKeys, isPair: boolean, { variables, folder, unread }: Surroundings): Reachable {
  // Some files keep what a header has in it beside the URL.
  const keys = plain.with(plain.secrets('env'));
  // The text of the file holds no variable's value. Possible secrets in it are left out.
  const told = shownValue((keys.text('url') ?? '').replace(/\/\/[^/]*@/, '//').replace(/[?#].*/s, ''));
  const text = keys.expanded('url') ?? '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ConfigProblem(keys.at('url'), `${told} is no http: or https: URL`);
  const headers = textsIn(keys.secrets('headers'));
  for (const [name, value] of Object.entries(headers))
    if (!isHeader(name, value)) throw new ConfigProblem(keys.at('headers', name), 'is no header that can be sent');
  const guarded = guardedAt(url, keys, { headers, variables, folder, unread });
  const transport = isPair ? ssePairTransport : httpTransport;
  const secrets = [
    ...secretHeaders(Object.values(headers)),
    ...secretsOfUrl(text),
    ...secretPath(url, keys),
    ...keys.files(keys.text('url') ?? ''),
    guarded?.oauth?.secret ?? '',
  ];
  const mask = maskOf(url, keys, hiding(secrets));
  return {
    reach: (settings) => masked(transport(url, { fetch: sharedFetch, ...settings, headers }), mask),
    place: { kind: 'url', url, headers },
    secrets,
    guarded,
  };
}

/** Credentials that an entry has of its own are all that its server gets. */
function guardedAt(
  url: URL,
  keys: ConfigKeys,
  {
    headers,
    variables: env,
    folder,
    unread,
  }: Pick<Surroundings, 'variables' | 'folder' | 'unread'> & { readonly headers: object },
): GuardedUrl | undefined {
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const hasCredentials = url.username !== '' || url.password !== '';
  const own = hasHeader ? 'an Authorization header' : hasCredentials ? 'credentials in its URL' : undefined;
  const [given, path] = [keys.value('oauth'), keys.at('oauth')];
  // FastMCP writes "auth": "oauth" where a person signs in, which is the default here.
  const isText = typeof given === 'string' && path.at(-1) === 'auth';
  if (isText && given !== 'oauth') unread(path.slice(0, -1), ['auth']);
  const read = given === undefined || isText ? undefined : oauthEntry(given, { path, env, folder });
  unread(path, read?.unread ?? []);
  if (read?.entry === false) return undefined;
  if (own === undefined) return { url, oauth: read?.entry };
  if (read === undefined) return undefined;
  throw new ConfigProblem(keys.at('oauth'), `stands beside ${own}; keep one of them`);
}

/** The scheme and the host of a URL in a file, and its path. */
const partsOfUrl = /^([a-z]+:\/\/[^/?#]*)([^?#]*)/i;

/** Path without the parts that variables put into it: many servers have a key there. */
function secretPath({ pathname }: URL, keys: ConfigKeys): readonly string[] {
  const [, , path] = partsOfUrl.exec(keys.text('url') ?? '') ?? [];
  return path === undefined ? [pathname] : Object.values(keys.variables(path));
}

/** A URL is called as the file has it where its path, or the whole of it, comes from variables. */
function maskOf(url: URL, keys: ConfigKeys, hide: Hide): Mask {
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

function revisionsOf(keys: ConfigKeys): readonly RevisionDate[] | undefined {
  const dates = keys.texts('revisions');
  if (dates === undefined) return undefined;
  try {
    return chosenRevisions(dates).map(({ date }) => date);
  } catch (error) {
    throw new ConfigProblem(keys.at('revisions'), error instanceof Error ? error.message : String(error));
  }
}
