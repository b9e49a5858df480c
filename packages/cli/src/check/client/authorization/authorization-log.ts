import { monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import { ClientDocuments } from './documents.ts';
import type { Scenario } from './scenarios.ts';

/** Kind of requested resource; `astray` means an address that a client should not request. */
export type AuthorizationLogPlace =
  | 'endpoint'
  | 'resource-metadata'
  | 'server-metadata'
  | 'register'
  | 'authorize'
  | 'token'
  | 'astray'
  | 'other';

/** Request that was made in a scenario, and its answer. */
export interface AuthorizationLogStep {
  readonly place: AuthorizationLogPlace;
  readonly method: string;
  /** The URL, in one piece. */
  readonly url: URL;
  /** Headers by their names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parameters of the page, of the form or of the JSON; the message of JSON-RPC at the endpoint. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Issuer at which it was asked. */
  readonly issuer?: string;
  /** True where a token was good, and the connection or the session had brought one before. */
  readonly isAfterToken?: boolean;
  readonly status: number;
  /** Moment at which it came, by the clock that never jumps, in milliseconds. */
  readonly at: number;
  /** The same by the clock of this machine, by which assertions expire. */
  readonly clock: number;
  /** Body of the answer, or where it sent. */
  readonly came: string;
}

/** Limits of the steps that are remembered of a scenario: their number, and the characters that came with them. */
const most = { steps: 2_000, characters: 32 * 1024 ** 2 };

/** Everything that was asked in one scenario, in its order. */
export class AuthorizationLog {
  readonly scenario: Scenario;
  /** URL of the server of MCP, which is the resource. */
  readonly resource: string;
  /** Issuers of the scenario, in the order of the metadata. */
  readonly issuers: readonly string[];
  /** Metadata documents of the client. */
  readonly documents: ClientDocuments;
  readonly steps: AuthorizationLogStep[] = [];
  /** The revision that the client spoke last. */
  revision: Revision | undefined;
  /** Ids that were given to clients, by their issuer, with what they were registered with. */
  readonly clients: Map<string, ScenarioClient> = new Map();
  /** Tokens that were given, by their text. */
  readonly tokens: Map<string, GivenToken> = new Map();
  readonly refreshTokens: Map<string, GivenToken> = new Map();
  readonly codes: Map<string, GivenCode> = new Map();
  /** Codes that were exchanged. */
  readonly usedCodes: Set<string> = new Set();
  /** Tools that were called with a token that was good for it. */
  readonly called: Set<string> = new Set();
  /** True where the client came to its end: what it did not do by then it does not do. */
  isOver = false;
  #size = 0;
  #lastAt = monotonicNow();

  constructor(
    scenario: Scenario,
    resource: string,
    issuers: readonly string[],
    documents: ClientDocuments = new ClientDocuments(),
  ) {
    this.scenario = scenario;
    this.documents = documents;
    this.resource = resource;
    this.issuers = issuers;
  }

  /** Remembers a step. @param size The characters of its body. */
  add(step: Omit<AuthorizationLogStep, 'at' | 'clock'>, size: number): void {
    if (this.steps.length >= most.steps || this.#size > most.characters) return;
    this.#size += size + step.url.href.length;
    this.#lastAt = monotonicNow();
    this.steps.push({ ...step, at: this.#lastAt, clock: Date.now() });
  }

  /** Time since something was asked, in milliseconds. */
  get silence(): number {
    return monotonicNow() - this.#lastAt;
  }

  /** Steps at a place. */
  at(...places: readonly AuthorizationLogPlace[]): readonly AuthorizationLogStep[] {
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
  /** True where it goes with proofs of a key. */
  readonly isBound?: true;
  isOver: boolean;
}

/** Code that was given. */
export interface GivenCode {
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly challenge: string | undefined;
}
