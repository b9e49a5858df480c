import type { CallFace } from '../runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';

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
