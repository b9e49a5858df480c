import { VerbError } from '../http/body.ts';
import { PersonsCalls } from './calls.ts';
import { InspectedServer } from './inspected.ts';
import type { ServerPlan, Shared } from './shared.ts';

/** Most servers side by side. */
export const maxServers = 16;

/** All servers of the page, by their letters. */
export class InspectedServers {
  readonly calls: PersonsCalls;
  readonly #shared: Shared;
  readonly #servers = new Map<string, InspectedServer>();
  #count = 0;

  constructor(shared: Shared) {
    this.#shared = shared;
    this.calls = new PersonsCalls(shared);
  }

  get all(): readonly InspectedServer[] {
    return [...this.#servers.values()];
  }

  /** Adds one; it is not connected yet. @throws VerbError where there are too many. */
  add(plan: ServerPlan): InspectedServer {
    if (this.#servers.size >= maxServers)
      throw new VerbError(409, `there are ${maxServers} servers already; remove one`);
    const id = letterOf(this.#count++);
    const server = new InspectedServer(id, plan, { shared: this.#shared, calls: this.calls });
    this.#servers.set(id, server);
    return server;
  }

  /** The server with a letter. @throws VerbError where there is none. */
  get(id: string): InspectedServer {
    const server = this.#servers.get(id);
    if (server === undefined) throw new VerbError(404, `the server ${id} does not exist`);
    return server;
  }

  /** Lets a server go, and forgets it with all that it said. */
  async remove(id: string): Promise<void> {
    const server = this.get(id);
    this.#servers.delete(id);
    await server.leave();
    this.#shared.feed.forget(id);
    this.#shared.feed.drop(`left ${id}`);
    this.#shared.feed.drop(`server ${id}`, { kind: 'gone', server: id });
  }

  /** Lets all go. */
  async close(): Promise<void> {
    await Promise.allSettled(this.all.map((server) => server.disconnect()));
  }
}

/** A, B, …, Z, AA, … */
function letterOf(index: number): string {
  const last = String.fromCodePoint(65 + (index % 26));
  return index < 26 ? last : letterOf(Math.floor(index / 26) - 1) + last;
}
