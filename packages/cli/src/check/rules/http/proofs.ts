import { parseChallenges, type Challenge } from '../../../../../parley/src/auth/common/challenge.ts';
import { base64urlOf, jsonPart, utf8 } from '../../../../../parley/src/auth/common/base64url.ts';
import { parseJson } from '../../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { nobody, type Harness } from '../../harness/harness.ts';
import { guardOf, metadataOf } from '../../harness/guard.ts';
import type { RequestExchange } from '../../harness/probe-client.ts';
import type { Sender } from '../../harness/senders.ts';
import type { ProbeRule } from '../../rule.ts';
import {
  breaks,
  holds,
  NotAllowed,
  NotApplicable,
  notApplicable,
  notJudged,
  type RuleVerdict,
} from '../../harness/verdict.ts';

/** Rules about proofs of possession (DPoP), of servers that say that they take some. */

/** Challenge of the scheme DPoP in a response. */
function dpopIn({ headers }: Pick<RequestExchange, 'headers'>): Challenge | undefined {
  return parseChallenges(headers['www-authenticate']).find(({ scheme }) => scheme === 'dpop');
}

/** Algorithms that a server names for proofs; `undefined` where nothing shows that it takes some. */
async function algorithmsOf(harness: Harness): Promise<readonly string[] | undefined> {
  const { refusal } = await guardOf(harness);
  const challenge = dpopIn(refusal);
  const { document } = await metadataOf(harness);
  const listed = document?.['dpop_signing_alg_values_supported'];
  const isThere =
    challenge !== undefined || Array.isArray(listed) || document?.['dpop_bound_access_tokens_required'] === true;
  const all = Array.isArray(listed) ? listed.filter((one): one is string => typeof one === 'string') : [];
  return isThere ? [...(challenge?.parameters['algs']?.split(/\s+/) ?? []), ...all] : undefined;
}

/** Tells an algorithm by which anybody could sign, or whoever can verify. */
function isWeak(algorithm: string): boolean {
  return algorithm.toLowerCase() === 'none' || /^HS\d+$/i.test(algorithm);
}

/** A proof in parts. */
function partsOf(proof: string): Readonly<Record<'header' | 'payload' | 'signature', string>> {
  const [header = '', payload = '', signature = ''] = proof.split('.');
  return { header, payload, signature };
}

/** The same claims in a proof that another algorithm has signed. */
async function resigned(proof: string, alg: 'none' | 'HS256'): Promise<string> {
  const { header, payload } = partsOf(proof);
  const said = parseJson(Buffer.from(header, 'base64url').toString());
  const signed = `${jsonPart({ ...(isObject(said) ? said : {}), alg })}.${payload}`;
  if (alg === 'none') return `${signed}.`;
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8(header), hmac, false, ['sign']);
  return `${signed}.${base64urlOf(await crypto.subtle.sign(hmac, key, utf8(signed)))}`;
}

function alteredProof(proof: string): string {
  const { header, payload, signature } = partsOf(proof);
  const other = signature.slice(-12).replaceAll(/./g, (sign) => (sign === 'A' ? 'B' : 'A'));
  return `${header}.${payload}.${signature.slice(0, -12)}${other}`;
}

/** A proof that is wrong, and what is wrong with it. */
type WrongProof = readonly [what: string, proof: string | undefined];

/**
 * Sends the user's token with wrong proofs, after a request with a right one.
 *
 * @throws NotApplicable where it takes no proofs, NotAllowed where the user's token is bound to no key.
 */
async function tried(
  harness: Harness,
  wrong: (right: (method: string, path?: string) => Promise<string>) => Promise<readonly WrongProof[]>,
): Promise<readonly (readonly [what: string, answer: RequestExchange])[]> {
  if ((await algorithmsOf(harness)) === undefined) throw new NotApplicable('nothing shows that it takes proofs (DPoP)');
  const own = await harness.http.proven('POST');
  if (own === undefined)
    throw new NotAllowed(
      'it needs a token that is bound to a key: parley login --dpop <url> gets one, which is used then',
    );
  const probeClient = await harness.fresh();
  try {
    await harness.ready(probeClient);
    const right = async (method: string, path?: string): Promise<string> =>
      (await harness.http.proven(method, path))?.proof ?? '';
    const answers: (readonly [string, RequestExchange])[] = [];
    for (const [what, proof] of await wrong(right)) {
      const as: Sender = {
        authorization: `DPoP ${own.token}`,
        shown: `DPoP … (yours), and ${what}`,
        ...(proof !== undefined && { proof }),
      };
      answers.push([what, await probeClient.request(harness.harmless, undefined, { as })]);
    }
    // It has to be let in still: who is refused for too many failures says nothing of one.
    await harness.ready(probeClient);
    return answers;
  } finally {
    await harness.end(probeClient);
  }
}

/** Tells that no proof was taken; of what was not answered in time nobody knows. */
function noneTaken(answers: readonly (readonly [what: string, answer: RequestExchange])[]): RuleVerdict {
  const served = answers.find(([, answer]) => answer.result !== undefined);
  if (served !== undefined) return breaks(served[1], `${served[0]} was taken`);
  const silent = answers.find(([, { status }]) => status === undefined);
  return silent === undefined ? holds : unanswered(silent[0]);
}

function unanswered(what: string): RuleVerdict {
  return notJudged(`${what} was not answered in time`);
}

const strong: ProbeRule = {
  id: 'auth-144',
  over: 'http',
  closed: true,
  once: true,
  message: 'A DPoP proof with the algorithm none or a symmetric algorithm is refused',
  fix: 'take ES256 and its like, and name no other',
  async probe(harness) {
    const algorithms = await algorithmsOf(harness);
    if (algorithms === undefined) return notApplicable('nothing shows that it takes proofs (DPoP)');
    const weak = algorithms.find(isWeak);
    if (weak !== undefined) {
      const { refusal } = await guardOf(harness);
      const { exchange } = await metadataOf(harness);
      return breaks(
        dpopIn(refusal)?.parameters['algs']?.includes(weak) === true ? refusal : exchange,
        `it names ${weak}`,
      );
    }
    if ((await harness.http.proven('POST')) === undefined)
      return algorithms.length > 0 ? holds : notJudged('it names no algorithm, and there is no token bound to a key');
    const answers = await tried(harness, async (right) => [
      ['a proof by none', await resigned(await right('POST'), 'none')],
      ['a proof by HS256', await resigned(await right('POST'), 'HS256')],
    ]);
    return noneTaken(answers);
  },
};

/** Proofs with one fault each, which RFC 9449, section 4.3, has a server look for. */
async function faulty(right: (method: string, path?: string) => Promise<string>): Promise<readonly WrongProof[]> {
  return [
    ['no proof', undefined],
    ['a proof with an altered signature', alteredProof(await right('POST'))],
    ['a proof for another method', await right('PUT')],
    ['a proof for another address', await right('POST', `/${nobody}`)],
  ];
}

const verified: ProbeRule = {
  id: 'auth-145',
  over: 'http',
  once: true,
  message: 'The server verifies the signature, method and URL of a DPoP proof',
  fix: 'check each proof as RFC 9449, section 4.3, says',
  async probe(harness) {
    return noneTaken(await tried(harness, faulty));
  },
};

const refusedWell: ProbeRule = {
  id: 'auth-147',
  over: 'http',
  once: true,
  message: 'A wrong DPoP proof gets 401 and a DPoP challenge with the reason',
  fix: 'answer with HTTP 401 and WWW-Authenticate: DPoP error="invalid_dpop_proof"',
  async probe(harness) {
    const answers = (await tried(harness, faulty)).filter(([what]) => what !== 'no proof');
    for (const [what, answer] of answers) {
      if (answer.result !== undefined) return notJudged('it was taken: see auth-145');
      if (answer.status === undefined) return unanswered(what);
      if (answer.status !== 401) return breaks(answer, `${what} is refused with HTTP ${answer.status}`);
      const challenge = dpopIn(answer);
      if (challenge?.parameters['error'] === undefined)
        return breaks(answer, challenge === undefined ? 'there is no challenge of DPoP' : 'its challenge has no error');
    }
    return holds;
  },
};

/** Rules about proofs. */
export const possessionRules: readonly ProbeRule[] = [strong, verified, refusedWell];
