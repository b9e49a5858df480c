import type { ParseArgsOptionsConfig } from 'node:util';
import { canonicalResource } from '../../../../parley/src/auth/common/resource-url.ts';
import { serverUrl } from '../../../../parley/src/jsonrpc/server-url.ts';
import type { DevicePrompt } from '../../../../parley/src/auth/client/interactive/device.ts';
import { isReplaced } from '../../../../parley/src/auth/client/interactive/replaced-grant.ts';
import type { GrantInfo, OAuth } from '../../../../parley/src/auth/client/interactive/oauth.ts';
import { credentialKeyText, type CredentialKey } from '../../../../parley/src/storage/credentials.ts';
import { asStarted } from '../../recorder/program-words.ts';
import { isRemote, UsageError, type Io } from '../io.ts';
import { parseOptions, type ParsedOptions } from '../options.ts';
import { shellLine } from '../shell.ts';
import { printed, reasonOf, shownJson } from '../shown.ts';
import { transportOf } from '../target.ts';
import { factsKey } from './upstream-login.ts';
import { devicePromptText } from './device-prompt.ts';
import { givenOption, signInOf, signInOptions } from './sign-in-options.ts';
import { ownStore } from './own-store.ts';
import { loginWords, personAt, type SignIn } from './sign-in.ts';
import { optionsKey, storeOptions, withStoredOptions } from './stored-options.ts';
import { soughtInVain, vainGuess, type SoughtServer } from './sought.ts';

/**
 * The options of a login. A login through another device needs an explicit option, because an attacker may talk a user
 * into entering a code.
 */
export const loginOptions: ParseArgsOptionsConfig = { ...signInOptions, device: { type: 'boolean' } };

/** Signs in at a server, and keeps what was granted for `call` and `bridge`. */
export async function login(argv: readonly string[], io: Io): Promise<number> {
  if (argv.some((word) => /^--timeout(?:=|$)/.test(word)))
    throw new UsageError('the time that a person may take is --login-timeout, in seconds');
  const parsed = parseOptions(argv, loginOptions);
  const server = onlyServer(parsed);
  const device = parsed.flag('device') ? devicePrompt(parsed, io) : undefined;
  const asking = parsed.flag('no-browser') || isRemote(io) ? 'by-hand' : 'browser';
  const given: SignIn = { ...signInOf(parsed, io), asking, server };
  const wanted = await withStoredOptions(given, io);
  const words = shellLine(loginWords(wanted));
  if (words !== shellLine(loginWords(given)))
    io.stderr.write(
      asStarted(`parley: with the options of the last login there: ${words}; parley logout drops them\n`, io.env),
    );
  const auth = personAt(wanted, io);
  const sought = (): Omit<SoughtServer, 'hasClient'> => ({
    url: server,
    way: transportOf({ kind: 'url', url: server }, parsed, io),
  });
  const { client, metadata } = wanted;
  // Only at its own origin a page is guessed.
  const mayGuess = client !== undefined && metadata === undefined && new URL(client.issuer).origin === server.origin;
  const vain = mayGuess ? await vainGuess(sought(), io) : undefined;
  if (vain !== undefined) throw vain;
  try {
    await auth.login({ server, signal: io.signal, device });
  } catch (error) {
    throw await soughtInVain(error, { ...sought(), hasClient: mayGuess }, io);
  }
  await storeOptions(wanted, io);
  const identity = await auth.identity();
  io.stdout.write(
    identity === undefined
      ? `signed in at ${server.host}\n`
      : `signed in at ${describe(shownServer(server.href), identity)}`,
  );
  return 0;
}

function devicePrompt(parsed: ParsedOptions, io: Io): (prompt: DevicePrompt) => void {
  const other = givenOption(parsed, ['no-browser', 'redirect-port']);
  if (other !== undefined)
    throw new UsageError(`--${other} is for the redirect from a page, and --device has no redirect`);
  return (prompt) => void io.stderr.write(devicePromptText(prompt));
}

/** The options of `parley logout`. */
export const logoutOptions: ParseArgsOptionsConfig = {
  all: { type: 'boolean' },
  account: { type: 'string' },
  'forget-client': { type: 'boolean' },
  // A client that was registered by hand must say who it is to revoke.
  'client-id': { type: 'string' },
  'client-secret-env': { type: 'string' },
  issuer: { type: 'string' },
};

/** Revokes what was granted, and forgets it. */
export async function logout(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseOptions(argv, logoutOptions);
  if (parsed.flag('all') && parsed.words.length > 0) throw new UsageError('--all takes no URL');
  const forgetClient = parsed.flag('forget-client');
  const { logins, isWhole } = parsed.flag('all') ? await storedLogins(parsed, io) : await loginsAt(parsed, io);
  let failed = !isWhole;
  let count = logins.length;
  const leave = async (login: StoredLogin): Promise<void> => {
    failed = !(await left(login, { parsed, io, forgetClient })) || failed;
  };
  // What this command cannot revoke waits for the next one.
  const before = parsed.flag('all') ? new Set((await ownStore(io).keys('grant')).map(credentialKeyText)) : undefined;
  for (const login of logins) await leave(login);
  if (before !== undefined)
    for (const login of await unusedGrants(parsed, io, before)) {
      await leave(login);
      count++;
    }
  if (count === 0 && isWhole) io.stderr.write('no user is signed in\n');
  // All grants of these clients are gone, unless an error occurred. With an account, other grants remain.
  if (forgetClient && parsed.flag('all') && parsed.text('account') === undefined && !failed) await forgetClients(io);
  return failed ? 1 : 0;
}

/** Ends a login, and says so. @returns False where that failed, or tokens stay valid. */
async function left(
  { server, account }: StoredLogin,
  { parsed, io, forgetClient }: { readonly parsed: ParsedOptions; readonly io: Io; readonly forgetClient: boolean },
): Promise<boolean> {
  const shown = shownServer(server);
  const where = printed(account === undefined ? shown : `${shown} (account ${account})`, 'line');
  try {
    const auth = await storedAuthorization(parsed, io, { server, account });
    const store = ownStore(io);
    const isSignedIn = (await auth.identity({ server })) !== undefined;
    const before = await store.keys('grant');
    const { revoked } = await auth.logout({ forgetClient });
    for (const keyOf of [factsKey, optionsKey]) await store.write(keyOf(new URL(server), account), undefined);
    // A grant may be there that no server uses any more.
    const after = await store.keys('grant');
    const known = new Set(before.map(credentialKeyText));
    const added = after.filter((key) => !known.has(credentialKeyText(key)));
    if (!isSignedIn && added.length === 0 && after.length === before.length) {
      io.stderr.write(`no user is signed in at ${where}\n`);
      return true;
    }
    const more = added.some(isReplaced) ? '. The next login or logout there tries again' : '';
    const end = revoked ? '' : `; its tokens could not be revoked, and are valid until they expire${more}`;
    io.stdout.write(`signed out of ${where}${end}\n`);
    return revoked;
  } catch (error) {
    // A damaged login does not keep the others.
    io.stderr.write(`parley: ${where}: ${reasonOf(error)}\n`);
    return false;
  }
}

/**
 * Grants that no server uses, as resources that a person is signed in at.
 *
 * @param among The texts of the keys that count; all by default.
 */
async function unusedGrants(
  parsed: ParsedOptions,
  io: Io,
  among?: ReadonlySet<string>,
): Promise<readonly StoredLogin[]> {
  const wanted = parsed.text('account');
  const keys = await ownStore(io).keys('grant');
  const logins = keys
    .filter((key) => among?.has(credentialKeyText(key)) !== false)
    .filter(({ account = '' }) => wanted === undefined || account === wanted)
    .map(({ resource = '', account }) => ({ server: resource, account }))
    .filter(({ server }) => URL.canParse(server));
  return [...new Map(logins.map((login) => [JSON.stringify(login), login])).values()];
}

/** Forgets how this program was registered anywhere. */
async function forgetClients(io: Io): Promise<void> {
  const store = ownStore(io);
  for (const key of await store.keys('client')) await store.write(key, undefined);
}

/** The options of `parley whoami`. */
export const whoamiOptions: ParseArgsOptionsConfig = { account: { type: 'string' }, json: { type: 'boolean' } };

/** Says who is signed in where; no token is shown. */
export async function whoami(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseOptions(argv, whoamiOptions);
  const isOne = parsed.words.length > 0;
  const { logins, isWhole } = isOne ? await loginsAt(parsed, io) : await storedLogins(parsed, io);
  const found: (GrantInfo & StoredLogin)[] = [];
  for (const { server, account } of logins) {
    try {
      const identity = await (await storedAuthorization(parsed, io, { server, account })).identity({ server });
      if (identity === undefined) continue;
      const shown = { server: shownServer(server), ...(account === undefined ? {} : { account }) };
      found.push({ ...shown, ...identity, resource: shownServer(identity.resource) });
    } catch (error) {
      io.stderr.write(`parley: ${printed(shownServer(server), 'line')}: ${reasonOf(error)}\n`);
    }
  }
  if (parsed.flag('json')) io.stdout.write(`${shownJson(found, 2)}\n`);
  else if (found.length > 0)
    io.stdout.write(found.map(({ server, ...identity }) => describe(server, identity)).join(''));
  else if (isWhole) io.stderr.write(asStarted('no user is signed in; parley login <url> does it\n', io.env));
  const left = (await ownStore(io).keys('grant')).filter(
    (key) => isReplaced(key) && found.some((one) => isAt(one, key)),
  );
  if (left.length > 0)
    io.stderr.write(
      'tokens of earlier logins may still be valid; parley logout <url> revokes them with those of today\n',
    );
  if (!isOne && found.length === 0 && (await unusedGrants(parsed, io)).length > 0)
    io.stderr.write('grants are kept that no server uses; parley logout --all revokes and deletes them\n');
  return found.length === 0 ? 1 : 0;
}

/** Tells whether a grant that was replaced is of a login. */
function isAt({ resource, account }: GrantInfo & StoredLogin, key: CredentialKey): boolean {
  return key.account === account && key.resource !== undefined && shownServer(key.resource) === resource;
}

/** One login that is kept: of one account, where a person has several. */
interface StoredLogin {
  readonly server: string;
  readonly account?: string | undefined;
}

/** The logins that are kept, of one account where one is named; `isWhole` is false where there are others, which cannot be read. */
async function storedLogins(
  parsed: ParsedOptions,
  io: Io,
): Promise<{ readonly logins: readonly StoredLogin[]; readonly isWhole: boolean }> {
  const wanted = parsed.text('account');
  let isWhole = true;
  const unreadable = (error: unknown): void => {
    isWhole = false;
    io.stderr.write(`parley: ${reasonOf(error)}\n`);
  };
  const keys = await ownStore(io, unreadable).keys('server');
  const sorted = keys
    .map(({ issuer: server, account = '' }) => ({ server, account }))
    .filter(({ account }) => wanted === undefined || account === wanted)
    .toSorted((one, other) => compared(one.server, other.server) || compared(one.account, other.account));
  return { isWhole, logins: sorted.map(({ server, account }) => (account === '' ? { server } : { server, account })) };
}

async function storedAuthorization(parsed: ParsedOptions, io: Io, { server, account }: StoredLogin): Promise<OAuth> {
  const given: SignIn = { ...signInOf(parsed, io), asking: 'never', server: new URL(server), account };
  return personAt(await withStoredOptions(given, io), io);
}

function compared(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** The logins at a server. A URL without its query means all that are shown by it. */
async function loginsAt(
  parsed: ParsedOptions,
  io: Io,
): Promise<{ readonly logins: readonly StoredLogin[]; readonly isWhole: boolean }> {
  const { href: server, search } = onlyServer(parsed);
  const account = parsed.text('account');
  const exact = { logins: [{ server, account }], isWhole: true };
  const key: CredentialKey = { kind: 'server', issuer: canonicalResource(new URL(server)), account };
  if (search !== '' || (await ownStore(io).read(key)) !== undefined) return exact;
  const logins = (await storedLogins(parsed, io)).logins.filter(
    (login) => login.account === account && shownServer(login.server) === shownServer(server),
  );
  return logins.length === 0 ? exact : { logins, isWhole: true };
}

/** A URL as it is shown: a query may hold a secret. */
function shownServer(server: string): string {
  const url = new URL(server);
  url.search = '';
  return canonicalResource(url);
}

function onlyServer(parsed: ParsedOptions): URL {
  const [url, extra] = parsed.words;
  if (url === undefined) throw new UsageError('give the URL of a server');
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is one argument too many`);
  try {
    return serverUrl(url);
  } catch (error) {
    throw new UsageError(reasonOf(error), { cause: error });
  }
}

/** Lines about what was granted. */
function describe(server: string, grant: GrantInfo & { readonly account?: string | undefined }): string {
  const { account, issuer, resource, subject, name, email, scopes, expiresAt, renewable } = grant;
  const person = [name, email, subject].find((one) => one !== undefined);
  const until = expiresAt === undefined ? 'not said' : new Date(expiresAt).toISOString();
  const lines = [
    server,
    ...(account === undefined ? [] : [`  account   ${account}`]),
    `  issuer    ${issuer}`,
    `  resource  ${resource}`,
    ...(person === undefined ? [] : [`  subject   ${person}`]),
    `  scopes    ${scopes.length === 0 ? 'not said' : scopes.join(' ')}`,
    `  expires   ${until}${renewable ? ', renewed without asking' : ''}`,
  ];
  return `${lines.map((line) => printed(line, 'lines').replaceAll('\n', ' ')).join('\n')}\n`;
}
