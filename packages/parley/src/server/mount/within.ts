import type { Within } from '../definition/mounted-use.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { ServerParts } from '../parts/parts.ts';
import type * as Through from './through.ts';

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
