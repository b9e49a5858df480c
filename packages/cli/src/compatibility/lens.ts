/** Fate of one message on its way between two revisions: by the code that the bridge runs, with the reason of each change. */

import { methodOf } from '../../../parley/src/protocol/catalogue.ts';
import { isFields } from '../../../parley/src/protocol/compile/value.ts';
import { fromWire } from '../../../parley/src/protocol/compile/from-wire.ts';
import { toWire } from '../../../parley/src/protocol/compile/to-wire.ts';
import { traceOf, type WireChange } from '../../../parley/src/protocol/compile/trace.ts';
import { McpError } from '../../../parley/src/protocol/error.ts';
import { inputRequiredResultShape } from '../../../parley/src/protocol/features/rounds.ts';
import { createTaskResultShape } from '../../../parley/src/protocol/features/tasks.ts';
import type { Side } from '../../../parley/src/protocol/method.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';
import type { Type } from '../../../parley/src/protocol/shape.ts';
import { adaptedElsewhere } from './adaptations.ts';
import { urlNeedsId } from '../../../parley/src/protocol/adapt/elicitation.ts';
import { byBridge, standsForTask, madeUp, withOwnIds, type Sides } from './by-bridge.ts';
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
  /** A bridge does not pass it on: it makes other messages of it, or answers itself. */
  | { readonly kind: 'bridge'; readonly why: string }
  /** The message does not exist in the revision of the other side. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Shows a part of a message as the other side gets it through a bridge. It does not throw. */
export function throughLens({ method, part, from, value }: SeenPart, { client, server }: Sides): Lens {
  if (methodOf(method) === undefined) return foreign({ part, from, value }, { client, server });
  const special = byBridge(method, value, { client, server });
  if (special !== undefined)
    return special.kind === 'refused' ? { ...special, kind: 'refused', changes: [] } : { ...special, kind: 'bridge' };
  const [sender, receiver] = from === 'client' ? [client, server] : [server, client];
  const type = typeOf({ method, part, value }, sender);
  if (type === undefined) return { kind: 'unknown', why: `the protocol has no ${part} of ${method}` };
  if (!exists(method, receiver)) return { kind: 'unknown', why: `${receiver.date} has no ${method}` };
  let read: unknown;
  try {
    // A bridge keeps malformed entries of a list for the same version, and leaves them out for another.
    read = fromWire(sender, type, value, { entry: () => sender === receiver, absent: () => undefined });
  } catch (error) {
    return { kind: 'wrong', why: wordsOf(error) };
  }
  const misread = read !== value;
  const named = withOwnIds({ method, part, value: read }, sender);
  read = named.value;
  const made = traceOf(receiver, type, read).filter(({ feature }) => feature === urlNeedsId.name);
  // A bridge makes up what the other side has to have, and knows it again.
  if (made.length > 0) read = { ...Object(read), elicitationId: madeUp };
  const trace = [
    ...named.ids.map(({ path, kind }): WireChange => ({ path, kind: kind ?? 'adapted', feature: path })),
    ...made.map((change): WireChange => ({ ...change, path: '.elicitationId', kind: 'filled' })),
    ...traceOf(receiver, type, read),
  ];
  const titles = new Map(named.ids.map(({ path, title }) => [path, title]));
  const changes = trace.map((change) => explained(change, { client, server }, titles.get(change.feature)));
  try {
    return { kind: 'arrives', value: toWire(receiver, type, read), changes, misread };
  } catch (error) {
    return { kind: 'refused', why: wordsOf(error), changes };
  }
}

/** Shows a message that no revision knows: it is of the two ends, and passes as it is; only whether a result says of which type it is belongs to the hop. */
function foreign({ part, from, value }: Omit<SeenPart, 'method'>, sides: Sides): Lens {
  const { resultTypes } = from === 'server' ? sides.client : sides.server;
  const isSame = part === 'params' || !isFields(value) || (value['resultType'] !== undefined) === resultTypes;
  if (isSame) return { kind: 'arrives', value, changes: [], misread: false };
  const { resultType: _, ...rest } = value;
  const kind = resultTypes ? 'filled' : 'left-out';
  const change = explained({ path: '.resultType', kind, feature: 'result-type' }, sides);
  const shown = resultTypes ? { ...rest, resultType: 'complete' } : rest;
  return { kind: 'arrives', value: shown, changes: [change], misread: false };
}

/** Type of a part of a message: a result may be a round or a task instead of the method's own result. */
function typeOf({ method, part, value }: Omit<SeenPart, 'from'>, sender: Revision): Type | undefined {
  const row = methodOf(method);
  if (part === 'params' || row === undefined) return row?.[part];
  const asks = row.inputRequired === true && sender.resultsAsk && Object(value)['resultType'] === 'input_required';
  if (asks) return inputRequiredResultShape;
  return method === 'tools/call' && standsForTask(value, sender) ? createTaskResultShape : row.result;
}

/** Words of what the projections throw, which speak of the value alone. */
function wordsOf(error: unknown): string {
  if (error instanceof McpError) return error.message;
  throw error;
}

const lines = new Map(features.map((feature) => [feature.id, feature]));

function explained(change: WireChange, { client, server }: Sides, title?: string): LensChange {
  if (title !== undefined) return { ...change, title };
  const fact = fieldFacts.get(change.feature);
  const told = adaptedElsewhere.get(change.feature) ?? (fact === undefined ? undefined : elsewhere(fact));
  const line = lines.get(told ?? change.feature);
  if (line === undefined) return change;
  const cell = line.between(client, server);
  const why = cell.kind === 'changed' ? cell.how : cell.kind === 'refused' ? cell.why : undefined;
  return { ...change, title: line.title, ...(why === undefined ? {} : { why }) };
}
