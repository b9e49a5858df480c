/** Language of the page and its process: verbs that are posted, and lines that are fed back. */

import type { LoggingLevel } from '../../../parley/src/protocol/features/logging-level.ts';
import type { Lane } from '../recorder/entry.ts';

/** JSON object, as it came. */
export type JsonView = Readonly<Record<string, unknown>>;

/** State of a connection. */
export type ServerState = 'closed' | 'connecting' | 'connected' | 'failed' | 'recording';

/** A step towards a connection that failed. */
export interface StepView {
  readonly words: string;
  /** Text that came, where it says more than the words. */
  readonly text?: string;
  readonly ok: boolean;
}

/** Part of a sign-in. */
export type SignInPart = 'challenge' | 'metadata' | 'issuer' | 'registration' | 'browser' | 'code' | 'token';

/** A step of a sign-in. */
export interface SignInStepView {
  readonly id: number;
  readonly part: SignInPart;
  readonly words: string;
  /** `waits` until the person lets it go. */
  readonly state: 'waits' | 'runs' | 'done' | 'failed';
  /** Row of its request, or of what it came from. */
  readonly row?: number;
  /** True while its page may be opened. */
  readonly hasPage?: boolean;
  /** Ids of the requirements that its answer breaks. */
  readonly broken?: readonly string[];
}

/** Login that is kept of a person; no token is in it. */
export interface LoginView {
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** Name by which the authorization server knows the person. */
  readonly person?: string;
  /** End of the token, in milliseconds since 1970, where it is known. */
  readonly expiresAt?: number;
  /** True where it can be renewed without asking. */
  readonly isRenewable: boolean;
}

/** A folder that the client lets a server know of. */
export interface RootView {
  readonly uri: string;
  readonly name?: string;
}

/** Silence of a server that was connected: since when, and the row that says so. */
export interface SilenceView {
  readonly why: string;
  /** Time since which it is silent, in milliseconds since 1970. */
  readonly t: number;
  readonly row: number;
}

/** Capabilities of a client that the user may switch off. */
export const clientCapabilities = ['elicitation', 'sampling', 'roots', 'tasks', 'apps'] as const;
export type ClientCapability = (typeof clientCapabilities)[number];

/** A server beside the others. */
export interface ServerView {
  /** A letter: `A`, `B`, … */
  readonly id: string;
  readonly name: string;
  /** Command or address, without secrets. */
  readonly address: string;
  readonly kind: 'stdio' | 'http' | 'recording';
  readonly state: ServerState;
  /** Id of its process, while it runs. */
  readonly pid?: number;
  /** Reason of a failure, the tries, and advice. */
  readonly problem?: string;
  /** The line of a crash that says why, if there is one. */
  readonly cause?: string;
  readonly steps?: readonly StepView[];
  readonly advice?: string;
  /** True where a person may sign in. */
  readonly canSignIn: boolean;
  readonly wantsSignIn: boolean;
  /** True where each step of it waits until the person lets it go. */
  readonly pauses: boolean;
  /** Steps of the last sign-in, while it lasts and after it. */
  readonly signIn?: readonly SignInStepView[];
  /** Stored login; left out if no user signed in. */
  readonly login?: LoginView;
  /** Revision that is spoken, and the one that was asked for. */
  readonly revision?: string;
  readonly wanted: string;
  readonly info?: JsonView;
  readonly capabilities?: JsonView;
  readonly instructions?: string;
  /** Level that the server is asked for; empty for none. */
  readonly logLevel: LoggingLevel | '';
  /** True if each request carries the log level, so that a level can be unset. */
  readonly logsOnRequest: boolean;
  readonly roots: readonly RootView[];
  /** Capabilities that are declared to it. */
  readonly declares: readonly ClientCapability[];
  readonly watched: readonly string[];
  /** Rises when what it offers may have changed. */
  readonly version: number;
  /** True where one page of each list is read, and the next when the person wishes it. */
  readonly pagesByOne: boolean;
  /** Names of new or changed items since the last look. */
  readonly news: readonly string[];
  /** Left out where it answers, as far as anything was asked. */
  readonly silent?: SilenceView;
  /** Last row of the connection that ended last: what waited for an answer by then gets none. */
  readonly endedAt?: number;
}

/** Names of the lists of a server. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'templates';

/** Pages of a list that were read, and how long what they hold may be kept. */
export interface PagesView {
  readonly count: number;
  readonly hasMore: boolean;
  /** Time from which `ttlMs` counts, in milliseconds since 1970. */
  readonly t: number;
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** Lists of a server. */
export interface ListsView {
  readonly tools: readonly JsonView[];
  readonly prompts: readonly JsonView[];
  readonly resources: readonly JsonView[];
  readonly templates: readonly JsonView[];
  /** Lists that could not be read, and why. */
  readonly problems: Readonly<Record<string, string>>;
  readonly pages: Readonly<Partial<Record<ListName, PagesView>>>;
}

/** A row of the wire: enough for its line, for which the page holds at most about 200 bytes; texts are asked for. */
export interface RowView {
  readonly n: number;
  /** Time, in milliseconds since 1970. */
  readonly t: number;
  /** Id of the server. */
  readonly s: string;
  readonly c: number;
  readonly from: 'client' | 'server';
  readonly lane: Lane;
  /** Method of a message, request of HTTP, beginning of a text. */
  readonly what: string;
  /** The tool, resource or text that a message is about, as far as it is known. */
  readonly about?: string;
  /** Kind of a message. */
  readonly kind?: 'request' | 'result' | 'error' | 'notice';
  readonly status?: number;
  readonly bytes: number;
  readonly ms?: number;
  readonly pair?: number;
  /** Row that replaced the answer to a request, and row of that request. */
  readonly over?: number;
  /** True if its caller cancelled it. */
  readonly cancelled?: true;
  /** Ids of the requirements that it breaks. */
  readonly broken?: readonly string[];
  /** Ids of the recommendations that it does not follow. */
  readonly advised?: readonly string[];
  readonly problem?: true;
  /** True where it is the result of a tool that says that it failed. */
  readonly failed?: true;
}

/** Kind of a use of a server; a `request` goes out as a person wrote it. */
export type CallKind = 'tool' | 'task' | 'prompt' | 'resource' | 'request';

/** Use of a server that a person began. */
export interface CallView {
  readonly id: number;
  readonly server: string;
  readonly kind: CallKind;
  readonly name: string;
  /** Arguments, as JSON. */
  readonly text: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly began: number;
  readonly ms?: number;
  /** Row of its request. */
  readonly row?: number;
  readonly progress?: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
    /** Time at which it came, in milliseconds since 1970. */
    readonly t: number;
  };
  /** Facts of the task that the server made of it. */
  readonly task?: {
    readonly id: string;
    readonly status: string;
    readonly message?: string;
    /** Time until which the server keeps it, in milliseconds since 1970. */
    readonly keptUntil?: number;
  };
}

/** End of a use: the result, or the error. */
export interface OutcomeView {
  readonly result?: JsonView;
  readonly error?: {
    readonly message: string;
    readonly code?: number;
    readonly data?: unknown;
    readonly advice?: string;
  };
  /** Faults of the structured content by the schema of the tool; `undefined` where it has none. */
  readonly problems?: readonly ProblemView[];
}

/** Something wrong at a place of a value. */
export interface ProblemView {
  /** JSON pointer. */
  readonly path: string;
  readonly message: string;
}

/** A question of a server that waits for the person. */
export interface QuestionView {
  readonly id: number;
  readonly server: string;
  readonly kind: 'form' | 'url' | 'sampling';
  /** Time at which it came, in milliseconds since 1970. */
  readonly t: number;
  /** Row of the message that asks. */
  readonly row?: number;
  /** Name of the call during which it came, where only one runs. */
  readonly during?: string;
  /** True where the request goes out again with the answer. */
  readonly isRound: boolean;
  readonly params: JsonView;
  /** Host of a page to visit, and its oddities. */
  readonly host?: string;
  readonly odd?: readonly string[];
}

/** Line of a log of a server. */
export interface LogView {
  readonly server: string;
  readonly t: number;
  /** Level of the protocol; `stderr` for a line of standard error, which has none. */
  readonly level: string;
  readonly logger?: string;
  readonly text: string;
}

/** A message as its lane shows it: masked, with what it means. */
export interface EntryView {
  readonly n: number;
  readonly entry: JsonView;
  /** True where something in it is hidden that may be shown. */
  readonly hides: boolean;
  readonly curl?: string;
  readonly line?: string;
  readonly broken: readonly RequirementView[];
}

/** A requirement of the specification. */
export interface RequirementView {
  readonly id: string;
  readonly words: string;
  readonly source?: string;
  /** True for what the specification only recommends. */
  readonly isAdvice: boolean;
  /** Fault in this message, and its place, such as `tools/add`. */
  readonly breaks?: string;
  readonly where?: string;
}

/** A message for a client of another revision. */
export interface LensView {
  readonly from: string;
  readonly to: string;
  readonly kind: 'arrives' | 'refused' | 'wrong' | 'bridge' | 'unknown' | 'none';
  readonly why?: string;
  /** The message as it crossed, and as it would arrive. */
  readonly left?: unknown;
  readonly right?: unknown;
  /** Headers of the protocol on a request over HTTP, as they crossed, and as the other client sends them. */
  readonly headers?:
    | { readonly left: Readonly<Record<string, string>>; readonly right: Readonly<Record<string, string>> }
    | undefined;
  readonly changes: readonly {
    readonly path: string;
    readonly kind: string;
    readonly title?: string;
    readonly why?: string;
  }[];
}

/** A request that was played again through a bridge, by a client of another revision. */
export interface TrialView {
  /** Revisions of the client and of the server. */
  readonly client: string;
  readonly server: string;
  readonly ms: number;
  /** Reason why the client got no result. */
  readonly failure?: string;
  readonly steps: readonly TrialStepView[];
  /** Messages that were not kept. */
  readonly left: number;
}

/** A message as it crossed both hops of a conversation through a bridge. */
export interface TrialStepView {
  readonly from: 'client' | 'server';
  readonly what: string;
  /** The message between the client and the bridge, and between the bridge and the server. */
  readonly client?: JsonView;
  readonly server?: JsonView;
  /**
   * The lens compared with reality: the other side got the predicted message, or a different one; the bridge acted by
   * itself there; no prediction; or the message crossed only one hop.
   */
  readonly verdict: 'as-predicted' | 'differs' | 'by-bridge' | 'not-predicted' | 'client-only' | 'server-only';
  /** Words of the lens where the bridge speaks for itself. */
  readonly why?: string;
  readonly changes: LensView['changes'];
  /** Places that are not as they were predicted, and the message as it was. */
  readonly differences: readonly string[];
  readonly predicted?: unknown;
  /** Places of which the bridge speaks for itself. */
  readonly byBridge?: readonly string[];
}

/** An app of a server, before it runs. */
export interface AppSourceView {
  readonly uri: string;
  readonly html: string;
  readonly mimeType: string;
  /** Requested domains, by their kind; and invalid requests. */
  readonly domains: Readonly<Record<string, readonly string[]>>;
  readonly refused: readonly string[];
  /** Things of the browser that it wants; none is given. */
  readonly permissions: readonly string[];
}

/** An app that runs. */
export interface RunningAppView {
  readonly app: string;
  /** Address of the frame around it. */
  readonly frame: string;
  /** Domains that it may reach. */
  readonly allowed: Readonly<Record<string, readonly string[]>>;
}

/** Losses of a client of each revision. */
export interface LossesView {
  readonly client: string;
  readonly server: string;
  readonly changed: number;
  readonly refused: number;
  readonly losses: readonly {
    readonly title: string;
    readonly group: string;
    readonly kind: string;
    readonly why: string;
    readonly seen?: boolean;
  }[];
}

/** A line of the feed. */
export type FeedLine =
  | {
      readonly kind: 'hello';
      readonly version: string;
      readonly isReadOnly: boolean;
      readonly revisions: readonly string[];
      readonly run: string;
    }
  | { readonly kind: 'server'; readonly server: ServerView }
  | { readonly kind: 'gone'; readonly server: string }
  | { readonly kind: 'rows'; readonly rows: readonly RowView[]; readonly version: number }
  | { readonly kind: 'left'; readonly server: string; readonly entries: number; readonly last: number }
  | { readonly kind: 'cleared' }
  | { readonly kind: 'question'; readonly question: QuestionView }
  | { readonly kind: 'answered'; readonly id: number }
  | { readonly kind: 'call'; readonly call: CallView }
  | { readonly kind: 'logs'; readonly logs: readonly LogView[] }
  | { readonly kind: 'updated'; readonly server: string; readonly uri: string };
