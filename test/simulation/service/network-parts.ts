/** What the simulated network is made of. */

import type { FetchRequest } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import type { HttpHandler } from '../../../packages/parley/src/transports/http/server/handler.ts';
import type { Process, World } from '../world.ts';
import type { State } from './states.ts';

/** A process of the service, as the network reaches it. */
export interface Reached {
  readonly process: Process;
  /** `undefined` until it listens. */
  readonly handler: HttpHandler | undefined;
}

/** What a network is made of. */
export interface NetworkParts {
  readonly seed: number;
  readonly world: World;
  /** The process that gets a client's next exchange; `undefined` where none listens. */
  choose(client: string, flow: number): Reached | undefined;
  /** How often exchanges go wrong now. */
  trouble(): number;
  /** How often something is said wrong now. */
  wrong(): number;
  /** True where nothing goes wrong but that answers under way are cut. */
  readonly cutsAlone: boolean;
  /** True while nothing reaches anybody. */
  isOut(): boolean;
  /** Hears that a process ended a stream that was taken up, though neither it nor its client was over. */
  endedEarly(words: string): void;
  /** Hears that a stream says something twice, or what its client was past. */
  saidTwice(words: string): void;
  /** True while no stream for what belongs to no request can be read. */
  isUnreadable(): boolean;
  /** Hears that a stream could not be taken up where its client had come to, though its session is known. */
  notResumed(words: string): void;
  /** The time after which nothing is said on a stream that a request opened; `undefined` where that does not end. */
  overAt?(request: FetchRequest): number | undefined;
  /** The process that wrote first on each stream that has ids. */
  readonly writers: Map<string, Process>;
  /** The questions that reached clients, with the process that told each, and when. */
  readonly asked: Map<string, { readonly by: Process | undefined; readonly at: number }>;
  /** Hears what it comes to. */
  state(name: State): void;
  /** Hears that a client was told, which is a lie, that there is no stream for what belongs to no request. */
  denied?(): void;
  /** Hears that something was. */
  outlived?(words: string): void;
  /** Sees each request that reaches a process. */
  arrived(process: Process, request: FetchRequest): void;
}
