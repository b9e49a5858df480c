/** Questions to the user as older revisions know them. */

import { cannotSay, type Adaptation } from './adaptation.ts';
import type {
  LegacyTitledEnumSchema,
  PrimitiveSchemaDefinition,
  TitledSingleSelectEnumSchema,
} from '../features/elicitation-schema.ts';
import type { ElicitRequestURLParams, ElicitResult } from '../features/elicitation.ts';
import { until, within } from '../lifetime.ts';

/** Options with names before 2025-11-25: the values as `enum`, the names beside them as `enumNames`. */
export const titledOptionsAsEnumNames: Adaptation<PrimitiveSchemaDefinition> = {
  name: 'titledOptionsAsEnumNames',
  life: until('2025-11-25'),
  toWire: (schema) => ('oneOf' in schema && Array.isArray(schema.oneOf) ? asLegacy(schema) : schema),
};

function asLegacy({ oneOf, ...schema }: TitledSingleSelectEnumSchema): LegacyTitledEnumSchema {
  return { ...schema, enum: oneOf.map((option) => option.const), enumNames: oneOf.map((option) => option.title) };
}

/** A URL within 2025-11-25 needs an `elicitationId`, which cannot be made up here. */
export const urlNeedsId: Adaptation<ElicitRequestURLParams> = {
  name: 'urlNeedsId',
  life: within('2025-11-25', '2026-07-28'),
  toWire: (params, revision) => {
    if (params.elicitationId === undefined) throw cannotSay('URL elicitation without an elicitationId', revision);
    return params;
  },
};

/** An answer with several values for one field before 2025-11-25, where no form can ask for it: an error. */
export const oneValuePerField: Adaptation<ElicitResult> = {
  name: 'oneValuePerField',
  life: until('2025-11-25'),
  toWire: (result, revision) => {
    if (Object.values(result.content ?? {}).some(Array.isArray))
      throw cannotSay('an answer of several values', revision);
    return result;
  },
};
