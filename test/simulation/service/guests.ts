/** Those who come to a service beside its clients, or to something else of the world. */

import type { Process } from '../world.ts';
import { beClientByHand } from './client-by-hand.ts';
import { beGuest } from './guest.ts';
import { beImpatient } from './impatient.ts';
import { beKeeper } from './keeper.ts';
import { bePiped } from './piped.ts';
import type { Plan } from './plan.ts';
import type { GuestParts } from './raw.ts';
import { beBeforeServerByHand } from './server-by-hand.ts';
import { beAskedInRounds } from './rounds-by-hand.ts';
import { beClientOfService } from './service-by-hand.ts';
import { beClientOfTwo } from './shared-by-hand.ts';

/** Somebody who comes, and when. */
export interface Guest {
  readonly at: number;
  readonly name: string;
  /** Runs one to its end. */
  be(process: Process, parts: GuestParts): Promise<void>;
}

/** All that a plan has. */
export function guestsOf({ guestAt, impatientAt, pipedAt, keeperAt, handAt }: Plan): readonly Guest[] {
  const all: readonly [at: number | undefined, name: string, be: Guest['be']][] = [
    [guestAt, 'guest', beGuest],
    [impatientAt, 'impatient', beImpatient],
    [pipedAt, 'piped', bePiped],
    [handAt, 'by hand', beBeforeServerByHand],
    [handAt, 'hand', beClientByHand],
    [handAt, 'in rounds', beAskedInRounds],
    [handAt, 'in a shop', beClientOfService],
    [handAt, 'in two shops', beClientOfTwo],
    [keeperAt, 'keeper', beKeeper],
  ];
  return all.flatMap(([at, name, be]) => (at === undefined ? [] : [{ at, name, be }]));
}
