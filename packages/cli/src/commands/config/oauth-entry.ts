import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AuthorizationError } from '../../../../parley/src/auth/common/errors.ts';
import { signingKey, type KeySource, type NamedKey } from '../../../../parley/src/auth/common/signing-key.ts';
import { ConfigProblem } from './expand.ts';
import { ConfigKeys, jsonKindOf, type Spellings } from './read.ts';
import { environmentValue, type Io } from '../io.ts';

/** The `oauth` of one server of a file: who signs in there, or the client that a machine is. */
export interface OAuthEntry {
  /** Grant by which tokens are got: that of a person, or of a machine by its own credentials. (RFC 6749, section 1.3.) */
  readonly grantType: 'authorization_code' | 'client_credentials';
  readonly clientId: string | undefined;
  readonly secret: string | undefined;
  /** The private key by which the client signs who it is. */
  readonly key: KeySource | undefined;
  readonly clientMetadataUrl: string | undefined;
  /** The authorization server that knows the client. */
  readonly issuer: string | undefined;
  readonly scopes: readonly string[];
  /** The port of this machine to which a person comes back. */
  readonly callbackPort: number | undefined;
  readonly account: string | undefined;
  readonly dpop: boolean;
  readonly resourceParameter: 'send' | 'omit';
  /** The part of the metadata of the issuer that it does not publish. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** The names of the keys, for who misspells one. */
export const oauthKeys: readonly string[] = [
  'grantType',
  'clientId',
  'clientSecret',
  'clientSecretEnv',
  'privateKeyEnv',
  'privateKeyFile',
  'keyId',
  'clientMetadataUrl',
  'issuer',
  'scopes',
  'scope',
  'callbackPort',
  'account',
  'dpop',
  'resourceParameter',
  'metadata',
  'enabled',
];

/** Keys as hosts spell them: Cursor in capitals, Kiro with `oauthScopes`. */
const spellings: Spellings = {
  clientId: ['clientId', 'CLIENT_ID'],
  clientSecret: ['clientSecret', 'CLIENT_SECRET'],
  scopes: ['scopes', 'oauthScopes'],
};

/** Place of an entry. */
interface Place {
  readonly path: readonly string[];
  readonly env: Io['env'];
  /** The folder of the file. */
  readonly folder: string;
}

/**
 * Reads the `oauth` of a server: an object, or false to disable sign-in.
 *
 * @returns False for false, and the keys that have no effect with the others.
 * @throws ConfigProblem for an invalid value. It holds no secret.
 */
export function oauthEntry(
  value: unknown,
  { path, env, folder }: Place,
): { readonly entry: OAuthEntry | false; readonly unread: readonly string[] } {
  if (value === false) return { entry: false, unread: [] };
  const keys = new ConfigKeys(value, path, env, spellings);
  if (keys.value('enabled') !== undefined && !keys.flag('enabled')) return { entry: false, unread: [] };
  const entry: OAuthEntry = {
    grantType: keys.oneOf('grantType', ['authorization_code', 'client_credentials']) ?? 'authorization_code',
    clientId: keys.expanded('clientId'),
    secret: secretOf(keys, env),
    key: keyOf(keys, env, folder),
    clientMetadataUrl: keys.expanded('clientMetadataUrl'),
    issuer: issuerOf(keys),
    scopes: scopesOf(keys),
    callbackPort: portOf(keys),
    account: keys.expanded('account'),
    dpop: keys.flag('dpop'),
    resourceParameter: keys.oneOf('resourceParameter', ['send', 'omit']) ?? 'send',
    metadata: metadataOf(keys),
  };
  check(entry, keys);
  return { entry, unread: keys.unread };
}

function check(entry: OAuthEntry, keys: ConfigKeys): void {
  const { grantType, clientId, secret, key, issuer, clientMetadataUrl, callbackPort, account, metadata } = entry;
  const wrong = (name: string, words: string): never => {
    throw new ConfigProblem(keys.at(name), words);
  };
  const has = secret !== undefined || key !== undefined;
  if (secret !== undefined && key !== undefined)
    wrong('clientSecret', 'stands beside a private key; a client says with one of them who it is');
  if (clientId === undefined && has) wrong('clientId', 'is missing: a secret or a key is that of a client');
  if (clientId !== undefined && clientMetadataUrl !== undefined)
    wrong('clientMetadataUrl', 'stands beside "clientId"; keep one of them');
  if (issuer === undefined && metadata !== undefined) wrong('issuer', 'is missing: "metadata" are those of one issuer');
  if (grantType === 'client_credentials') {
    if (clientId === undefined)
      wrong('clientId', 'is missing: a machine is a client that the authorization server knows');
    if (!has) wrong('grantType', 'needs "clientSecretEnv", "clientSecret", "privateKeyEnv" or "privateKeyFile"');
    for (const [name, given] of Object.entries({ clientMetadataUrl, callbackPort, account }))
      if (given !== undefined) wrong(name, 'is for a person, and "grantType" says that there is none');
  }
  // A key stays in this process. A secret would be sent to the issuer that the server names.
  if (clientId !== undefined && issuer === undefined && key === undefined)
    wrong(
      'issuer',
      'is missing: a client is known to one authorization server and shown to no other; parley explain <url> names it',
    );
}

function secretOf(keys: ConfigKeys, env: Io['env']): string | undefined {
  const variable = keys.text('clientSecretEnv');
  const secret = keys.expanded('clientSecret');
  if (variable === undefined) return secret === '' ? undefined : secret;
  if (secret !== undefined)
    throw new ConfigProblem(keys.at('clientSecret'), 'stands beside "clientSecretEnv"; keep one of them');
  return fromEnvironment(variable, keys.at('clientSecretEnv'), env);
}

function keyOf(keys: ConfigKeys, env: Io['env'], folder: string): KeySource | undefined {
  const variable = keys.text('privateKeyEnv');
  const file = keys.expanded('privateKeyFile');
  const kid = keys.expanded('keyId');
  if (variable !== undefined && file !== undefined)
    throw new ConfigProblem(keys.at('privateKeyFile'), 'stands beside "privateKeyEnv"; keep one of them');
  if (variable !== undefined) {
    const text = fromEnvironment(variable, keys.at('privateKeyEnv'), env);
    return () => keyOfText(text, kid, `the private key in the variable ${variable}`);
  }
  if (file === undefined) {
    if (kid !== undefined) throw new ConfigProblem(keys.at('keyId'), 'is the id of a private key, and there is none');
    return undefined;
  }
  const path = resolve(folder, file);
  const what = `the private key in ${path}`;
  // It is read again each time, since another program renews it.
  return async () => await keyOfText(await textIn(path, what), kid, what);
}

async function textIn(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown failure';
    throw unusable(`${what} cannot be read: ${why === 'ENOENT' ? 'the file does not exist' : why}`, cause);
  }
}

/** A key in either form in which people have one: PEM, or JWK. */
async function keyOfText(text: string, kid: string | undefined, what: string): Promise<NamedKey> {
  try {
    // Importing it rejects an invalid key.
    const key = text.trimStart().startsWith('{') ? (JSON.parse(text) as JsonWebKey) : text;
    return await signingKey({ key, ...(kid === undefined ? {} : { kid }) });
  } catch (cause) {
    const why = cause instanceof TypeError ? cause.message : 'it begins like a JWK and is not JSON';
    throw unusable(`${what} is of no use: ${why}`, cause);
  }
}

function unusable(words: string, cause: unknown): AuthorizationError {
  return new AuthorizationError('invalid-client', words, { cause });
}

function fromEnvironment(variable: string, path: readonly string[], env: Io['env']): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) throw new ConfigProblem(path, 'must be the name of a variable');
  const value = environmentValue(env, variable);
  if (value === undefined || value === '')
    throw new ConfigProblem(path, `the variable ${variable} is not set, or empty`);
  return value;
}

function issuerOf(keys: ConfigKeys): string | undefined {
  const issuer = keys.expanded('issuer') ?? issuerOfMetadata(keys);
  if (issuer !== undefined && !/^https?:\/\/./.test(URL.canParse(issuer) ? issuer : ''))
    throw new ConfigProblem(keys.at('issuer'), 'must be the URL of an authorization server');
  return issuer;
}

/** The issuer whose metadata Claude Code fetches from a URL of its own. (RFC 8414, section 3.1.) */
function issuerOfMetadata(keys: ConfigKeys): string | undefined {
  const url = keys.expanded('authServerMetadataUrl');
  if (url === undefined) return undefined;
  const [, origin, path = ''] =
    /^(https?:\/\/[^/]+)\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(\/.*)?$/.exec(url) ?? [];
  const [, whole] = /^(https?:\/\/.+)\/\.well-known\/openid-configuration$/.exec(url) ?? [];
  const issuer = origin === undefined ? whole : `${origin}${path}`;
  if (issuer !== undefined) return issuer;
  throw new ConfigProblem(keys.at('authServerMetadataUrl'), 'is at no well-known path; write "issuer" instead');
}

/** A list, or one text with spaces in between, as OAuth writes it. */
function scopesOf(keys: ConfigKeys): readonly string[] {
  const [list, text] = [keys.value('scopes'), keys.expanded('scope')];
  if (list !== undefined && text !== undefined)
    throw new ConfigProblem(keys.at('scope'), 'stands beside "scopes"; keep one of them');
  const scopes = typeof list === 'string' ? [keys.expanded('scopes') ?? ''] : keys.expandedTexts('scopes');
  return [...scopes, text ?? ''].flatMap((one) => one.split(' ').filter((scope) => scope !== ''));
}

function portOf(keys: ConfigKeys): number | undefined {
  const port = keys.value('callbackPort');
  if (port === undefined) return undefined;
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new ConfigProblem(keys.at('callbackPort'), `must be a port, 1 to 65535, not ${jsonKindOf(port)}`);
  return port;
}

function metadataOf(keys: ConfigKeys): Readonly<Record<string, unknown>> | undefined {
  const metadata = keys.value('metadata');
  if (metadata === undefined) return undefined;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw new ConfigProblem(
      keys.at('metadata'),
      `must be an object in the words of RFC 8414, not ${jsonKindOf(metadata)}`,
    );
  // An object of JSON has text keys.
  return metadata as Readonly<Record<string, unknown>>;
}
