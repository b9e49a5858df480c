import type { RevisionDate } from '../../src/protocol.ts';

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
   * Fetches and builds it, once for what its folder says.
   *
   * @throws Unavailable where that cannot be done.
   */
  readonly build: () => Promise<Built>;
}

/** Reasons by the id of a step. */
export type Lacks = Readonly<Record<string, string>>;

/** A program that is ready to run: `client` or `serve` and a way follow its command. */
export interface Built {
  readonly command: readonly string[];
  /** What it was built with, such as `mcp 2.3.0`. */
  readonly version: string;
}

/** A peer that cannot be had here, such as without its toolchain or without a network. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
