/** Faults of peers that a run is expected to meet. One that is met no more is told, so that it leaves this list. */

import type { Way } from './peer.ts';

/** A fault of a peer. */
export interface Fault {
  readonly peer: string;
  readonly side: 'client' | 'server';
  /** The steps that it spoils. */
  readonly steps: readonly string[];
  /** Where it shows: the ways, and the revisions that the client agreed on; everywhere by default. */
  readonly ways?: readonly Way[];
  readonly revisions?: readonly string[];
  /** Whether it shows only through a bridge, or only without. */
  readonly bridged?: boolean;
  /** What is wrong, and by which rule. */
  readonly why: string;
}

const unknownTool =
  'An unknown tool is answered with a result that says `isError`, not with an error. Specification, Server Features, ' +
  'Tools, Error Handling: unknown tools are protocol errors (`-32602`).';

/** All of them. */
export const faults: readonly Fault[] = [{ peer: 'python', side: 'server', steps: ['unknown tool'], why: unknownTool }];
