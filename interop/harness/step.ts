/** What a client of any language is told to do, and what it says came of it. */

/** One thing to do. Programs read it as JSON, one plan in one line. */
export type Action =
  | { readonly do: 'ping' | 'close' }
  | { readonly do: 'list'; readonly what: 'tools' | 'prompts' | 'resources' | 'templates' }
  | Call
  | { readonly do: 'read'; readonly uri: string }
  | { readonly do: 'prompt'; readonly name: string; readonly arguments: Readonly<Record<string, string>> }
  | { readonly do: 'complete'; readonly prompt: string; readonly argument: string; readonly value: string }
  /** Begins to hear of changes of the tools and of one resource, for the rest of the connection. */
  | { readonly do: 'watch'; readonly uri: string }
  | { readonly do: 'together'; readonly calls: readonly Pick<Call, 'name' | 'arguments'>[] };

/** A call of a tool. */
export interface Call {
  readonly do: 'call';
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Whether progress is wanted. */
  readonly progress?: true;
  /** The least severe log message to hear from now on. */
  readonly level?: 'info';
  /** Whether the call is given up at its first progress. */
  readonly cancel?: true;
  /** What has to be heard before the step is over, in any order; given up after ten seconds. */
  readonly until?: readonly string[];
}

/** A step of the plan. */
export type Step = Action & { readonly id: string };

/**
 * What a program prints about a step, as one line of JSON. Of `result`, `error` and `failed` there is one: the result in
 * the words of the newest revision, the error that the server answered with, or what else went wrong.
 */
export interface Outcome {
  readonly step: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly failed?: string;
  /** What was heard meanwhile: `progress 1/3`, `log info hello`, `updated memo://one`, `tools`, `asked ask`. */
  readonly heard?: readonly string[];
}

/** How a client program reaches its server. */
export type Target =
  | { readonly transport: 'stdio'; readonly command: readonly string[] }
  | { readonly transport: 'http' | 'sse'; readonly url: string };

/** The line that a client program reads on its standard input. */
export interface Assignment<Todo extends { readonly id: string } = Step> {
  readonly target: Target;
  readonly steps: readonly Todo[];
}
