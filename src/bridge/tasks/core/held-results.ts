import type { Call } from '../../../host/call.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { McpError } from '../../../protocol/error.ts';
import { ownerOf } from '../../upstream/wanted.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { HeldResult } from './held-result.ts';

/** Limits of the results that wait: of one principal, or one address, and of all. */
const mostOfOne = 32;
const most = 1_000;

interface Entry {
  readonly held: HeldResult;
  readonly owner: string | undefined;
  forget(): void;
}

/** The results that are asked for while their tasks wait for input, by the ids that clients know. */
export class HeldResults {
  readonly #entries = new Map<string, Entry>();
  readonly #ttlMs: number;

  /** @param ttlMs Time that a client may stay away from a task that asks it, in milliseconds. */
  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** The one of a task, whose client has just come. */
  of(id: string): HeldResult | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    entry.forget();
    entry.forget = this.#forgetting(entry.held);
    return entry.held;
  }

  /**
   * Begins to wait for the result of a task that asks its client.
   *
   * @throws McpError busy when too many wait.
   */
  begin(
    id: string,
    taskId: string,
    { call, upstream }: { readonly call: Call; readonly upstream: Upstream },
  ): HeldResult {
    const owner = ownerOf(call.auth?.principal, call.address);
    const own = [...this.#entries.values()].filter((entry) => entry.owner === owner).length;
    if (own >= mostOfOne || this.#entries.size >= most)
      throw new McpError('busy', `${own} tasks wait for answers already; answer some of them`);
    const held = new HeldResult(taskId, { facts: call.facts, client: call.client });
    const entry: Entry = { held, owner, forget: this.#forgetting(held) };
    this.#entries.set(id, entry);
    const over = (): void => {
      entry.forget();
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      held.end('the task asks nothing any more');
    };
    void hold(held, taskId, { call, upstream }).then(over, over);
    held.over.signal.addEventListener('abort', over, { once: true });
    return held;
  }

  /** Gives every one up. */
  close(): void {
    for (const { held } of this.#entries.values()) held.end('the bridge is closed');
  }

  #forgetting(held: HeldResult): () => void {
    return after(this.#ttlMs, () => held.end('the client did not come back with its answers in time'));
  }
}

/** Asks for the result; what it is is asked for again by whoever wants it, since it may come when nobody is there. */
async function hold(
  held: HeldResult,
  taskId: string,
  { call, upstream }: { readonly call: Call; readonly upstream: Upstream },
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
