import type { NetworkRules } from '../../../../../parley/src/auth/common/network.ts';
import type { JsonDocument } from './document.ts';
import type { UrlLookup } from './look.ts';
import type { ExplainedRefusal, ExplainedResource, ExplainedServer } from './report.ts';

/** All findings, before the rules run. */
export interface Findings {
  readonly server: URL;
  readonly rules: NetworkRules;
  readonly refusals: readonly ExplainedRefusal[];
  readonly resource: FoundResource;
  readonly root: UrlLookup;
  readonly servers: readonly FoundServer[];
  readonly moreServers: number;
}

/** The search for the resource metadata. */
export interface FoundResource {
  /** The URL that a challenge named, as it came. */
  readonly named: string | undefined;
  readonly looked: readonly UrlLookup[];
  readonly foundBy?: ExplainedResource['foundBy'];
  readonly document?: JsonDocument | undefined;
}

/** The search for the metadata of one authorization server. */
export interface FoundServer {
  readonly issuer: string;
  readonly namedBy: ExplainedServer['namedBy'];
  readonly looked: readonly UrlLookup[];
  readonly document?: JsonDocument | undefined;
}
