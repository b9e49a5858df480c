import type { CallFace } from '../runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { ServerParts } from '../parts.ts';
import type * as Through from './through.ts';

/** Method that uses a mounted item. */
export type MountedMethod = 'tools/call' | 'resources/read' | 'prompts/get' | 'completion/complete';

/** One use of an item of a mounted server. */
export interface MountedUse {
  readonly method: MountedMethod;
  /** The parameters by which the client asked, with the name that it knows. */
  readonly params: JsonObject;
  readonly call: CallFace;
  /** Runs it with such parameters; `undefined` means that there is nothing after all. */
  run(params: JsonObject): unknown;
}

/** Runs a use through the middleware and the limits of the mounted server. */
export type Within = (use: MountedUse) => unknown;

let loaded: typeof Through | undefined;

/**
 * Makes the way into a mounted server.
 *
 * @param own Converts the outer name of an item into the mounted server's own name.
 * @param further The way from there, if the item itself comes from a mounted server.
 */
export function withinOf(
  inner: ServerParts,
  own: (params: JsonObject) => JsonObject,
  further: Within | undefined,
): Within {
  const { tools, byTool, completions } = inner.options.rateLimits;
  const isLimited = tools !== undefined || byTool !== undefined || completions !== undefined;
  return (use) => {
    const run = (params: JsonObject): unknown =>
      further === undefined ? use.run(params) : further({ ...use, params });
    if (!isLimited && !inner.chain.used) return run(use.params);
    const way = { inner, own, run };
    return loaded === undefined
      ? import('./through.ts').then((late) => (loaded = late).through(use, way))
      : loaded.through(use, way);
  };
}
