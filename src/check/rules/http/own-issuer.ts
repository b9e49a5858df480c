import { parseJson } from '../../../json/parse.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { ordinal } from '../../../protocol/revision.ts';
import type { Bench } from '../../bench/bench.ts';
import { inFront, type Exchanged } from '../../bench/exchange.ts';
import { guardOf } from '../../bench/guard.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, NotApplicable, notApplicable, notJudged, unless } from '../../verdict.ts';

/** Rules about servers of 2025-03-26, at whose address without its path their authorization server is. */

const wellKnown = '/.well-known/oauth-authorization-server';

/** Metadata of an authorization server at the places where somebody may have put them, and what came of the first. */
interface OwnMetadata {
  readonly exchange: Exchanged;
  readonly isAtBase: boolean;
  /** Another place that has them. */
  readonly elsewhere: Exchanged | undefined;
}

/** Looks for the metadata. @throws NotApplicable where a newer revision says where the authorization server is, or the resource does. */
async function ownMetadata(bench: Bench): Promise<OwnMetadata> {
  await guardOf(bench);
  if (bench.spoken.some((revision) => ordinal(revision) > ordinal(bench.revision)))
    throw new NotApplicable('a newer revision that it speaks has another place for it');
  return await bench.kept('metadata of its own issuer', async () => {
    const { pathname } = bench.http.url;
    const resource = await bench.page(`/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`);
    if (isDocument(resource)) throw new NotApplicable('metadata of the resource name its authorization server');
    const exchange = await bench.page(wellKnown);
    if (isDocument(exchange) || pathname === '/')
      return { exchange, isAtBase: isDocument(exchange), elsewhere: undefined };
    const path = pathname.replace(/\/$/, '');
    const others = [await bench.page(`${wellKnown}${path}`), await bench.page(`${path}${wellKnown}`)];
    return { exchange, isAtBase: false, elsewhere: others.find(isDocument) };
  });
}

function isDocument({ status, text }: Exchanged): boolean {
  if (status !== 200) return false;
  try {
    const value = parseJson(text);
    return isObject(value) && (typeof value['issuer'] === 'string' || Array.isArray(value['authorization_servers']));
  } catch {
    return false;
  }
}

const served: ProbeRule = {
  id: 'auth-008',
  over: 'http',
  words: 'Metadata of the authorization server are served',
  mend: `serve them at ${wellKnown}, whatever the path of the server`,
  async probe(bench) {
    const { exchange, isAtBase, elsewhere } = await ownMetadata(bench);
    if (elsewhere !== undefined) return notJudged('they are elsewhere: see auth-014');
    return unless(!isAtBase, exchange, 'there are none');
  },
};

const atBase: ProbeRule = {
  id: 'auth-014',
  over: 'http',
  words: 'Those metadata are at the address of the server without its path',
  mend: `serve them at ${wellKnown}, without the path of the server`,
  async probe(bench) {
    const { isAtBase, elsewhere } = await ownMetadata(bench);
    if (elsewhere !== undefined) return breaks(elsewhere, 'they are at the path of the server alone');
    return isAtBase ? holds : notApplicable('it has none');
  },
};

const endpoints: ProbeRule = {
  id: 'auth-010',
  over: 'http',
  words: 'Where there are no metadata, /authorize and /token are there',
  mend: 'serve /authorize, /token and /register at the address without its path, or metadata that say where they are',
  async probe(bench) {
    const { isAtBase, elsewhere } = await ownMetadata(bench);
    if (isAtBase || elsewhere !== undefined) return notApplicable('it has metadata');
    const asked = [await bench.page('/authorize'), await bench.page('/token', 'grant_type=parley-check')];
    for (const [at, exchange] of asked.entries()) {
      const name = at === 0 ? '/authorize' : '/token';
      const front = exchange.status === 404 ? undefined : inFront(exchange);
      if (exchange.status === undefined) return notJudged(front ?? `${name} was not answered`);
      if (exchange.status === 404) return breaks(exchange, `${name} is not there`);
    }
    return holds;
  },
};

/** Rules about servers that are their own authorization server. */
export const ownIssuerRules: readonly ProbeRule[] = [served, atBase, endpoints];
