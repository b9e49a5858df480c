import type { Icon } from '../protocol/common.ts';
import type { CommonDefinition } from './definition.ts';

/** The fields that listed things have in common, as they travel; what is not given is left out. */
export interface CommonFields {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Takes the common fields of a definition. */
export function common({ title, description, icons, meta }: CommonDefinition): CommonFields {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(icons === undefined ? {} : { icons }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}
