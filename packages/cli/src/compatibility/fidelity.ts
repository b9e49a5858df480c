/**
 * Table of what a client of each revision gets of a server of each revision through a bridge, computed from the
 * protocol's tables.
 */

import { adaptationFeatures } from './adaptations.ts';
import { askingFeatures } from './asking.ts';
import { callFeatures } from './calls.ts';
import type { Feature } from './cells.ts';
import { fieldFeatures } from './fields.ts';
import { servingFeatures } from './serving.ts';

export type { Feature, Fidelity } from './cells.ts';

/** The parts of the table, in order. */
export const groups: readonly string[] = [
  'Opening',
  'Requests',
  'Content and values',
  'Notifications',
  'Requests to the client',
  'Errors',
  'Tasks',
  'Unknown fields and methods',
  'Fields',
];

/** Every feature, in the order of the table. */
export const features: readonly Feature[] = inOrder([
  ...servingFeatures,
  ...adaptationFeatures,
  ...callFeatures,
  ...askingFeatures,
  ...fieldFeatures,
]);

function inOrder(list: readonly Feature[]): readonly Feature[] {
  return list.toSorted((one, another) => groups.indexOf(one.group) - groups.indexOf(another.group));
}
