/** Tokens by which a service knows its clients: they expire soon, and are taken back. */

import type { FetchRequest } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import { protect, type Guarded } from '../../../packages/parley/src/auth/server/protect.ts';
import type { Server } from '../../../packages/parley/src/server.ts';
import { beginning } from '../globals.ts';
import type { Process, World } from '../world.ts';

/** The URL of the service. */
const resource = 'http://localhost/mcp';

/** The scope that few have. */
export const rareScope = 'rare';

/** How long a token is good for after its time, since clocks differ, and what it opened may last beyond it, in milliseconds. */
const skewMs = 30_000;
const graceMs = 30_000;
/** How long what ends by a timer may take, in milliseconds. */
const slackMs = 1_500;

interface Token {
  readonly client: string;
  readonly scopes: string;
  /** Seconds since 1970, as tokens say it. */
  readonly expires: number;
  /** When it was taken back, by the time of the world. */
  takenBackAt?: number;
}

/** The one who gives tokens out. */
export class Tokens {
  readonly #world: World;
  readonly #lifeMs: number;
  readonly #given = new Map<string, Token>();
  readonly #current = new Map<string, string>();
  /** When a process began, and when it heard last that tokens are taken back. */
  readonly #heardAt = new Map<Process, number>();

  constructor(world: World, lifeMs: number) {
    this.#world = world;
    this.#lifeMs = lifeMs;
  }

  /** A new token of a client. */
  give(client: string, scopes = 'common', lifeMs: number = this.#lifeMs): string {
    const text = `token-${client}-${this.#given.size}`;
    const expires = Math.ceil((beginning + this.#world.now + lifeMs) / 1000);
    this.#given.set(text, { client, scopes, expires });
    if (lifeMs > 0) this.#current.set(client, text);
    return text;
  }

  /** What a client sends with its requests: the same token until it is refused. */
  sourceOf(client: string): (about: { readonly refused: boolean }) => string {
    return ({ refused }) => (refused ? undefined : this.#current.get(client)) ?? this.give(client);
  }

  /** The time at which what was opened with a token is over, by the time of the world. */
  overAt(text: string): number {
    return (this.#given.get(text)?.expires ?? 0) * 1000 - beginning + graceMs + slackMs;
  }

  /** The same of what a request opens; `undefined` where that is over with its answer. */
  overOf({ method, body, headers }: FetchRequest): number | undefined {
    const isLasting = method === 'GET' || body?.includes('subscriptions/listen') === true;
    const [, token] = /^Bearer (.*)$/.exec(headers['authorization'] ?? '') ?? [];
    return isLasting && token !== undefined ? this.overAt(token) : undefined;
  }

  /** No token that was given out so far is good any more. */
  takeBack(): void {
    for (const token of this.#given.values()) token.takenBackAt ??= this.#world.now;
    this.#world.note('tokens are taken back');
  }

  /** Who was given any. */
  clients(): Iterable<string> {
    return this.#current.keys();
  }

  /** A process was told that they are. */
  heard(process: Process): void {
    this.#heardAt.set(process, this.#world.now);
  }

  /** Tells whether a request with these credentials may be let in by a process; one that was not told keeps a token for a while. */
  admits(process: Process, authorization: string | undefined): boolean {
    const token = this.#given.get(authorization?.replace(/^Bearer /, '') ?? '');
    if (token === undefined) return false;
    const { expires, takenBackAt = Infinity } = token;
    const isOver = expires * 1000 + skewMs <= beginning + this.#world.now;
    return !isOver && takenBackAt > (this.#heardAt.get(process) ?? 0);
  }

  /** Puts a server behind its tokens. */
  guard(process: Process, server: Server): Guarded {
    this.heard(process);
    return protect(server, {
      resource,
      authorizationServers: ['https://login.example'],
      principal: ({ sub }) => String(sub),
      verify: (text) => {
        const token = this.#given.get(text);
        if (token === undefined || token.takenBackAt !== undefined) return undefined;
        return { aud: resource, sub: token.client, exp: token.expires, scope: token.scopes };
      },
      onError: () => undefined,
    });
  }
}
