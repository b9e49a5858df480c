import { settledWithin } from '../../jsonrpc/timeout.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { relatedTaskOf } from '../tasks/between.ts';
import type { Askers } from './askers.ts';
import { HandedBack, type Carried } from './carried.ts';
import type { Doubt } from './doubt.ts';

/** Time that a question waits with a call whose client is away before that of another call is asked as well. */
export const patienceMs = 20_000;

/** Question of the upstream, and its withdrawal. */
export interface AskedUpstream {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

interface AskingOptions {
  /** Requests that run on the connection, the oldest first, each with its target where its client may be asked. */
  running(): Targets;
  readonly doubt: Doubt;
  readonly askers: Askers;
  /** True when the connection speaks for one client. */
  readonly own: boolean;
}

/** Answers a question of the server. */
type Answering = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

type Able = Carried & Required<Pick<Carried, 'ask'>>;

/** Requests by their targets, the oldest first. */
type Targets = ReadonlyMap<Carried, string | undefined>;

/** Brings what the server of a connection asks, which names no call, to a call that may carry it. */
export class Asking {
  readonly #options: AskingOptions;
  /** Those who answer what tasks ask, by the ids of the tasks. */
  readonly #answering = new Map<string, Answering>();
  /** End of what waits for an answer now. */
  #over = new AbortController();

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  /** Withdraws what waits for an answer, since nothing runs any more that it may be for. */
  over(): void {
    this.#over.abort();
    this.#over = new AbortController();
  }

  /**
   * Answers what a task asks, until it is left.
   *
   * @param taskId The id that the server knows.
   */
  answering(taskId: string, answer: Answering): () => void {
    this.#answering.set(taskId, answer);
    return () => void (this.#answering.get(taskId) === answer && this.#answering.delete(taskId));
  }

  /** @throws McpError when nobody can be asked. */
  async ask({ signal, ...question }: AskedUpstream): Promise<JsonObject> {
    const answer = this.#answering.get(relatedTaskOf(question.params) ?? '');
    if (answer !== undefined) return await answer(question.method, question.params, signal);
    const asked = { ...question, signal: AbortSignal.any([signal, this.#over.signal]) };
    const { doubt, own } = this.#options;
    for (;;) {
      if (doubt.exists && own) return doubt.refuse(asked.method);
      const call = doubt.exists ? undefined : this.#able()[0];
      if (call === undefined)
        throw new McpError('methodNotFound', `nobody can be asked ${JSON.stringify(asked.method.slice(0, 100))} now`);
      try {
        return await this.#answered(call, asked);
      } catch (error) {
        if (!(error instanceof HandedBack) || asked.signal.aborted) throw error;
      }
    }
  }

  /**
   * Remembers whose question this is, where only one thing runs that may ask. In doubt it may be that of anything that
   * runs: each is asked on a connection without doubt the next time.
   */
  learn(): void {
    const { running, doubt, askers } = this.#options;
    const now = new Set([...running().values()].filter((target) => target !== undefined));
    const gone = new Set((doubt.calls ?? []).map(({ target }) => target));
    const targets = now.size === 0 && gone.size === 1 ? gone : now;
    if (!doubt.exists && targets.size > 1) return;
    for (const target of targets) if (target !== undefined) askers.learn(target);
  }

  /**
   * The first answer. A client that has the question may have forgotten its call, and the bridge would not hear of it:
   * so another call of the same client that is waited for brings the question too when the answer takes long.
   */
  async #answered(first: Able, { method, params, signal }: AskedUpstream): Promise<JsonObject> {
    const over = new AbortController();
    const asking = new Map<Carried, Promise<JsonObject>>();
    const ask = (call: Able): unknown =>
      asking.set(call, call.ask(method, params, AbortSignal.any([signal, over.signal])));
    ask(first);
    try {
      for (;;) {
        const answer = Promise.any(asking.values());
        if (await settledWithin(patienceMs, answer)) return await answer;
        const another = this.#another(asking);
        if (another !== undefined && !this.#options.doubt.exists) ask(another);
      }
    } catch (error) {
      // Nobody is left who could answer.
      const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
      throw errors.find((one) => !(one instanceof HandedBack)) ?? errors[0];
    } finally {
      over.abort();
    }
  }

  /** Those that can be asked, the best of them first. */
  #able(): readonly Able[] {
    const running = this.#options.running();
    const able = [...running.keys()].filter((call): call is Able => call.ask !== undefined && !call.signal.aborted);
    return able.toSorted((one, other) => this.#order(one, other, running));
  }

  /**
   * First what is waited for, since a client that is away need not come back; then what is known to ask, then what was
   * asked least so far, the first of them to begin. Calls that each ask once so mostly get their own.
   */
  #order(one: Able, other: Able, running: Targets): number {
    return (
      Number(other.awaited ?? false) - Number(one.awaited ?? false) ||
      Number(this.#isKnown(other, running)) - Number(this.#isKnown(one, running)) ||
      (one.asked ?? 0) - (other.asked ?? 0)
    );
  }

  #another(asking: ReadonlyMap<Carried, unknown>): Able | undefined {
    // What is known to ask and runs may well have asked this: its client takes its time.
    const running = this.#options.running();
    const isTheirs = [...asking.keys()].some((call) => this.#isKnown(call, running));
    return this.#able().find(
      (call) => call.awaited === true && !asking.has(call) && (!isTheirs || this.#isKnown(call, running)),
    );
  }

  #isKnown(call: Carried, running: Targets): boolean {
    return this.#options.askers.has(running.get(call));
  }
}
