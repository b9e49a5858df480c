/** What a store loses that processes share. */

import type { Fault, Operation } from './plan.ts';

/** The share of plans in which it loses something. */
const share = 0.04;

/** What happens for that. */
export interface Losses {
  readonly faults: readonly Fault[];
  readonly operations: readonly Operation[];
}

const none: Losses = { faults: [], operations: [] };

/** All that it had, or the last second: as often as not a client changes its session in that, long after it came. */
export function lossesOf(
  mayBe: boolean,
  {
    key,
    clients,
    calmAt,
    mayChange,
    draw,
  }: {
    /** That of one more operation. */
    readonly key: number;
    readonly clients: number;
    readonly calmAt: number;
    /** False where clients do nothing but listen. */
    readonly mayChange: boolean;
    draw(name: string): number;
  },
): Losses {
  if (!mayBe || draw('loses') >= share) return none;
  const kind = draw('loses all') < 0.5 ? 'empty' : 'take over';
  const isChange = mayChange && draw('loses a change') < 0.5;
  const at = Math.floor((isChange ? 0.5 + draw('loses at') / 2 : draw('loses at')) * calmAt);
  const change: Operation = {
    at: Math.max(0, at - 200 - Math.floor(draw('changes before') * 700)),
    client: Math.floor(draw('who changes') * clients),
    kind: 'level',
    key,
  };
  return { faults: [{ at, node: 0, kind, ms: 0 }], operations: isChange ? [change] : [] };
}
