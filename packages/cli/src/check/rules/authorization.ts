import { jsonPart } from '../../../../parley/src/auth/common/base64url.ts';
import { isLoopback } from '../../../../parley/src/auth/common/network.ts';
import type { Harness } from '../harness/harness.ts';
import type { RawExchange } from '../harness/exchange.ts';
import { guardOf, metadataOf } from '../harness/guard.ts';
import type { RequestExchange, ProbeClient } from '../harness/probe-client.ts';
import type { Sender } from '../harness/senders.ts';
import { rowOf } from '../register.ts';
import type { ProbeRule } from '../rule.ts';
import { challengesLasting, knowsLasting, lacksParts, lacksPlace } from './http/authorization-said.ts';
import { breaks, holds, NotAllowed, notApplicable, notJudged, unless, type RuleVerdict } from '../harness/verdict.ts';

/** Rules about servers that want a token. */

const statusWithout = (id: string, lives?: ProbeRule['lives']): ProbeRule => ({
  id,
  message: 'A request without a token is refused with 401',
  fix: 'answer requests without a token with HTTP 401 and WWW-Authenticate',
  over: 'http',
  closed: true,
  ...(lives && { lives }),
  async probe(harness) {
    const { refusal } = await guardOf(harness);
    return unless(refusal.status !== 401, refusal, `it is refused with HTTP ${refusal.status}`);
  },
});

/** A token that no server made. */
const garbage: Sender = {
  authorization: 'Bearer parley-check-no-token',
  shown: 'Bearer parley-check-no-token',
};

function judged(exchange: RawExchange, why: string | undefined): RuleVerdict {
  return why === undefined ? holds : breaks(exchange, why);
}

/** Opens a conversation as a sender that must be rejected. */
async function opening(harness: Harness, as: Sender): Promise<RequestExchange> {
  const probeClient = await harness.unopened();
  await probeClient.open(as);
  await harness.end(probeClient);
  return probeClient.opening as RequestExchange;
}

const invalidStatus: ProbeRule = {
  id: 'auth-124',
  message: 'A request with an invalid token is refused with 401',
  fix: 'answer requests with invalid or expired tokens with HTTP 401',
  over: 'http',
  closed: true,
  async probe(harness) {
    await guardOf(harness);
    const answer = await opening(harness, garbage);
    if (answer.result !== undefined) return notJudged('it was served: see auth-121');
    if (answer.status === undefined) return notJudged('no response came');
    return unless(answer.status !== 401, answer, `it is refused with HTTP ${answer.status}`);
  },
};

const validated: ProbeRule = {
  id: 'auth-121',
  message: 'A token is validated before a request is served',
  fix: 'verify the signature of tokens, or ask the authorization server that issued them',
  over: 'http',
  closed: true,
  async probe(harness) {
    await guardOf(harness);
    const own = await harness.http.token();
    const tried: readonly (readonly [what: string, as: Sender])[] = [
      ['a token that was never issued', garbage],
      ['a token without a signature (alg none)', unsigned(own, harness.http.url)],
      ...(own === undefined ? [] : [['your token, altered at its end', altered(own)] as const]),
    ];
    for (const [what, as] of tried) {
      const answer = await opening(harness, as);
      if (answer.result !== undefined) return breaks(answer, `${what} was taken`);
    }
    return holds;
  },
};

/** A token of JWT that says what the user's does, or what one might, and is not signed. */
function unsigned(own: string | undefined, url: URL): Sender {
  const [, claims = ''] = own?.split('.') ?? [];
  const made = jsonPart({ iss: url.origin, sub: 'parley-check', aud: url.href, exp: 4_102_444_800 });
  const token = `${jsonPart({ alg: 'none', typ: 'at+jwt' })}.${claims === '' ? made : claims}.`;
  return { authorization: `Bearer ${token}`, shown: 'Bearer … (a JWT with alg none)' };
}

function altered(token: string): Sender {
  const other = token.slice(-12).replaceAll(/./g, (sign) => (sign === 'A' ? 'B' : 'A'));
  return { authorization: `Bearer ${token.slice(0, -12)}${other}`, shown: 'Bearer … (yours, altered at its end)' };
}

const foreign = (id: string, words = 'A token for another server is refused'): ProbeRule => ({
  id,
  message: words,
  fix: 'compare the audience of a token with the URL of this server',
  over: 'http',
  async probe(harness) {
    await guardOf(harness);
    if (!harness.http.knows('foreign'))
      throw new NotAllowed('it needs a token that the same issuer gave for another server: --foreign-token-env <name>');
    const answer = await opening(harness, 'foreign');
    return unless(answer.result !== undefined, answer, 'it was served');
  },
});

const challenge: ProbeRule = {
  id: 'auth-026',
  message: 'The WWW-Authenticate header of a 401 has the URL of the resource metadata',
  fix: 'send WWW-Authenticate: Bearer resource_metadata="https://…/.well-known/oauth-protected-resource…"',
  over: 'http',
  async probe(harness) {
    const { refusal, challenge: found } = await guardOf(harness);
    if (refusal.status !== 401) return notJudged(`it is refused with HTTP ${refusal.status}: see auth-128`);
    return judged(refusal, lacksPlace(found));
  },
};

const metadataPlace: ProbeRule = {
  id: 'auth-027',
  message: 'Resource metadata are at the URL in WWW-Authenticate, or at a well-known URI',
  fix: 'serve them at /.well-known/oauth-protected-resource and the path of the server, and name that in WWW-Authenticate',
  over: 'http',
  closed: true,
  async probe(harness) {
    const { document, exchange } = await metadataOf(harness);
    if (document !== undefined) return holds;
    // A server that only supports 2025-03-26 has none, and its revision is unknown without a token.
    if (!harness.spoken.includes(harness.revision)) return notJudged('it has none, and may be of 2025-03-26 alone');
    return breaks(exchange, 'there are none');
  },
};

const metadataParts: ProbeRule = {
  id: 'auth-024',
  message: 'Resource metadata name the resource and at least one authorization server',
  fix: 'send a JSON object with resource and authorization_servers, a list of issuers',
  over: 'http',
  closed: true,
  async probe(harness) {
    const { document, exchange } = await metadataOf(harness);
    if (document === undefined) return notJudged('there are none: see auth-027');
    return judged(exchange, lacksParts(document));
  },
};

const withoutSlash: ProbeRule = {
  id: 'auth-096',
  message: 'The resource in the metadata has no slash at its end',
  fix: 'write resource without the last slash: new URL(…).href has one where there is no path',
  over: 'http',
  closed: true,
  async probe(harness) {
    const { document, exchange } = await metadataOf(harness);
    const resource = document?.['resource'];
    if (typeof resource !== 'string' || !URL.canParse(resource)) return notJudged('they name none: see auth-024');
    // A slash after a path may mean something, where the server is reached by it.
    const isBare = new URL(resource).pathname === '/' || !harness.http.url.pathname.endsWith('/');
    return unless(isBare && resource.endsWith('/'), exchange, `it is ${JSON.stringify(resource)}`);
  },
};

const encrypted: ProbeRule = {
  id: 'auth-109',
  message: 'The authorization servers in the metadata have https URLs',
  fix: 'name an issuer that begins with https://',
  over: 'http',
  closed: true,
  async probe(harness) {
    const { document, exchange } = await metadataOf(harness);
    const issuers = document?.['authorization_servers'];
    const named = Array.isArray(issuers)
      ? issuers.filter((one): one is string => typeof one === 'string' && URL.canParse(one))
      : [];
    if (named.length === 0) return notJudged('they name none: see auth-024');
    // Tests on one machine need no certificate.
    const plain = named.find((one) => new URL(one).protocol === 'http:' && !isLoopback(new URL(one).hostname));
    return unless(plain !== undefined, exchange, `${plain} is not`);
  },
};

const scopeNamed: ProbeRule = {
  id: 'auth-042',
  message: 'The challenge of a 401 names the scopes that are needed',
  fix: 'send scope="…" in WWW-Authenticate',
  over: 'http',
  closed: true,
  async probe(harness) {
    const { refusal, challenge: found } = await guardOf(harness);
    if (found === undefined) return notJudged('there is no challenge: see auth-026');
    if (found.parameters['scope'] !== undefined) return holds;
    const { document } = await metadataOf(harness);
    const scopes = document?.['scopes_supported'];
    if (!Array.isArray(scopes) || scopes.length === 0) return notApplicable('its metadata know no scopes');
    return breaks(refusal, `it has none, and the metadata know ${scopes.slice(0, 10).join(', ')}`);
  },
};

const noOffline: ProbeRule = {
  id: 'auth-116',
  message: 'offline_access is not in challenges and not in scopes_supported',
  fix: 'leave offline_access out: a client asks its authorization server for it',
  over: 'http',
  closed: true,
  async probe(harness) {
    const { refusal, challenge: found } = await guardOf(harness);
    const why = challengesLasting(found);
    if (why !== undefined) return breaks(refusal, why);
    const { document, exchange } = await metadataOf(harness);
    return judged(exchange, document && knowsLasting(document));
  },
};

/** Opens a conversation as the user. The user's valid request must work before another sender repeats it. */
async function withConversation(
  harness: Harness,
  judge: (probeClient: ProbeClient) => Promise<RuleVerdict>,
): Promise<RuleVerdict> {
  await guardOf(harness);
  const probeClient = await harness.fresh();
  try {
    await harness.ready(probeClient);
    return await judge(probeClient);
  } finally {
    await harness.end(probeClient);
  }
}

const everyRequest = (id: string): ProbeRule => ({
  id,
  message: 'The server authorizes every request, not only the first',
  fix: 'verify the token of each request, whatever its method, and whatever came before it',
  over: 'http',
  probe: (harness) =>
    withConversation(harness, async (probeClient) => {
      const asked = await probeClient.request('tools/list', undefined, { as: 'nobody' });
      if (asked.result !== undefined && probeClient.session === undefined)
        return breaks(asked, 'tools/list was served without a token');
      const told = await probeClient.notify('notifications/cancelled', { requestId: 'none-of-ours' }, { as: 'nobody' });
      if (isTaken(told.status)) return breaks(told, 'a notification was accepted without a token');
      if (probeClient.session === undefined) return holds;
      for (const method of ['GET', 'DELETE'] as const) {
        const exchange = await probeClient.fetch(method, { as: 'nobody' });
        if (exchange !== undefined && isTaken(exchange.status))
          return breaks(exchange, `${method} was served without a token`);
      }
      return holds;
    }),
});

function isTaken(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

const sessionIsNone: ProbeRule = {
  id: 'security-015',
  message: 'A session id does not authenticate: each request in a session needs a token',
  fix: 'verify the token of each request, and never authenticate by a session id',
  over: 'http',
  probe: (harness) =>
    withConversation(harness, async (probeClient) => {
      if (probeClient.session === undefined) return notApplicable('it has no sessions');
      for (const method of [harness.harmless, 'tools/list']) {
        const answer = await probeClient.request(method, undefined, { as: 'nobody' });
        if (answer.result !== undefined) return breaks(answer, `${method} with the session id alone was served`);
      }
      return holds;
    }),
};

const sessionOfOne: ProbeRule = {
  id: 'security-018',
  message: 'A session is served only to the user who opened it',
  fix: 'keep with each session who opened it, and answer others with 404',
  over: 'http',
  async probe(harness) {
    await guardOf(harness);
    if (!harness.http.knows('another'))
      throw new NotAllowed('it needs the token of another user for this server: --other-token-env <name>');
    const theirs = await opening(harness, 'another');
    if (theirs.result === undefined) return notJudged(`the other token is not taken: HTTP ${theirs.status}`);
    return await withConversation(harness, async (probeClient) => {
      if (probeClient.session === undefined) return notApplicable('it has no sessions');
      const answer = await probeClient.request(harness.harmless, undefined, { as: 'another' });
      return unless(answer.result !== undefined, answer, 'a request of another user in it was served');
    });
  },
};

const missing = 'auth-018';

/** Rules about authorization, in their order of need. */
export const authorizationRules: readonly ProbeRule[] = [
  statusWithout(missing),
  statusWithout('auth-128', (revision) => rowOf('auth-128').lives(revision) && !rowOf(missing).lives(revision)),
  invalidStatus,
  validated,
  foreign('auth-123'),
  foreign('auth-122', 'The server accepts only tokens that were issued for it'),
  foreign('security-008', 'The server accepts no token that was not issued for it'),
  challenge,
  metadataPlace,
  metadataParts,
  withoutSlash,
  encrypted,
  scopeNamed,
  noOffline,
  everyRequest('security-014'),
  everyRequest('security-019'),
  sessionIsNone,
  sessionOfOne,
];
