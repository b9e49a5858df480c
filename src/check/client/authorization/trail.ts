import type { Revision } from '../../../protocol/revision.ts';
import type { Scenario } from './scenarios.ts';

/** TrailPlace at which something was asked for; `astray` is where nobody should look. */
export type TrailPlace =
  | 'endpoint'
  | 'resource-metadata'
  | 'server-metadata'
  | 'register'
  | 'authorize'
  | 'token'
  | 'astray'
  | 'other';

/** Request that was made in a scenario, and its answer. */
export interface TrailStep {
  readonly place: TrailPlace;
  readonly method: string;
  /** The URL, in one piece. */
  readonly url: URL;
  /** Headers by their names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parameters of the page, of the form or of the JSON; the message of JSON-RPC at the endpoint. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Issuer at which it was asked. */
  readonly issuer?: string;
  /** True where the connection had brought an accepted token before. */
  readonly isAfterToken?: boolean;
  readonly status: number;
  /** Body of the answer, or where it sent. */
  readonly came: string;
}

/** Limit of the steps that are remembered of a scenario. */
const mostSteps = 2_000;

/** Everything that was asked in one scenario, in its order. */
export class Trail {
  readonly scenario: Scenario;
  /** URL of the server of MCP, which is the resource. */
  readonly resource: string;
  /** Issuers of the scenario, the first that is told first. */
  readonly issuers: readonly string[];
  readonly steps: TrailStep[] = [];
  /** The revision that the client spoke last. */
  revision: Revision | undefined;
  /** Ids that were given to clients, by their issuer, with what they were registered with. */
  readonly clients: Map<string, ScenarioClient> = new Map();
  /** Tokens that were given, by their text. */
  readonly tokens: Map<string, GivenToken> = new Map();
  readonly refreshTokens: Map<string, GivenToken> = new Map();
  readonly codes: Map<string, GivenCode> = new Map();
  /** Tools that were called with a token that was good for it. */
  readonly called: Set<string> = new Set();

  constructor(scenario: Scenario, resource: string, issuers: readonly string[]) {
    this.scenario = scenario;
    this.resource = resource;
    this.issuers = issuers;
  }

  /** Remembers a step. */
  add(step: TrailStep): void {
    if (this.steps.length < mostSteps) this.steps.push(step);
  }

  /** Steps at a place. */
  at(...places: readonly TrailPlace[]): readonly TrailStep[] {
    return this.steps.filter(({ place }) => places.includes(place));
  }
}

/** Client that was registered. */
export interface ScenarioClient {
  readonly issuer: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly method: string;
  readonly secret: string | undefined;
}

/** Token that was given. */
export interface GivenToken {
  readonly issuer: string;
  readonly scopes: readonly string[];
  isOver: boolean;
}

/** Code that was given. */
export interface GivenCode {
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly challenge: string | undefined;
}
