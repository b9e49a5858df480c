/** The smallest values of the protocol's types, with one field more, written by the tables. */

import { isAlive } from '../../packages/parley/src/protocol/lifetime.ts';
import type { Carrier, ReachStep } from '../../packages/parley/src/protocol/reach.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import type { Kind, Row, Shape } from '../../packages/parley/src/protocol/shape.ts';

const uri = 'memo:one';

/** Text that a schema with formats accepts, by the name of the field. */
const texts: ReadonlyMap<string, string> = new Map([
  ['uri', uri],
  ['url', 'https://example.com/'],
  ['src', 'https://example.com/icon.png'],
  ['websiteUrl', 'https://example.com/'],
  ['data', 'AAAA'],
  ['blob', 'AAAA'],
  ['lastModified', '2025-01-12T15:00:58Z'],
  ['$schema', 'https://json-schema.org/draft/2020-12/schema'],
]);

/** The smallest value of a kind in a revision. */
export function sample(kind: Kind, revision: Revision, field = ''): unknown {
  switch (kind.kind) {
    case 'string':
      return texts.get(field) ?? 'some';
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'object':
      return field === '_meta' ? { 'x.example/own': 1 } : {};
    case 'any':
    case 'presence':
      return {};
    case 'literal':
      return kind.values[0];
    case 'array':
      return [sample(kind.of.kind, revision, field)];
    case 'map':
      return { some: sample(kind.of.kind, revision) };
    case 'ref':
      return sampleOf(kind.shape, revision);
    case 'tagged':
      return sampleOf(first([...kind.cases.values()], revision), revision);
    case 'choice':
      return sampleOf(first(kind.cases, revision), revision);
    case 'oneOf':
      return sample((kind.of[0] as Row).kind, revision, field);
    case 'widened':
      return sample(kind.older.kind, revision, field);
  }
}

function first(cases: readonly Shape[], revision: Revision): Shape {
  const alive = cases.find(({ life }) => isAlive(life, revision));
  if (alive === undefined) throw new TypeError('no case of it is alive');
  return alive;
}

/** The smallest value of a shape: the fields that it must have. */
export function sampleOf({ rows }: Shape, revision: Revision): Readonly<Record<string, unknown>> {
  const must = Object.entries(rows).filter(
    ([, row]) =>
      isAlive(row.life, revision) &&
      row.fill === undefined &&
      (row.presence === 'required' || row.requiredIn.some((life) => isAlive(life, revision))),
  );
  return Object.fromEntries(
    must.filter(([key]) => key !== '_meta').map(([key, row]) => [key, sample(row.kind, revision, key)]),
  );
}

/** The value at the root of a carrier that holds something where its path ends. */
export function holding({ root, path }: Carrier, revision: Revision, leaf: unknown): unknown {
  return within(root, path, { revision, leaf });
}

function within(
  kind: Kind,
  [step, ...rest]: readonly ReachStep[],
  { revision, leaf }: { readonly revision: Revision; readonly leaf: unknown },
): unknown {
  if (step === undefined) return leaf;
  const next = (inner: Kind): unknown => within(inner, rest, { revision, leaf });
  if (kind.kind === 'widened') return within(kind.newer.kind, [step, ...rest], { revision, leaf });
  switch (step.kind) {
    case 'field': {
      const row = step.shape.rows[step.key] as Row;
      return { ...sampleOf(step.shape, revision), [step.key]: next(row.kind) };
    }
    case 'item':
    case 'entry': {
      if (kind.kind !== 'array' && kind.kind !== 'map') throw new TypeError(`${kind.kind} holds no items`);
      const inner = next(kind.of.kind);
      return step.kind === 'item' ? [inner] : { some: inner };
    }
    case 'case':
      return next({ kind: 'ref', shape: step.shape, presence: false });
  }
}

/** What a carrier's value holds where the path ends. */
export function held({ path }: Carrier, value: unknown): unknown {
  return path.reduce<unknown>((outer, step) => {
    if (step.kind === 'field') return Object(outer)[step.key];
    if (step.kind === 'item') return Object(outer)[0];
    return step.kind === 'entry' ? Object(outer)['some'] : outer;
  }, value);
}
