/** Fate of one message on its way between two revisions: by the code that the bridge runs, with the reason of each change. */

import { methodOf } from '../protocol/catalogue.ts';
import { fromWire } from '../protocol/compile/from-wire.ts';
import { toWire } from '../protocol/compile/to-wire.ts';
import { traceOf, type WireChange } from '../protocol/compile/trace.ts';
import { McpError } from '../protocol/error.ts';
import type { Side } from '../protocol/method.ts';
import type { Revision } from '../protocol/revision.ts';
import { adaptedElsewhere } from './adaptations.ts';
import { urlNeedsId } from '../protocol/adapt/elicitation.ts';
import { exists } from './cells.ts';
import { features } from './fidelity.ts';
import { elsewhere, fieldFacts } from './fields.ts';

/** Part of a message, as it stood on the wire. */
export interface SeenPart {
  readonly method: string;
  readonly part: 'params' | 'result';
  /** Side that sent it. */
  readonly from: Side;
  readonly value: unknown;
}

/** The revisions of the two sides. */
export interface Sides {
  readonly client: Revision;
  readonly server: Revision;
}

/** One change, with its line of docs/fidelity.md. */
export interface LensChange extends WireChange {
  /** Title of the line, where the change has one. */
  readonly title?: string;
  /** Way in which it is changed, or reason why it is refused, between these two revisions. */
  readonly why?: string;
}

/** View of a part of a message by the other side. */
export type Lens =
  /** Arrives: `value` is the same object where nothing changed. */
  | {
      readonly kind: 'arrives';
      readonly value: unknown;
      readonly changes: readonly LensChange[];
      /** True when it was no value of its own revision, and was read as something that is. */
      readonly misread: boolean;
    }
  /** The revision of the other side has no way to say it. */
  | { readonly kind: 'refused'; readonly why: string; readonly changes: readonly LensChange[] }
  /** It cannot be read as what it should be. */
  | { readonly kind: 'wrong'; readonly why: string }
  /** There is no such message: in the revision of the other side, or in none. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Text that stands for an id that a bridge makes up. */
export const madeUp: string = '(made up by the bridge)';

/** Shows a part of a message as the other side gets it through a bridge. It does not throw. */
export function throughLens({ method, part, from, value }: SeenPart, { client, server }: Sides): Lens {
  const type = methodOf(method)?.[part];
  if (type === undefined) return { kind: 'unknown', why: `the protocol has no ${part} of ${method}` };
  const [sender, receiver] = from === 'client' ? [client, server] : [server, client];
  if (!exists(method, receiver)) return { kind: 'unknown', why: `${receiver.date} has no ${method}` };
  let read: unknown;
  try {
    read = fromWire(sender, type, value);
  } catch (error) {
    return { kind: 'wrong', why: wordsOf(error) };
  }
  const misread = read !== value;
  const made = traceOf(receiver, type, read).filter(({ feature }) => feature === urlNeedsId.name);
  // A bridge makes up what the other side has to have, and knows it again.
  if (made.length > 0) read = { ...Object(read), elicitationId: madeUp };
  const trace = [
    ...made.map((change): WireChange => ({ ...change, path: '.elicitationId', kind: 'filled' })),
    ...traceOf(receiver, type, read),
  ];
  const changes = trace.map((change) => explained(change, { client, server }));
  try {
    return { kind: 'arrives', value: toWire(receiver, type, read), changes, misread };
  } catch (error) {
    return { kind: 'refused', why: wordsOf(error), changes };
  }
}

/** Words of what the projections throw, which speak of the value alone. */
function wordsOf(error: unknown): string {
  if (error instanceof McpError) return error.message;
  throw error;
}

const lines = new Map(features.map((feature) => [feature.id, feature]));

function explained(change: WireChange, { client, server }: Sides): LensChange {
  const fact = fieldFacts.get(change.feature);
  const told = adaptedElsewhere.get(change.feature) ?? (fact === undefined ? undefined : elsewhere(fact));
  const line = lines.get(told ?? change.feature);
  if (line === undefined) return change;
  const cell = line.between(client, server);
  const why = cell.kind === 'changed' ? cell.how : cell.kind === 'refused' ? cell.why : undefined;
  return { ...change, title: line.title, ...(why === undefined ? {} : { why }) };
}
