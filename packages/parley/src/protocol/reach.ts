/** By which messages a value of each type travels between a client and a server, found in the tables. */

import { clientCapabilitiesShape, serverCapabilitiesShape } from './capability.ts';
import { implementationShape } from './features/common.ts';
import { methodNames, methodOf } from './catalogue.ts';
import { kindOf, type Kind, type Shape } from './shape.ts';

/** Up is from the client to the server, down is from the server to the client. */
export type Direction = 'up' | 'down';

/** One step from a value into what it holds. */
export type ReachStep =
  | { readonly kind: 'field'; readonly key: string; readonly shape: Shape }
  | { readonly kind: 'item' }
  | { readonly kind: 'entry' }
  /** `by` is absent where shapes are told apart by their required fields. */
  | { readonly kind: 'case'; readonly shape: Shape; readonly by?: string; readonly tag?: unknown };

/** A message that a type travels in, and the way to it inside. */
export interface Carrier {
  /** The method; `opening` stands for what either side says of itself when a conversation begins. */
  readonly method: string;
  readonly part: 'params' | 'result' | 'capabilities' | 'serverInfo';
  readonly direction: Direction;
  /** The type at the root of the part. */
  readonly root: Kind;
  readonly path: readonly ReachStep[];
}

interface Found {
  readonly kind: Kind;
  readonly carrier: Carrier;
}

/** Types that every message of their kind has, or that belong to one hop: no way for anything else to travel. */
const closed: ReadonlySet<string> = new Set([
  'RequestMetaObject',
  'NotificationMetaObject',
  'ResultMetaObject',
  'SubscriptionsListenResultMetaObject',
  'TaskMetadata',
]);

/** The first way of each shape by its name, in the order: what answers carry, what requests carry, what questions do. */
export const carriers: ReadonlyMap<string, Carrier> = find();

/** The first way of a type by its name, shapes that are told apart by a field among them. */
export function carrierOf(type: string): Carrier | undefined {
  return carriers.get(type);
}

function find(): ReadonlyMap<string, Carrier> {
  const found = new Map<string, Carrier>();
  let level: readonly Found[] = sources();
  while (level.length > 0) {
    const next: Found[] = [];
    for (const one of level) {
      const name = nameOf(one.kind);
      if (name !== undefined) {
        if (closed.has(name) || found.has(name)) continue;
        found.set(name, one.carrier);
      }
      next.push(...inside(one));
    }
    level = next;
  }
  return found;
}

function sources(): readonly Found[] {
  const opening = (part: Carrier['part'], direction: Direction, shape: Shape): Found =>
    source({ kind: 'ref', shape, presence: false }, { method: 'opening', part, direction });
  const requests = methodNames.filter((method) => isOpen(method) && methodOf(method)?.kind === 'request');
  const asked = requests.filter((method) => methodOf(method)?.from === 'server');
  const served = requests.filter((method) => methodOf(method)?.from === 'client');
  const told = methodNames.filter((method) => isOpen(method) && methodOf(method)?.kind === 'notification');
  return [
    opening('capabilities', 'down', serverCapabilitiesShape),
    opening('capabilities', 'up', clientCapabilitiesShape),
    opening('serverInfo', 'down', implementationShape),
    ...served.flatMap((method) => partOf(method, 'result', 'down')),
    ...served.flatMap((method) => partOf(method, 'params', 'up')),
    ...told.flatMap((method) => partOf(method, 'params', methodOf(method)?.from === 'client' ? 'up' : 'down')),
    ...asked.flatMap((method) => partOf(method, 'params', 'down')),
    ...asked.flatMap((method) => partOf(method, 'result', 'up')),
  ];
}

/**
 * Tells whether a method says something that a bridge carries: what opens a conversation is said anew on each hop, and
 * tasks are not carried.
 */
function isOpen(method: string): boolean {
  return !method.includes('tasks') && method !== 'initialize' && method !== 'server/discover';
}

function partOf(method: string, part: 'params' | 'result', direction: Direction): readonly Found[] {
  const type = methodOf(method)?.[part];
  return type === undefined ? [] : [source(kindOf(type), { method, part, direction })];
}

function source(kind: Kind, from: Pick<Carrier, 'method' | 'part' | 'direction'>): Found {
  return { kind, carrier: { ...from, root: kind, path: [] } };
}

function nameOf(kind: Kind): string | undefined {
  if (kind.kind === 'ref') return kind.shape.name;
  return kind.kind === 'tagged' || kind.kind === 'choice' ? kind.name : undefined;
}

function inside({ kind, carrier }: Found): readonly Found[] {
  const via = (next: Kind, ...steps: readonly ReachStep[]): Found => ({
    kind: next,
    carrier: { ...carrier, path: [...carrier.path, ...steps] },
  });
  const shape = (of: Shape): Kind => ({ kind: 'ref', shape: of, presence: false });
  switch (kind.kind) {
    case 'array':
      return [via(kind.of.kind, { kind: 'item' })];
    case 'map':
      return [via(kind.of.kind, { kind: 'entry' })];
    case 'ref':
      return Object.entries(kind.shape.rows).map(([key, row]) =>
        via(row.kind, { kind: 'field', key, shape: kind.shape }),
      );
    case 'tagged':
      return [...kind.cases].map(([tag, of]) => via(shape(of), { kind: 'case', shape: of, by: kind.by, tag }));
    case 'choice':
      return kind.cases.map((of) => via(shape(of), { kind: 'case', shape: of }));
    case 'oneOf':
      return kind.of.map((row) => via(row.kind));
    case 'widened':
      return [via(kind.newer.kind)];
    default:
      return [];
  }
}
