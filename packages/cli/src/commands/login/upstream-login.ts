import type { UpstreamLogin, KnownUpstream } from '../../../../parley/src/bridge/upstream-login.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { revisionOf } from '../../../../parley/src/protocol/revision.ts';
import { canonicalResource } from '../../../../parley/src/auth/common/resource-url.ts';
import type { CredentialKey } from '../../../../parley/src/storage/credentials.ts';
import type { Io } from '../io.ts';
import { optionalStore } from './own-store.ts';
import { nobodyAsked, personAt, type SignIn } from './sign-in.ts';

/** Limit of a server's stored facts, in characters. */
const maxKept = 256 * 1024;

/** Key of a server's stored facts, next to the grant of an account. */
export function factsKey(server: URL, account: string | undefined): CredentialKey {
  return { kind: 'facts', issuer: canonicalResource(server), account };
}

/** The interactive login at the server behind a bridge, and the stored facts about that server. */
export function upstreamLogin(signIn: SignIn, io: Io): UpstreamLogin {
  const { server, account, asking } = signIn;
  const store = optionalStore(io);
  const key = factsKey(server, account);
  let askedAtStart = false;
  const login: UpstreamLogin = {
    known: async () => readKnown((await store.read(key))?.text),
    async keep(known) {
      // Without a sign-in there, no facts are stored.
      if ((await personAt({ ...signIn, asking: 'never' }, io).identity({ server })) === undefined) return;
      const text = JSON.stringify(known);
      if (text.length > maxKept) throw new Error(`it tells more than ${maxKept} characters of itself`);
      if ((await store.read(key))?.text !== text) await store.write(key, text);
    },
  };
  if (asking === 'never') return login;
  return {
    ...login,
    async signIn({ scopes, show, atStart, signal }) {
      // A server that is tried again and again opens one page.
      if (atStart && askedAtStart) throw nobodyAsked(signIn);
      askedAtStart ||= atStart;
      await personAt({ ...signIn, show }, io).login({ server, signal, scopes });
    },
  };
}

/** Reads what was kept; `undefined` for what this version cannot use. */
function readKnown(text: string | undefined): KnownUpstream | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value['revision'] !== 'string' || !isObject(value['capabilities'])) return undefined;
  if (revisionOf(value['revision']) === undefined) return undefined;
  const { server, instructions, hint } = value;
  const isNamed = server === undefined || (isObject(server) && typeof server['name'] === 'string');
  const isPlain = instructions === undefined || typeof instructions === 'string';
  if (!isNamed || !isPlain || (hint !== undefined && !isObject(hint))) return undefined;
  // Our own text, whose fields were just looked at.
  return value as unknown as KnownUpstream;
}
