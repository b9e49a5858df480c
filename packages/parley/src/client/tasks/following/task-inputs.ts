import { ConnectionError } from '../../../jsonrpc/transport.ts';
import type { ClientCapabilities } from '../../../protocol/capability.ts';
import type { InputRequest, InputRequests, InputResponse, InputResponses } from '../../../protocol/features/rounds.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { maxAtOnce } from '../../connection/open-channel.ts';
import { answerInput, malformation, obstacle } from '../../input/answering.ts';
import type { Inputs } from '../../input/inputs.ts';

/** Limit of inputs that one task may want in all: more is no task for people. */
const maxKeys = 1_000;

/** Parts that the inputs of a task need. */
export interface TaskInputsOptions {
  readonly inputs: Inputs;
  /** Capabilities that the server knows of. */
  readonly capabilities: ClientCapabilities | undefined;
  readonly answered: readonly string[];
  revision(): Revision;
  /** An answer is ready to be delivered. */
  ready(): void;
  /** A handler is running, or none is any more. */
  asks(isAsking: boolean): void;
  /** A handler failed. */
  failed(error: unknown): void;
}

/**
 * Inputs that a task of the extension wants. Each key is requested once, and its answer is kept until the server has
 * it. (Spec ext-tasks, Providing input: keys are deduplicated, and treated as if they were asked for directly.)
 */
export class TaskInputs {
  /** The keys that the server has the answers to. */
  readonly answered: Set<string>;
  readonly #options: TaskInputsOptions;
  readonly #asking = new Map<string, AbortController>();
  readonly #ready = new Map<string, InputResponse>();

  constructor(options: TaskInputsOptions) {
    this.#options = options;
    this.answered = new Set(options.answered);
  }

  /** Tells whether there are answers that the server does not have yet. */
  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  /** Tells whether a handler is running now. */
  get isAsking(): boolean {
    return this.#asking.size > 0;
  }

  /**
   * Runs handlers for open questions that are new, and aborts those for questions that are no longer open.
   *
   * @returns The reason why no handler here can answer, if so; then no new handler runs.
   * @throws ConnectionError for a question that cannot be asked.
   */
  take(open: InputRequests): string | undefined {
    for (const [key, asking] of this.#asking) if (!Object.hasOwn(open, key)) this.#withdraw(key, asking);
    const fresh = Object.entries(open).filter(([key]) => !this.#isKnown(key));
    if (fresh.length === 0) return undefined;
    if (this.answered.size + this.#ready.size + this.#asking.size + fresh.length > maxKeys)
      throw new ConnectionError('too-large', `the task wants more than ${maxKeys} inputs`);
    const why = this.#obstacle(fresh);
    if (why === undefined) for (const [key, request] of fresh) void this.#ask(key, request);
    return why;
  }

  /** Sends the ready answers to the server with the given function. */
  async deliver(send: (responses: InputResponses) => Promise<void>): Promise<void> {
    const responses = Object.fromEntries(this.#ready);
    await send(responses);
    for (const key of Object.keys(responses)) this.delivered(key);
  }

  /** The server has the answer to a key. */
  delivered(key: string): void {
    this.answered.add(key);
    this.#ready.delete(key);
    const asking = this.#asking.get(key);
    if (asking !== undefined) this.#withdraw(key, asking);
  }

  /** Drops the questions that the server no longer asks. */
  discard(): void {
    this.#ready.clear();
  }

  /** Aborts all handlers. Open questions may be asked again. */
  stop(): void {
    for (const [key, asking] of this.#asking) this.#withdraw(key, asking);
  }

  #isKnown(key: string): boolean {
    return this.answered.has(key) || this.#ready.has(key) || this.#asking.has(key);
  }

  #obstacle(fresh: readonly (readonly [string, InputRequest])[]): string | undefined {
    const { inputs, capabilities = inputs.capabilities } = this.#options;
    if (fresh.length + this.#asking.size > maxAtOnce)
      return `it asks ${fresh.length + this.#asking.size} things at once, and at most ${maxAtOnce} are answered`;
    for (const [key, request] of fresh) {
      const why = obstacle(inputs, request, capabilities);
      if (why !== undefined) return why;
      const problem = malformation(request);
      if (problem !== undefined)
        throw new ConnectionError(
          'invalid-message',
          `the task wants a malformed input ${JSON.stringify(key.slice(0, 64))}: ${problem}`,
        );
    }
    return undefined;
  }

  async #ask(key: string, request: InputRequest): Promise<void> {
    const { inputs, revision, ready, asks, failed } = this.#options;
    const asking = new AbortController();
    this.#asking.set(key, asking);
    if (this.#asking.size === 1) asks(true);
    const signal = AbortSignal.any([asking.signal, inputs.stopped]);
    try {
      const response = await answerInput(inputs, request, { revision: revision(), signal });
      if (signal.aborted) return;
      this.#asked(key);
      this.#ready.set(key, response);
      ready();
    } catch (error) {
      if (signal.aborted) return;
      this.#asked(key);
      failed(error);
    }
  }

  #asked(key: string): void {
    if (this.#asking.delete(key) && this.#asking.size === 0) this.#options.asks(false);
  }

  #withdraw(key: string, asking: AbortController): void {
    this.#asked(key);
    asking.abort(new ConnectionError('aborted', 'the task does not want this input any more'));
  }
}
