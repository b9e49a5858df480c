import { after, settledWithin } from '../../../jsonrpc/timeout.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { Bus, Unsubscribe } from '../../../storage/bus.ts';
import { insistent, type InsistentBus } from '../../../connection/relay/insistent.ts';
import { unansweredBefore, wordsOf } from '../../failure.ts';
import { ownerOf } from '../../../auth/common/owner.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { AboutTask } from '../forms.ts';
import { reachHolder, shareResult } from './elsewhere.ts';
import { HeldResult } from './held-result.ts';

/** Limits of the results that wait: of one principal, or one address, and of all. */
const maxOfOne = 32;
const most = 1_000;

/** Time that a bus may take before a client is answered without it, in milliseconds. */
const busPatienceMs = 5_000;

/** Time that the first question of a task may take to come, in milliseconds. */
const questionMs = 1_000;

/** Key of a question that a bridge asks: the process, the result, and the question. */
const keyForm = /^([0-9a-f]{8})-\d+-\d+$/;

/** Options of results that are held. */
export interface HeldResultsOptions {
  /** Time for which a client may stay away from a task that asks it, in milliseconds. */
  readonly ttlMs: number;
  /** Reaches results that other processes hold. */
  readonly bus?: Bus | undefined;
  onWarning(message: string): void;
}

interface Entry {
  readonly held: HeldResult;
  /** Settled when other processes can reach it, or cannot. */
  readonly shared: Promise<unknown>;
  readonly owner: string | undefined;
  forget(): void;
}

/** The results that are asked for while their tasks wait for input, by the ids that clients know. */
export class HeldResults {
  readonly #entries = new Map<string, Entry>();
  readonly #options: HeldResultsOptions;
  readonly #bus: InsistentBus | undefined;
  /** Beginning of the keys of all questions that are asked through this process. */
  readonly #here = crypto.randomUUID().slice(0, 8);
  #count = 0;

  constructor(options: HeldResultsOptions) {
    this.#options = options;
    this.#bus = options.bus && insistent(options.bus);
  }

  /** The held result of a task whose client just came. */
  of(id: string): HeldResult | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    entry.forget();
    entry.forget = this.#forgetting(entry.held);
    return entry.held;
  }

  /**
   * Finds the questions of a task, which another process may hold. If none does, this process holds its result.
   *
   * @throws McpError busy if too many results are held.
   */
  async asked(
    id: string,
    taskId: string,
    from: { readonly call: AboutTask; readonly upstream: Upstream },
  ): Promise<JsonObject> {
    const elsewhere = this.of(id) === undefined ? await this.#reach(id) : undefined;
    if (elsewhere !== undefined) return elsewhere;
    const held = this.of(id) ?? this.begin(id, taskId, from);
    await held.some(questionMs);
    // A client that gets a question may send its answer to another process at once.
    await settledWithin(busPatienceMs, this.#entries.get(id)?.shared ?? Promise.resolve());
    return held.inputRequests;
  }

  /**
   * Delivers answers to the questions, here and in other processes.
   *
   * @returns True if no answer was lost. Answers to unknown questions may be ignored.
   */
  async answer(id: string, responses: JsonObject): Promise<boolean> {
    this.of(id)?.answer(responses);
    const others = Object.fromEntries(Object.entries(responses).filter(([key]) => this.#isOfOthers(key)));
    return Object.keys(others).length === 0 || (await this.#reach(id, others)) !== undefined;
  }

  /**
   * Begins to wait for the result of a task that asks its client.
   *
   * @throws McpError busy when too many wait.
   */
  begin(
    id: string,
    taskId: string,
    { call, upstream }: { readonly call: AboutTask; readonly upstream: Upstream },
  ): HeldResult {
    const owner = ownerOf(call.auth?.principal, call.address);
    const own = [...this.#entries.values()].filter((entry) => entry.owner === owner).length;
    if (own >= maxOfOne || this.#entries.size >= most)
      throw unansweredBefore(`${own} tasks wait for answers already; answer some of them`);
    const held = new HeldResult(taskId, { facts: call.facts, client: call.client }, `${this.#here}-${++this.#count}`);
    const unshare = this.#share(id, held);
    const entry: Entry = { held, owner, shared: unshare, forget: this.#forgetting(held) };
    this.#entries.set(id, entry);
    const over = (): void => {
      entry.forget();
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      held.end('the task asks nothing any more');
      // If unsubscribing fails, messages for this result are ignored.
      void unshare.then((end) => end?.()).catch(() => undefined);
    };
    void hold(held, taskId, { call, upstream }).then(over, over);
    held.over.signal.addEventListener('abort', over);
    return held;
  }

  /** Gives every one up. */
  close(): void {
    for (const { held } of this.#entries.values()) held.end('the bridge is closed');
    this.#bus?.close();
  }

  async #share(id: string, held: HeldResult): Promise<Unsubscribe | undefined> {
    const bus = this.#bus;
    const { onWarning } = this.#options;
    if (bus === undefined) return undefined;
    const failed = (error: unknown): void =>
      onWarning(`a task's question cannot be answered through another process: ${wordsOf(error)}`);
    const look = async (): Promise<JsonObject> => {
      this.of(id);
      await held.some(questionMs);
      return held.inputRequests;
    };
    const take = (responses: JsonObject): JsonObject | undefined => {
      this.of(id);
      if (!Object.keys(responses).some((key) => processOf(key) === this.#here)) return undefined;
      held.answer(responses);
      return held.inputRequests;
    };
    try {
      return await shareResult(bus, id, { look, take, onFailure: failed });
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /** A failing bus does not stop work in this process. */
  async #reach(id: string, responses?: JsonObject): Promise<JsonObject | undefined> {
    const bus = this.#bus;
    const { onWarning } = this.#options;
    try {
      if (bus === undefined) return undefined;
      const asked = reachHolder(bus, id, responses);
      if (await settledWithin(2 * busPatienceMs, asked)) return await asked;
      throw new Error(`the bus did not answer within ${2 * busPatienceMs} ms`);
    } catch (error) {
      onWarning(`another process could not be reached for a task's questions: ${wordsOf(error)}`);
      return undefined;
    }
  }

  #isOfOthers(key: string): boolean {
    const other = processOf(key);
    return other !== undefined && other !== this.#here;
  }

  #forgetting(held: HeldResult): () => void {
    return after(this.#options.ttlMs, () => held.end('the client did not come back with its answers in time'));
  }
}

/** The process through which a question was asked; `undefined` for a key that no bridge made. */
function processOf(key: string): string | undefined {
  return keyForm.exec(key)?.[1];
}

/**
 * Requests the result only to keep the task's questions coming. Its outcome is dropped: clients request it again, since
 * it may come while no client is there.
 */
async function hold(
  held: HeldResult,
  taskId: string,
  { call, upstream }: { readonly call: AboutTask; readonly upstream: Upstream },
): Promise<void> {
  const leave = upstream.asking.answering(taskId, (method, params, signal) => held.ask(method, params, signal));
  const { signal } = held.over;
  try {
    await upstream.during((client) =>
      client.request('tasks/result', { taskId }, { timeoutMs: 0, signal, caller: call.auth }),
    );
  } finally {
    leave();
  }
}
