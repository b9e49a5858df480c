/** Two people who use the same program at the same address, in each way in which a bridge may know them. */

import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { open, statelessDate, type Raw, type RawOptions } from './raw.ts';

/** How the two are known. */
export interface Cast {
  readonly title: string;
  readonly ann: RawOptions;
  readonly bob: RawOptions;
}

/** The casts: with principals and without. */
export const casts: readonly Cast[] = [
  { title: 'two people without principals', ann: {}, bob: {} },
  { title: 'two people with principals', ann: { auth: { principal: 'ann' } }, bob: { auth: { principal: 'bob' } } },
  { title: 'two programs of one principal', ann: { auth: { principal: 'ann' } }, bob: { auth: { principal: 'ann' } } },
];

/** Opens a conversation for each of them, stateless by default, with the same name, address and capabilities. */
export async function twoPeople(
  bridge: Servable,
  { ann, bob }: Cast,
  both: RawOptions = {},
  date: RevisionDate = statelessDate,
): Promise<readonly [Raw, Raw]> {
  return [await open(bridge, date, { ...both, ...ann }), await open(bridge, date, { ...both, ...bob })];
}
