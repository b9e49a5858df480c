/** What a schedule and its processes tell each other. */

import type { Death } from './plan.ts';

/** What a process is started with. */
export interface Orders {
  readonly name: string;
  readonly url: string;
  /** The folder of the store. */
  readonly folder: string;
  readonly seed: number;
  readonly deaths: readonly Death[];
  /** When the schedule began, by the wall clock. */
  readonly began: number;
  /** The folder in which whoever dies says so, by a file with the number of its death. */
  readonly claims: string;
  /** Whether all is calm already. */
  readonly calm: boolean;
}

/** What a process says. */
export type Said =
  | { readonly kind: 'asks'; readonly id: number; readonly url: string; readonly reason: 'login' | 'step-up' }
  | { readonly kind: 'asks no longer'; readonly id: number }
  | { readonly kind: 'called'; readonly outcome: string; readonly ms: number }
  | { readonly kind: 'through' };

/** What a process is told. */
export type Told = { readonly kind: 'callback'; readonly id: number; readonly url: string } | { readonly kind: 'calm' };

/** The header by which a request says whose it is. */
export const nameHeader = 'x-process';
