import { isRequestId } from '../../jsonrpc/message.ts';
import type { JsonObject, ProgressToken } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Carried } from './carried.ts';
import { progressNotificationParamsShape } from '../../protocol/features/lifecycle.ts';

/** Progress on its way down: what comes under a token of the upstream hop goes out under the token of the client. */
export class ProgressRelays {
  readonly #relays = new Map<ProgressToken, Carried>();
  /** The last value of each request, over all rounds that it takes. */
  readonly #highest = new WeakMap<Carried, number>();
  #last = 0;

  /** A token for the upstream, where the client of the call wants progress. Tokens of different clients may be equal. */
  claim(call: Carried): ProgressToken | undefined {
    if (!isRequestId(call.meta['progressToken'])) return undefined;
    const token = ++this.#last;
    this.#relays.set(token, call);
    return token;
  }

  release(token: ProgressToken | undefined): void {
    if (token !== undefined) this.#relays.delete(token);
  }

  /** Takes a progress notification, with whatever it holds beside what the protocol knows. */
  heard(params: JsonObject, revision: Revision): void {
    const { progressToken } = params;
    const call = isRequestId(progressToken) ? this.#relays.get(progressToken) : undefined;
    const read = call === undefined ? undefined : wellFormed(params, revision);
    if (call === undefined || read === undefined) return;
    // Spec, Progress: the value increases with each notification.
    if (read.progress <= (this.#highest.get(call) ?? Number.NEGATIVE_INFINITY)) return;
    this.#highest.set(call, read.progress);
    call.send('notifications/progress', { ...read, progressToken: call.meta['progressToken'] });
  }
}

/** Progress is a courtesy: what is malformed is dropped. */
function wellFormed(params: JsonObject, revision: Revision): (JsonObject & { readonly progress: number }) | undefined {
  try {
    return { ...fromWire(revision, progressNotificationParamsShape, params) };
  } catch (error) {
    if (error instanceof McpError) return undefined;
    throw error;
  }
}
