import { isRequestId } from '../jsonrpc/message.ts';
import type { Call } from '../peer/call.ts';
import type { ProgressToken } from '../peer/progress.ts';
import type { JsonObject } from '../protocol/common.ts';
import { McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/from-wire.ts';
import type { Revision } from '../protocol/revision.ts';

interface Relay {
  readonly call: Call;
  highest: number;
}

/** Progress on its way down: what comes under a token of the upstream hop goes out under the token of the client. */
export class ProgressRelays {
  readonly #relays = new Map<ProgressToken, Relay>();
  #last = 0;

  /** A token for the upstream, where the client of the call wants progress. Tokens of different clients may be equal. */
  claim(call: Call): ProgressToken | undefined {
    if (!isRequestId(call.meta['progressToken'])) return undefined;
    const token = ++this.#last;
    this.#relays.set(token, { call, highest: Number.NEGATIVE_INFINITY });
    return token;
  }

  release(token: ProgressToken | undefined): void {
    if (token !== undefined) this.#relays.delete(token);
  }

  /** Takes a progress notification, with whatever it holds beside what the protocol knows. */
  heard(params: JsonObject, revision: Revision): void {
    const { progressToken } = params;
    const relay = isRequestId(progressToken) ? this.#relays.get(progressToken) : undefined;
    const read = relay === undefined ? undefined : wellFormed(params, revision);
    // Spec, Progress: the value increases with each notification.
    if (relay === undefined || read === undefined || read.progress <= relay.highest) return;
    relay.highest = read.progress;
    relay.call.send('notifications/progress', { ...read, progressToken: relay.call.meta['progressToken'] });
  }
}

/** Progress is a courtesy: what is malformed is dropped. */
function wellFormed(params: JsonObject, revision: Revision): (JsonObject & { readonly progress: number }) | undefined {
  try {
    return { ...fromWire(revision, 'ProgressNotificationParams', params) };
  } catch (error) {
    if (error instanceof McpError) return undefined;
    throw error;
  }
}
