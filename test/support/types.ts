/** Every type of the protocol by its name: what the feature files export, so that no list of them can be out of date. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isShape, nameOf, ref, type Row, type ShapeOf, type Type } from '../../packages/parley/src/protocol/shape.ts';
import { root } from './sources.ts';

const folder = join(root, 'packages/parley/src/protocol');
const files = [
  'capability.ts',
  'meta.ts',
  ...readdirSync(join(folder, 'features'))
    .filter((name) => !name.includes('.test'))
    .map((name) => join('features', name)),
];

/** What each type holds. */
export const shapes: ReadonlyMap<string, Row> = new Map(
  (await Promise.all(files.map(typesIn))).flat().toSorted(([a], [b]) => (a < b ? -1 : 1)),
);

/** What the type of a name holds. */
export function rowOf(name: string): Row {
  const row = shapes.get(name);
  if (row === undefined) throw new TypeError(`there is no type ${name}`);
  return row;
}

async function typesIn(file: string): Promise<readonly (readonly [string, Row])[]> {
  // The values of a module by their names.
  const exported = (await import(pathToFileURL(join(folder, file)).href)) as Readonly<Record<string, unknown>>;
  return Object.entries(exported).flatMap(([name, value]) => (isType(value) ? [typed(name, value)] : []));
}

/** Shapes, and the rows of what is one of several; other rows are fields that several types share. */
function isType(value: unknown): value is Type {
  if (typeof value !== 'object' || value === null) return false;
  if ('rows' in value && 'name' in value) return true;
  const { kind, presence } = value as Partial<Row>;
  return presence === 'required' && ['tagged', 'choice', 'map'].includes(kind?.kind ?? '');
}

function typed(exported: string, type: Type): readonly [string, Row] {
  // A shape is one of some interface.
  if (isShape(type)) return [type.name, ref(type as ShapeOf<unknown>)];
  // A map has no name of its own.
  return [type.kind.kind === 'map' ? `${exported[0]?.toUpperCase()}${exported.slice(1)}` : nameOf(type), type];
}
