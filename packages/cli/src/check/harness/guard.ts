import { parseChallenges, type Challenge } from '../../../../parley/src/auth/common/challenge.ts';
import { resourceMetadataUrls } from '../../../../parley/src/auth/common/well-known.ts';
import { parseJson } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { NotApplicable, NotJudged } from './verdict.ts';
import { excerptOf, type Harness } from './harness.ts';
import { inFront, type RawExchange } from './exchange.ts';

/** Refusal of a request without a token, by a server that serves it with one. */
export interface GuardRefusal {
  readonly refusal: RawExchange;
  /** Bearer challenge of that refusal. */
  readonly challenge: Challenge | undefined;
}

/** Metadata of the resource that a server is. */
export interface FoundResourceMetadata {
  /** The answer that has them, or the last that should have. */
  readonly exchange: RawExchange;
  readonly document: Readonly<Record<string, unknown>> | undefined;
}

const guards = new WeakMap<Harness, Promise<GuardRefusal>>();
const documents = new WeakMap<Harness, Promise<FoundResourceMetadata>>();

/**
 * Finds out how a server refuses who has no token.
 *
 * @throws NotApplicable where it serves everybody, NotJudged where that cannot be told.
 */
export async function guardOf(harness: Harness): Promise<GuardRefusal> {
  const known = guards.get(harness) ?? lookForGuard(harness);
  guards.set(harness, known);
  return await known;
}

async function lookForGuard(harness: Harness): Promise<GuardRefusal> {
  if (harness.over === 'stdio') throw new NotApplicable('it is not about stdio');
  const isServed = harness.spoken.includes(harness.revision);
  // A server that answers without a token needs none.
  if (isServed && !harness.http.knows('own')) throw new NotApplicable('it serves requests without a token');
  const probeClient = await harness.unopened();
  const isOpen = await probeClient.open('nobody');
  await harness.end(probeClient);
  const refusal = probeClient.opening;
  if (isOpen || refusal?.result !== undefined) throw new NotApplicable('it serves requests without a token');
  if (refusal === undefined || refusal.status === undefined || inFront(refusal) !== undefined)
    throw new NotJudged(`it did not answer a request without a token: ${excerptOf(refusal)}`);
  if (!isServed && refusal.status !== 401)
    throw new NotJudged(`it does not say that it wants a token: ${excerptOf(refusal)}`);
  return { refusal, challenge: bearerIn(refusal) };
}

/** The challenge of the scheme Bearer, or of DPoP, which takes the same parameters. */
export function bearerIn({ headers }: Pick<RawExchange, 'headers'>): Challenge | undefined {
  const challenges = parseChallenges(headers['www-authenticate']);
  return challenges.find(({ scheme }) => scheme === 'bearer') ?? challenges.find(({ scheme }) => scheme === 'dpop');
}

/**
 * Finds the metadata of the resource, where the challenge or a well-known URI has them. What lies at another origin is not fetched.
 *
 * @throws NotApplicable, NotJudged as `guardOf` does, and NotJudged where they are elsewhere.
 */
export async function metadataOf(harness: Harness): Promise<FoundResourceMetadata> {
  const known = documents.get(harness) ?? lookForMetadata(harness);
  documents.set(harness, known);
  return await known;
}

async function lookForMetadata(harness: Harness): Promise<FoundResourceMetadata> {
  const { challenge, refusal } = await guardOf(harness);
  const named = challenge?.parameters['resource_metadata'];
  const { url } = harness.http;
  // Text that is not a URL leads nowhere.
  const at = named !== undefined && URL.canParse(named, url.href) ? new URL(named, url) : undefined;
  if (at !== undefined && at.origin !== url.origin)
    throw new NotJudged(`its metadata are at another origin, ${at.origin}`);
  let exchange = refusal;
  for (const place of named === undefined ? resourceMetadataUrls(url) : at === undefined ? [] : [at]) {
    const { pathname, search } = new URL(place, url);
    exchange = await harness.page(`${pathname}${search}`);
    const document = exchange.status === 200 ? jsonObjectIn(exchange.text) : undefined;
    if (document !== undefined) return { exchange, document };
  }
  return { exchange, document: undefined };
}

/** The JSON object in a document; `undefined` if it is not one. */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
