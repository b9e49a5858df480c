/** Knowledge of an authorization server: its metadata and its keys. */

import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { fetchDocument, type FetchContext } from '../common/document.ts';
import { AuthorizationError } from '../common/errors.ts';
import { readServerMetadata, type ServerMetadata } from '../common/metadata.ts';
import { serverMetadataUrls } from '../common/well-known.ts';
import { Fresh } from './fresh.ts';
import { metadataOfOther } from './other-issuer.ts';
import type { IssuerSettings } from './issuer-options.ts';
import { Waits } from './waits.ts';

/** Time that all requests for one document may take together, in milliseconds. */
const discoveryMs = 30_000;

/** The metadata of an authorization server, with the original document. */
export interface FoundMetadata {
  readonly metadata: ServerMetadata;
  readonly document: unknown;
}

/** Way of fetching documents of authorization servers. */
export type Fetching = Omit<FetchContext, 'signal'>;

/** An authorization server, as a protected resource sees it. */
export class Issuer {
  readonly settings: IssuerSettings;
  readonly fetching: Fetching;
  /** Its metadata. */
  readonly metadata: Fresh<FoundMetadata>;
  /** Its keys, which are looked up by the header of a token. */
  readonly keys: Fresh<JWTVerifyGetKey>;
  /** The requests that ask it about their tokens. */
  readonly waits: Waits = new Waits();

  /** @param onFailure Receives the reason of a failed fetch, also if an earlier result is used. */
  constructor(settings: IssuerSettings, fetching: Fetching, now: () => number, onFailure: (cause: unknown) => void) {
    this.settings = settings;
    this.fetching = fetching;
    this.metadata = new Fresh(() => discover(settings, fetching), now, onFailure);
    this.keys = new Fresh(() => this.#fetchKeys(), now, onFailure);
  }

  async #fetchKeys(): Promise<JWTVerifyGetKey> {
    const { issuer } = this.settings;
    const url = this.settings.jwksUri ?? (await this.metadata.get()).metadata.jwksUri;
    if (url === undefined)
      throw new AuthorizationError('discovery', `the metadata of ${issuer} names no jwks_uri; give it as jwksUri`, {
        issuer,
      });
    const found = await fetchDocument(url, `the keys of ${issuer}`, context(this.fetching));
    if (found.value === undefined)
      throw new AuthorizationError('discovery', `there are no keys of ${issuer} at ${url.split('?', 1)[0]}`, {
        issuer,
      });
    // It rejects an invalid key set itself.
    return createLocalJWKSet(found.value as JSONWebKeySet);
  }
}

/** The bounds of one request of ours. */
export function context(fetching: Fetching): FetchContext {
  return { ...fetching, signal: AbortSignal.timeout(discoveryMs) };
}

/** Finds the metadata of an issuer, which must name it. (RFC 8414, sections 3 and 3.3.) */
async function discover({ issuer, names }: IssuerSettings, fetching: Fetching): Promise<FoundMetadata> {
  const within = context(fetching);
  for (const url of serverMetadataUrls(issuer)) {
    const found = await fetchDocument(url, `the metadata of ${issuer}`, within);
    if (found.value === undefined) continue;
    const metadata = readServerMetadata(found.value, url);
    if (!names.has(metadata.issuer)) throw metadataOfOther(url, metadata.issuer, issuer);
    return { metadata, document: found.value };
  }
  throw new AuthorizationError('discovery', `there is no metadata of ${issuer}`, { issuer });
}
