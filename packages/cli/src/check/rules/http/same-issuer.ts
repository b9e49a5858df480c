import { serverMetadataUrls } from '../../../../../parley/src/auth/common/well-known.ts';
import { ordinal } from '../../../../../parley/src/protocol/revision.ts';
import type { Harness } from '../../harness/harness.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import { jsonObjectIn, metadataOf } from '../../harness/guard.ts';
import type { ProbeRule } from '../../rule.ts';
import { NotApplicable, NotJudged, unless } from '../../harness/verdict.ts';

/** Rules about an authorization server that is at the origin of the server: what is elsewhere is not fetched. */

/** Metadata of that authorization server. @throws NotApplicable where there is none, NotJudged where they are not found. */
async function issuerMetadata(
  harness: Harness,
): Promise<{ readonly exchange: RawExchange; readonly metadata: Readonly<Record<string, unknown>> }> {
  // Of which revision a server is that lets nobody in is not known.
  if (!harness.spoken.includes(harness.revision)) throw new NotJudged('which revisions it speaks is not known');
  const { document } = await metadataOf(harness);
  const named: unknown = document?.['authorization_servers'];
  const issuers = (Array.isArray(named) ? named : []).filter(
    (one): one is string => typeof one === 'string' && URL.canParse(one),
  );
  const { origin } = harness.http.url;
  const own = issuers.find((one) => new URL(one).origin === origin);
  if (own === undefined) throw new NotApplicable('no authorization server is at its origin');
  return await harness.kept(`metadata of ${own}`, async () => {
    for (const place of serverMetadataUrls(own)) {
      const { pathname } = new URL(place, origin);
      const exchange = await harness.page(pathname);
      const metadata = exchange.status === 200 ? jsonObjectIn(exchange.text) : undefined;
      if (metadata?.['issuer'] === own) return { exchange, metadata };
    }
    throw new NotJudged('metadata of the authorization server were not found');
  });
}

const registers: ProbeRule = {
  id: 'auth-074',
  over: 'http',
  message: 'An authorization server at the same origin registers unknown clients',
  fix: 'serve dynamic registration of clients, and name it as registration_endpoint in the metadata',
  async probe(harness) {
    // The next revision wants documents of clients in its place.
    if (harness.spoken.some((revision) => ordinal(revision) > ordinal(harness.revision)))
      throw new NotApplicable('a newer revision that it speaks leaves that open');
    const { exchange, metadata } = await issuerMetadata(harness);
    return unless(
      typeof metadata['registration_endpoint'] !== 'string',
      exchange,
      'its metadata have no endpoint for it',
    );
  },
};

const takesDocuments: ProbeRule = {
  id: 'auth-058',
  over: 'http',
  message: 'An authorization server at the same origin accepts client ID metadata documents',
  fix: 'take a URL as client_id, and say so by client_id_metadata_document_supported',
  async probe(harness) {
    const { exchange, metadata } = await issuerMetadata(harness);
    const isTaken = metadata['client_id_metadata_document_supported'] === true;
    return unless(!isTaken, exchange, 'its metadata do not say that it does');
  },
};

/** Rules about that authorization server. */
export const sameIssuerRules: readonly ProbeRule[] = [registers, takesDocuments];
