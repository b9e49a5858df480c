import type { CallFace } from '../runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Parts } from '../parts.ts';
import type * as Through from './through.ts';

/** Method by which what is mounted is used. */
export type MountedMethod = 'tools/call' | 'resources/read' | 'prompts/get' | 'completion/complete';

/** One use of what a mounted server offers. */
export interface MountedUse {
  readonly method: MountedMethod;
  /** The parameters by which the client asked, with the name that it knows. */
  readonly params: JsonObject;
  readonly call: CallFace;
  /** Runs it with such parameters; `undefined` means that there is nothing after all. */
  run(params: JsonObject): unknown;
}

/** The way to what a server offers where another one has it mounted: that server's middleware and its limits. */
export type Within = (use: MountedUse) => unknown;

let loaded: typeof Through | undefined;

/**
 * Makes the way into a mounted server.
 *
 * @param own What the server itself calls something that is used, of what its client calls it.
 * @param further The way from there, where it is mounted itself.
 */
export function withinOf(inner: Parts, own: (params: JsonObject) => JsonObject, further: Within | undefined): Within {
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
