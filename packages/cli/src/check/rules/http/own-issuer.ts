import { parseJson } from '../../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { ordinal } from '../../../../../parley/src/protocol/revision.ts';
import { nobody, type Harness } from '../../harness/harness.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import { guardOf, metadataOf } from '../../harness/guard.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, NotApplicable, notApplicable, notJudged, unless } from '../../harness/verdict.ts';

/** Rules about servers of 2025-03-26, at whose address without its path their authorization server is. */

const wellKnown = '/.well-known/oauth-authorization-server';

/** Metadata of an authorization server at its possible places, and the outcome of the first request. */
interface OwnMetadata {
  readonly exchange: RawExchange;
  readonly isAtBase: boolean;
  /** Another place that has them. */
  readonly elsewhere: RawExchange | undefined;
}

/** Looks for the metadata. @throws NotApplicable where a newer revision says where the authorization server is, or the resource does. */
async function ownMetadata(harness: Harness): Promise<OwnMetadata> {
  await guardOf(harness);
  if (harness.spoken.some((revision) => ordinal(revision) > ordinal(harness.revision)))
    throw new NotApplicable('a newer revision that it speaks has another place for it');
  return await harness.kept('metadata of its own issuer', async () => {
    const { pathname } = harness.http.url;
    const { document } = await metadataOf(harness);
    if (Array.isArray(document?.['authorization_servers']))
      throw new NotApplicable('metadata of the resource name its authorization server');
    const exchange = await harness.page(wellKnown);
    if (isDocument(exchange) || pathname === '/')
      return { exchange, isAtBase: isDocument(exchange), elsewhere: undefined };
    const path = pathname.replace(/\/$/, '');
    const others = [await harness.page(`${wellKnown}${path}`), await harness.page(`${path}${wellKnown}`)];
    return { exchange, isAtBase: false, elsewhere: others.find(isDocument) };
  });
}

function isDocument({ status, text }: RawExchange): boolean {
  if (status !== 200) return false;
  try {
    const value = parseJson(text);
    return isObject(value) && typeof value['issuer'] === 'string';
  } catch {
    return false;
  }
}

/** Evidence for the fixed paths of a server without metadata: true if a path exists, `undefined` if unknown. */
interface FixedPaths {
  readonly authorize: boolean | undefined;
  readonly token: boolean | undefined;
  /** Exchange for the path of authorization. */
  readonly exchange: RawExchange;
}

/** Gets the fixed paths. Nothing is posted, so that one that takes POST alone may seem not to be there. */
async function fixedPaths(harness: Harness): Promise<FixedPaths> {
  return await harness.kept('fixed paths of its own issuer', async () => {
    const unknown = await harness.page(`/${nobody}`);
    const exchange = await harness.page('/authorize');
    // Who answers whatever path there is, such as with one page for all, says nothing of any.
    if (isThere(unknown) !== false) return { authorize: undefined, token: undefined, exchange };
    return { authorize: isThere(exchange), token: isThere(await harness.page('/token')), exchange };
  });
}

function isThere({ status }: RawExchange): boolean | undefined {
  return status === undefined || status === 429 || status >= 500 ? undefined : status !== 404;
}

/** Authorization is optional: who has keys of another kind has no authorization server. */
const none = 'nothing shows that it has an authorization server of its own';

const served: ProbeRule = {
  id: 'auth-008',
  over: 'http',
  message: 'Metadata of the authorization server are served',
  fix: `serve them at ${wellKnown}, whatever the path of the server`,
  async probe(harness) {
    const { exchange, isAtBase, elsewhere } = await ownMetadata(harness);
    if (elsewhere !== undefined) return notJudged('they are elsewhere: see auth-014');
    if (isAtBase) return holds;
    const { authorize, token } = await fixedPaths(harness);
    return authorize === true || token === true ? breaks(exchange, 'there are none') : notJudged(none);
  },
};

const atBase: ProbeRule = {
  id: 'auth-014',
  over: 'http',
  message: 'Metadata of the authorization server are at the server origin, without the path',
  fix: `serve them at ${wellKnown}, without the path of the server`,
  async probe(harness) {
    const { isAtBase, elsewhere } = await ownMetadata(harness);
    if (elsewhere !== undefined) return breaks(elsewhere, 'they are at the path of the server alone');
    return isAtBase ? holds : notApplicable('it has none');
  },
};

const endpoints: ProbeRule = {
  id: 'auth-010',
  over: 'http',
  message: 'A server without metadata serves /authorize and /token',
  fix: 'serve /authorize, /token and /register at the address without its path, or metadata that say where they are',
  async probe(harness) {
    const { isAtBase, elsewhere } = await ownMetadata(harness);
    if (isAtBase || elsewhere !== undefined) return notApplicable('it has metadata');
    const { authorize, token, exchange } = await fixedPaths(harness);
    if (authorize === false && token === true) return breaks(exchange, '/token is there, and /authorize is not');
    if (authorize !== true) return notJudged(none);
    return token === true ? holds : notJudged('/token was not found by GET, and nothing is posted to it');
  },
};

const registers: ProbeRule = {
  id: 'auth-007',
  over: 'http',
  message: 'The metadata of the authorization server have a registration_endpoint',
  fix: 'serve dynamic registration of clients, and name it in the metadata',
  async probe(harness) {
    const { exchange, isAtBase } = await ownMetadata(harness);
    if (!isAtBase) return notApplicable('it has no metadata at its address without its path');
    const metadata = parseJson(exchange.text);
    return unless(
      !isObject(metadata) || typeof metadata['registration_endpoint'] !== 'string',
      exchange,
      'they have none',
    );
  },
};

/** Rules about servers that are their own authorization server. */
export const ownIssuerRules: readonly ProbeRule[] = [served, atBase, endpoints, registers];
