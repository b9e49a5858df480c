/** The lens, held against what a bridge really did in the conversations of all cells. */

import type { Hops } from '../../packages/cli/src/inspect/trial/hops.ts';
import { stepsOf } from '../../packages/cli/src/inspect/trial/steps.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';

/** Cell of the table in which a conversation was held. */
export interface HeldCell {
  readonly id: string;
  readonly client: Revision;
  readonly server: Revision;
}

/** What came of it in all cells. */
export class HeldLens {
  /** Messages that arrived as the lens says. */
  asPredicted = 0;
  /** Messages of which it says that the bridge makes others. */
  readonly byBridge: Set<string> = new Set();
  /** Places of messages of which the bridge speaks for itself. */
  readonly places: Set<string> = new Set();
  /** Lines in one of whose conversations nothing crossed both hops. */
  readonly refused: Set<string> = new Set();

  /** Takes what was heard of a cell, and gives the messages that arrived otherwise than the lens says. */
  take(hops: Hops, { id, client, server }: HeldCell): readonly string[] {
    const steps = stepsOf(hops.messages, { client: client.date, server: server.date });
    const crossed = steps.filter(({ verdict }) => verdict === 'as-predicted' || verdict === 'by-bridge');
    if (crossed.length === 0 && steps.length > 0) this.refused.add(id);
    for (const { verdict, what, byBridge = [] } of steps) {
      if (verdict === 'as-predicted') this.asPredicted += 1;
      if (verdict === 'by-bridge') this.byBridge.add(what);
      for (const place of byBridge) this.places.add(`${what} ${place.replaceAll(/\[\d+\]/g, '[]')}`);
    }
    return steps
      .filter(({ verdict }) => verdict === 'differs')
      .map((step) => `${step.what} is not as the lens says at ${step.differences.join(' ')}: ${JSON.stringify(step)}`);
  }
}
