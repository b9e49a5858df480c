import type { Call } from '../../host/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';

/** Parts of a call that carrying it upstream needs: that of a call, or of a request that outlives its calls. */
export interface Carried extends Pick<
  Call,
  | 'method'
  | 'requestId'
  | 'facts'
  | 'client'
  | 'address'
  | 'auth'
  | 'meta'
  | 'signal'
  | 'logLevel'
  | 'session'
  | 'inputResponses'
  | 'requestState'
  | 'admits'
  | 'send'
> {
  /**
   * Answers what the upstream asks while the request runs; left out where nobody can be asked.
   *
   * @throws HandedBack when the request ended before its client was asked: the question may be another request's.
   */
  ask?(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** True when a request of its client waits for it now, so that a question reaches its client at once. */
  readonly awaited?: boolean;
  /** Number of questions that the request was given so far. */
  readonly asked?: number;
}

/** A question that the request which it waited with cannot bring to its client any more. */
export class HandedBack extends Error {
  constructor() {
    super('the request ended before its client was asked');
    this.name = 'HandedBack';
  }
}

/** The same request without a wish for log messages. */
export function withoutLogs(carried: Carried): Carried {
  const { method, requestId, facts, client, address, auth, meta, session, inputResponses, requestState } = carried;
  return {
    method,
    requestId,
    facts,
    client,
    address,
    auth,
    meta,
    session,
    inputResponses,
    requestState,
    logLevel: undefined,
    get signal() {
      return carried.signal;
    },
    admits: () => false,
    send: (name, params) => carried.send(name, params),
  };
}
