/** The lines that follow from the tables of types: one for each field that not every revision has. */

import { isAlive } from '../../../parley/src/protocol/lifetime.ts';
import { carriers, type Carrier } from '../../../parley/src/protocol/reach.ts';
import { revisions } from '../../../parley/src/protocol/revision.ts';
import type { Kind, Row, Shape } from '../../../parley/src/protocol/shape.ts';
import { unasked } from './asking.ts';
import { carried, changed, ends, nothing, other, type Feature } from './cells.ts';

/** A field that lives in some revisions alone. */
export interface FieldFact {
  readonly shape: Shape;
  readonly field: string;
  readonly row: Row;
  readonly carrier: Carrier;
}

/**
 * The lines of fields that change in a special way between revisions: by the field, with its type or with `*` for any.
 */
export const toldElsewhere: ReadonlyMap<string, string> = new Map([
  ['*.resultType', 'result-type'],
  ['*.inputResponses', 'rounds'],
  ['*.requestState', 'rounds'],
  ['*.ttlMs', 'caching-hints'],
  ['*.cacheScope', 'caching-hints'],
  ['*.task', 'tasks-parameter'],
  ['ServerCapabilities.tasks', 'tasks-capability'],
  ['ClientCapabilities.tasks', 'tasks-of-clients'],
  ['ServerCapabilities.completions', 'completions-capability'],
  ['CallToolResult.structuredContent', 'structuredContentAsText'],
  ['CreateMessageRequestParams.tools', 'noToolsForModels'],
  ['CreateMessageRequestParams.toolChoice', 'noToolsForModels'],
  ['ElicitRequestURLParams.elicitationId', 'elicitation-url'],
]);

/** Every field that not all revisions of its type have, by the name of its line. */
export const fieldFacts: ReadonlyMap<string, FieldFact> = new Map(
  [...carriers].flatMap(([name, carrier]) => {
    const shape = shapeAt(carrier);
    if (shape === undefined || shape.name !== name) return [];
    return Object.entries(shape.rows)
      .filter(([, row]) => revisions.some((revision) => isAlive(shape.life, revision) && !isAlive(row.life, revision)))
      .map(([field, row]): [string, FieldFact] => [`${name}.${field}`, { shape, field, row, carrier }]);
  }),
);

/** The shape that a carrier leads to, unless it is one of several. */
function shapeAt({ root, path }: Carrier): Shape | undefined {
  let kind: Kind | undefined = root;
  for (const step of path) {
    if (kind?.kind === 'widened') kind = kind.newer.kind;
    if (step.kind === 'field') kind = step.shape.rows[step.key]?.kind;
    else if (step.kind === 'case') kind = { kind: 'ref', shape: step.shape, presence: false };
    else kind = kind?.kind === 'array' || kind?.kind === 'map' ? kind.of.kind : undefined;
  }
  return kind?.kind === 'ref' ? kind.shape : undefined;
}

/** The line that covers a field, if it is not its own. */
export function elsewhere(fact: FieldFact): string | undefined {
  return toldElsewhere.get(`${fact.shape.name}.${fact.field}`) ?? toldElsewhere.get(`*.${fact.field}`);
}

/** One line for each field. */
export const fieldFeatures: readonly Feature[] = [...fieldFacts]
  .filter(([, fact]) => elsewhere(fact) === undefined)
  .map(([id, fact]) => featureOf(id, fact));

function featureOf(id: string, { shape, row, carrier }: FieldFact): Feature {
  return {
    id,
    title: `\`${id}\`, ${spanOf(row)}`,
    group: 'Fields',
    between: (client, server) => {
      const { sender, receiver, who } = ends(carrier.direction, client, server);
      if (!isAlive(row.life, sender) || !isAlive(shape.life, sender)) return nothing(`the ${who}'s revision has none`);
      const without = unasked({ method: carrier.method, needs: shape.life }, client, server);
      if (without !== undefined) return without;
      if (isAlive(row.life, receiver) && isAlive(shape.life, receiver)) return carried;
      return changed(`left out; the ${other(who)}'s revision has none`);
    },
  };
}

/** The life of a row in words. */
function spanOf({ life }: Row): string {
  const first = revisions[life.first]?.date;
  const last = revisions[life.end - 1]?.date;
  if (life.first === life.end - 1) return `in ${first} alone`;
  if (life.first === 0) return `until ${last}`;
  return life.end === revisions.length ? `since ${first}` : `from ${first} to ${last}`;
}
