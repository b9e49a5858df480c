import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { StartTaskOptions } from '../../../../parley/src/client/api/task-handle.ts';
import { compileSchema } from '../../../../parley/src/schema/json-schema.ts';
import { SchemaError } from '../../../../parley/src/schema/document.ts';
import { nearestOf } from '../../../../parley/src/schema/usable/nearest.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { settledWithin } from '../../../../parley/src/jsonrpc/timeout.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import type { LoggingLevel } from '../../../../parley/src/protocol/features/logging-level.ts';
import { VerbError } from '../http/body.ts';
import type { CallKind, CallView, JsonView, OutcomeView, ProblemView } from '../view.ts';
import type { Shared } from './shared.ts';

/** PersonsCalls that are remembered, and results among them: the oldest that ended make way. */
const most = { calls: 200, running: 64, characters: 64 * 1024 ** 2 };

/** Use of a server that is wanted. */
export interface WantedCall {
  readonly server: string;
  readonly kind: CallKind;
  readonly name: string;
  readonly text: string;
  readonly value: JsonView;
  /** Schema of structured content, where the tool has one. */
  readonly outputSchema?: unknown;
  readonly logLevel?: LoggingLevel | undefined;
  readonly ttlMs?: number | undefined;
  /** True where the answer to a plain call may be a task, which is followed as one. */
  readonly mayBeTask?: boolean;
  /** Time for each request, in milliseconds; none where it is left out or 0. */
  readonly timeoutMs?: number | undefined;
  readonly meta?: JsonView | undefined;
  /** Takes out of a text what is secret. */
  hidden(text: string): string;
  /** The same for a value. */
  shown<T>(value: T): T;
  /** Finds the row of the request that was sent since. */
  rowSince(began: number): number | undefined;
}

interface RunningCall {
  view: CallView;
  /** Settles when it ended. */
  over: Promise<void>;
  readonly controller: AbortController;
  outcome?: OutcomeView;
  size: number;
}

/** Uses of all servers: each runs until its answer comes or the person cancels it. */
export class PersonsCalls {
  readonly #shared: Shared;
  readonly #calls = new Map<number, RunningCall>();
  #count = 0;
  #characters = 0;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** PersonsCalls of a server that run. */
  runningAt(server: string): readonly CallView[] {
    return [...this.#calls.values()]
      .map(({ view }) => view)
      .filter((view) => view.server === server && view.state === 'running');
  }

  /** Begins one. @throws VerbError where too many run. */
  begin(client: Client, wanted: WantedCall): CallView {
    const running = [...this.#calls.values()].filter(({ view }) => view.state === 'running').length;
    if (running >= most.running) throw new VerbError(429, `${running} calls run already; cancel one, or wait`);
    const { server, kind, name, text } = wanted;
    const id = ++this.#count;
    const call: RunningCall = {
      view: {
        id,
        server,
        kind,
        name: wanted.shown(name),
        text: wanted.hidden(text),
        state: 'running',
        began: this.#shared.now(),
      },
      controller: new AbortController(),
      over: Promise.resolve(),
      size: 0,
    };
    this.#calls.set(id, call);
    this.#tell(call);
    call.over = this.#run(client, call, wanted);
    this.#leave();
    return call.view;
  }

  /** Cancels one; one that ended stays as it is. */
  cancel(id: number): void {
    this.#open(id).controller.abort(new Error('cancelled by the person'));
  }

  /** Waits until those of a server that run now have ended, but no longer than a time. @returns Whether they have. */
  async ended(server: string, ms: number): Promise<boolean> {
    const running = [...this.#calls.values()].filter(({ view }) => view.server === server && view.state === 'running');
    return await settledWithin(ms, Promise.all(running.map(({ over }) => over)));
  }

  /** Cancels all of a server. */
  cancelAll(server: string): void {
    for (const { id } of this.runningAt(server)) this.cancel(id);
  }

  /** End of one; `undefined` while it runs. @throws VerbError where it is forgotten. */
  outcome(id: number): OutcomeView | undefined {
    return this.#open(id).outcome;
  }

  #open(id: number): RunningCall {
    const call = this.#calls.get(id);
    if (call === undefined) throw new VerbError(410, 'this call is forgotten');
    return call;
  }

  #tell(call: RunningCall): void {
    this.#shared.feed.keep(`call ${call.view.id}`, { kind: 'call', call: call.view });
  }

  #change(call: RunningCall, more: Partial<CallView>): void {
    call.view = { ...call.view, ...more };
    this.#tell(call);
  }

  async #run(client: Client, call: RunningCall, wanted: WantedCall): Promise<void> {
    const { signal } = call.controller;
    let state: CallView['state'] = 'done';
    try {
      const result = await use(client, wanted, {
        signal,
        now: () => this.#shared.now(),
        change: (more) => this.#change(call, wanted.shown(more)),
      });
      const structured = result['structuredContent'];
      const problems =
        wanted.outputSchema === undefined || result['isError'] === true
          ? undefined
          : await problemsOf(wanted.outputSchema, structured);
      call.outcome = { result, ...(problems === undefined ? {} : { problems }) };
    } catch (error) {
      state = signal.aborted ? 'cancelled' : 'failed';
      call.outcome = { error: errorView(error, this.#shared.words) };
    }
    const shown = shownOutcome(call.outcome, wanted);
    call.outcome = shown.outcome;
    call.size = shown.size;
    this.#characters += call.size;
    const row = wanted.rowSince(call.view.began);
    this.#change(call, { state, ms: this.#shared.now() - call.view.began, ...(row === undefined ? {} : { row }) });
    this.#leave();
  }

  #leave(): void {
    for (const [id, { view, size }] of this.#calls) {
      if (this.#calls.size <= most.calls && this.#characters <= most.characters) return;
      if (view.state === 'running') continue;
      this.#calls.delete(id);
      this.#characters -= size;
      this.#shared.feed.drop(`call ${id}`);
    }
  }
}

/** An outcome without what is secret: texts were replaced in it, and the shape stayed. It does not throw, whatever a server sent. */
function shownOutcome(
  outcome: OutcomeView,
  { hidden }: Pick<WantedCall, 'hidden'>,
): { readonly outcome: OutcomeView; readonly size: number } {
  try {
    const text = hidden(JSON.stringify(outcome));
    return { outcome: JSON.parse(text) as OutcomeView, size: text.length };
  } catch {
    const message = 'the result is too large to be shown, or holds a secret where it cannot be hidden; see the wire';
    return { outcome: { error: { message } }, size: message.length };
  }
}

type Change = (more: Partial<CallView>) => void;

interface Using {
  readonly signal: AbortSignal;
  now(): number;
  change: Change;
}

async function use(client: Client, wanted: WantedCall, { signal, now, change }: Using): Promise<JsonView> {
  const { kind, name, value, logLevel, meta, timeoutMs = 0 } = wanted;
  // A person is asked in between, and takes the time that they take.
  const options = {
    signal,
    timeoutMs,
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(meta === undefined ? {} : { meta }),
  };
  const onProgress = (progress: Omit<NonNullable<CallView['progress']>, 't'>): void =>
    change({ progress: { ...progress, t: now() } });
  switch (kind) {
    case 'tool':
      if (wanted.mayBeTask === true) return await asTask(client, wanted, { ...options, onProgress }, change);
      return { ...(await client.callTool(name, value, { ...options, onProgress })) };
    case 'task':
      return await asTask(client, wanted, { ...options, onProgress }, change);
    case 'prompt':
      return { ...(await client.getPrompt(name, texts(value), options)) };
    case 'resource':
      return { ...(await client.readResource(name, { ...options, cache: 'refresh' })) };
    case 'request':
      return await client.request(name, value, { ...options, onProgress, resultTypes: ['input_required', 'task'] });
  }
}

async function asTask(
  client: Client,
  { name, value, ttlMs }: WantedCall,
  options: StartTaskOptions & { readonly signal: AbortSignal },
  change: Change,
): Promise<JsonView> {
  const handle = await client.startTask(name, value, { ...options, ...(ttlMs === undefined ? {} : { ttlMs }) });
  const { reference } = handle;
  if (reference === undefined) return { ...(await handle.result({ signal: options.signal })) };
  const tell = async (): Promise<void> => {
    for await (const { status, statusMessage, ttlMs: ttl, createdAt } of handle.updates({ signal: options.signal }))
      change({
        task: {
          id: reference.taskId,
          status,
          ...(statusMessage === undefined ? {} : { message: statusMessage }),
          ...(ttl === null || Number.isNaN(Date.parse(createdAt)) ? {} : { keptUntil: Date.parse(createdAt) + ttl }),
        },
      });
  };
  try {
    await tell();
    return { ...(await handle.result({ signal: options.signal })) };
  } catch (error) {
    // Who gives a task up lets the server know, as with a call.
    if (options.signal.aborted) await handle.cancel().catch(() => {});
    throw error;
  }
}

function texts(value: JsonView): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, typeof part === 'string' ? part : JSON.stringify(part)]),
  );
}

/** Holds a value against a schema of a stranger. */
export async function problemsOf(schema: unknown, value: unknown): Promise<readonly ProblemView[]> {
  if (value === undefined) return [{ path: '', message: 'there is no structured content, which the tool promised' }];
  try {
    const { read } = nearestOf(schema) ?? {};
    const compiled = await compileSchema(read?.schema ?? schema);
    return compiled.check(value).map(({ path, message }) => ({ path, message }));
  } catch (error) {
    if (error instanceof SchemaError) return [{ path: '', message: `the schema is unusable: ${error.message}` }];
    throw error;
  }
}

function errorView(error: unknown, words: (error: unknown) => string): NonNullable<OutcomeView['error']> {
  if (error instanceof McpError)
    return { message: error.message, code: error.code, ...(error.data === undefined ? {} : { data: error.data }) };
  const advice = isObject(error) && error['reason'] === 'timeout' ? 'it was silent; look at its log' : undefined;
  return { message: words(error), ...(advice === undefined ? {} : { advice }) };
}
