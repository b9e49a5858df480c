import type { Built } from '../../scripts/toolchains/program.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol.ts';

/**
 * How a program talks: on standard streams, over Streamable HTTP, over the same told to be stateless (of servers alone, where
 * that is what makes them serve 2026-07-28), or over the HTTP+SSE pair of 2024-11-05.
 */
export type Way = 'stdio' | 'http' | 'stateless' | 'sse';

/** Software of others, and the program in `interop/peers` that uses it. */
export interface Peer {
  /** The folder of its program. */
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  /** The newest revision that it speaks. */
  readonly newest: RevisionDate;
  /** The ways that it has. */
  readonly client: readonly Way[];
  readonly server: readonly Way[];
  /** Steps for which it has nothing, on one side, and why. */
  readonly lacks: { readonly client: Lacks; readonly server: Lacks };
  /**
   * Fetches and builds it, once for what its folder says: `client` or `serve` and a way follow its command.
   *
   * @throws Unavailable where that cannot be done.
   */
  readonly build: () => Promise<Built>;
}

/** Reasons by the id of a step. */
export type Lacks = Readonly<Record<string, string>>;
