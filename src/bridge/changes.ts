import type { Client } from '../client/client.ts';
import { after } from '../jsonrpc/timeout.ts';
import type { Settled } from '../peer/host.ts';
import { revisionOf } from '../protocol/revision.ts';
import type { SubscriptionFilter } from '../protocol/subscriptions.ts';
import { Subscriptions, type ListKind } from '../server/subscriptions.ts';

const kinds: ReadonlyMap<string, ListKind> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/resources/list_changed', 'resources'],
  ['notifications/prompts/list_changed', 'prompts'],
]);

const firstDelayMs = 1000;
const longestDelayMs = 30_000;

/** Carries changes of the upstream's lists to the clients that may know of them. */
export class Changes {
  readonly subscriptions: Subscriptions = new Subscriptions({ resourcesPerClient: 0, listeners: 10_000 });
  readonly #warn: (message: string) => void;
  readonly #stopped = new AbortController();
  #perSession = false;
  #cancelRetry: () => void = () => undefined;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Begins to follow an upstream, on the connection that calls share. */
  follow(open: () => Promise<Client>, client: Client): void {
    // A handshake upstream tells each session of its own lists; a stateless one is asked once for everybody.
    this.#perSession = revisionOf(client.revision)?.era === 'handshake';
    if (!this.#perSession) void this.#listen(open, client, firstDelayMs);
  }

  opened(session: Settled): void {
    if (!this.#perSession) this.subscriptions.opened(session);
  }

  closed(session: Settled): void {
    this.subscriptions.closed(session);
  }

  /** A notification of the upstream; `session` is the downstream session whose own connection it came on. */
  heard(method: string, params: Readonly<Record<string, unknown>>, session: Settled | undefined): void {
    const kind = kinds.get(method);
    if (kind === undefined) return;
    if (session === undefined) this.subscriptions.listChanged(kind);
    else session.notify(method, params);
  }

  stop(): void {
    this.#stopped.abort();
    this.#cancelRetry();
    this.subscriptions.end();
  }

  /** Keeps one listen stream open; after a drop it is opened again, ever more slowly. */
  async #listen(open: () => Promise<Client>, client: Client, delayMs: number): Promise<void> {
    const notifications = filterOf(client);
    if (Object.keys(notifications).length === 0 || this.#stopped.signal.aborted) return;
    let next = delayMs;
    try {
      await client.request('subscriptions/listen', { notifications }, { timeoutMs: 0, signal: this.#stopped.signal });
      next = firstDelayMs;
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      this.#warn(`the upstream's changes cannot be followed: ${error instanceof Error ? error.message : 'unknown failure'}`);
    }
    this.#cancelRetry = after(next, () => {
      void open().then(
        (again) => this.#listen(open, again, Math.min(next * 2, longestDelayMs)),
        () => this.#listen(open, client, Math.min(next * 2, longestDelayMs)),
      );
    });
  }
}

function filterOf({ capabilities }: Client): SubscriptionFilter {
  return {
    ...(capabilities.tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(capabilities.prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    ...(capabilities.resources?.listChanged === true ? { resourcesListChanged: true } : {}),
  };
}
