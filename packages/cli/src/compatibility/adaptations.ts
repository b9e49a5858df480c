/** The lines that follow from the adaptations between revisions: what becomes of an example is computed by running them. */

import { adaptationsOf } from '../../../parley/src/protocol/adapt/adapt.ts';
import { check } from '../../../parley/src/protocol/compile/check.ts';
import { McpError } from '../../../parley/src/protocol/error.ts';
import { fromWire } from '../../../parley/src/protocol/compile/from-wire.ts';
import { always, isAlive } from '../../../parley/src/protocol/lifetime.ts';
import { carrierOf } from '../../../parley/src/protocol/reach.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';
import { isShape, nameOf, type Type } from '../../../parley/src/protocol/shape.ts';
import { untitledMultiSelectShape } from '../../../parley/src/protocol/features/elicitation-schema.ts';
import { toWire } from '../../../parley/src/protocol/compile/to-wire.ts';
import { carried, changed, ends, nothing, other, refused, type Feature, type Fidelity } from './cells.ts';
import { everyAdaptation, lineOf, type NamedAdaptation } from './adaptation-lines.ts';
import { unasked, untold } from './asking.ts';

/** A value of a type, to see what becomes of it. */
export interface Example {
  readonly type: Type;
  readonly value: object;
}

/** The adaptations that another line covers. */
export const adaptedElsewhere: ReadonlyMap<string, string> = new Map([
  // Inside the parameters of a request the messages were split before.
  ['oneBlockPerMessage', 'blocksAsMessages'],
  // The sender makes one up.
  ['urlNeedsId', 'elicitation-url'],
  ['experimentalObjects', 'experimental-junk'],
  ['extensionSettings', 'tasks-capability'],
]);

/** Specimens of the types that adaptations change, by their ids. */
export const specimens: ReadonlyMap<string, Example> = new Map<string, Example>([
  ...everyAdaptation
    .filter(({ adaptation }) => !adaptedElsewhere.has(adaptation.name))
    .map((named): [string, Example] => [named.adaptation.name, specimenOf(named)]),
  ['multiSelect', { type: untitledMultiSelectShape, value: { type: 'array', items: { type: 'string', enum: ['a'] } } }],
]);

function specimenOf({ adaptation, types, example }: NamedAdaptation): Example {
  const [type] = types;
  if (type === undefined) throw new TypeError(`${adaptation.name} adapts nothing`);
  return { type, value: example };
}

/** One line for each adaptation, and for values of types that older revisions lack. */
export const adaptationFeatures: readonly Feature[] = [
  ...everyAdaptation
    .filter(({ adaptation }) => !adaptedElsewhere.has(adaptation.name))
    .map(({ adaptation: { name }, title }) => featureOf(name, title)),
  featureOf('multiSelect', 'Choices of several in forms'),
];

function featureOf(id: string, title: string): Feature {
  const specimen = specimens.get(id);
  const carrier = specimen === undefined ? undefined : carrierOf(nameOf(specimen.type));
  if (specimen === undefined || carrier === undefined) throw new TypeError(`${id} has no example that travels`);
  return {
    id,
    title,
    group: 'Content and values',
    between: (client, server) => {
      const { sender, receiver, who } = ends(carrier.direction, client, server);
      if (!canSay(sender, specimen)) return nothing(`no ${who} of that revision has it`);
      const cell =
        unasked({ method: carrier.method, needs: always }, client, server) ??
        cellOf(specimen, { sender, receiver, who });
      return cell.kind === 'refused' && cell.error === 'missingRequiredClientCapability' ? untold() : cell;
    },
  };
}

function cellOf(specimen: Example, { sender, receiver, who }: ReturnType<typeof ends>): Fidelity {
  try {
    if (same(arrives(specimen, sender, receiver), specimen.value)) return carried;
    return changed(wordsOf(specimen, receiver) || `left out; the ${other(who)}'s revision has none`);
  } catch (error) {
    if (!(error instanceof McpError) || error.kind === undefined) throw error;
    return refused(error.kind, `the ${other(who)}'s revision has no form for it`);
  }
}

/** Words for what those adaptations make of a value that change it, one after the other. */
function wordsOf({ type, value }: Example, receiver: Revision): string {
  const words: string[] = [];
  let at: object = value;
  for (const adaptation of adaptationsOf(nameOf(type))) {
    const next = isAlive(adaptation.life, receiver) ? adaptation.toWire({ ...at }, receiver) : at;
    if (!same(next, at)) words.push(lineOf(adaptation).what);
    at = next;
  }
  return words.join('; ');
}

/** Value that is left on its way from one revision to another. */
export function arrives({ type, value }: Example, sender: Revision, receiver: Revision): object {
  return withoutFills(type, receiver, toWire(receiver, type, fromWire(sender, type, value)));
}

/** Tells whether a value is one of a revision: nothing of it is foreign, and nothing wrong. */
export function canSay(revision: Revision, { type, value }: Example): boolean {
  if (!lives(type, revision)) return false;
  const filled = { ...value, ...fillsOf(type, revision) };
  if (check(revision, type, filled).length > 0) return false;
  return same(fromWire(revision, type, value), value);
}

function lives(type: Type, revision: Revision): boolean {
  return !isShape(type) || isAlive(type.life, revision);
}

function fillsOf(type: Type, revision: Revision): Readonly<Record<string, unknown>> {
  if (!isShape(type)) return {};
  const filled = Object.entries(type.rows).filter(
    ([, row]) => row.fill !== undefined && row.requiredIn.some((life) => isAlive(life, revision)),
  );
  return Object.fromEntries(filled.map(([key, row]) => [key, row.fill]));
}

function withoutFills(type: Type, revision: Revision, value: object): object {
  const fills = fillsOf(type, revision);
  return Object.fromEntries(Object.entries(value).filter(([key]) => !Object.hasOwn(fills, key)));
}

/** Both came from JSON, with their keys in the same order unless something was changed. */
function same(one: unknown, another: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(another);
}
