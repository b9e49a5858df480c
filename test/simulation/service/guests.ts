/** Those who come to a service beside its clients, or to something else of the world. */

import type { Process } from '../world.ts';
import { beClientByHand } from './client-by-hand.ts';
import { beGuest } from './guest.ts';
import { beGuestOfHours } from './guest-of-hours.ts';
import { beImpatient } from './impatient.ts';
import { beKeeper } from './keeper.ts';
import { bePiped } from './piped.ts';
import type { Plan } from './plan.ts';
import { staysFrom } from './resting.ts';
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
export function guestsOf(plan: Plan): readonly Guest[] {
  const { guestAt, impatientAt, pipedAt, keeperAt, handAt } = plan;
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
    [staysFrom(plan), 'guest of hours', beGuestOfHours],
  ];
  return all.flatMap(([at, name, be]) => (at === undefined ? [] : [{ at, name, be }]));
}
