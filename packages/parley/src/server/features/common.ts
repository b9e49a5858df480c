import type { Icon } from '../../protocol/features/common.ts';
import { isMetaKey, isReservedMetaKey } from '../../protocol/meta.ts';
import type { CommonDefinition } from '../definition/definition.ts';

/** The common fields of listed items in wire form. Missing fields are left out. */
export interface CommonFields {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/**
 * Takes the common fields of a definition.
 *
 * @throws TypeError for a key that `_meta` cannot have.
 */
export function common({ title, description, icons, meta }: CommonDefinition): CommonFields {
  for (const key of Object.keys(meta ?? {})) {
    if (!isMetaKey(key))
      throw new TypeError(`${JSON.stringify(key)} is no key of meta; keys are names, such as com.example/name`);
  }
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(icons === undefined ? {} : { icons }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/**
 * A sentence if the specification advises against the `meta` of a definition that works all the same; otherwise
 * `undefined`.
 */
export function metaProblem(what: string, { meta }: CommonDefinition): string | undefined {
  const key = Object.keys(meta ?? {}).find(isReservedMetaKey);
  return key === undefined
    ? undefined
    : `${what} has ${JSON.stringify(key)} in its meta, under a prefix that is reserved for MCP`;
}
