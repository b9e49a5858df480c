import type { Call } from '../../server/runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';

/** Parts of a call that carrying it upstream needs: that of a call, or of a request that outlives its calls. */
export interface ForwardedCall extends Pick<
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
  /** Answers questions of the upstream while the request runs; left out if the client cannot be asked. */
  ask?(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** The same request without a log level. */
export function withoutLogs(forwarded: ForwardedCall): ForwardedCall {
  const { method, requestId, facts, client, address, auth, meta, session, inputResponses, requestState } = forwarded;
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
      return forwarded.signal;
    },
    admits: () => false,
    send: (name, params) => forwarded.send(name, params),
  };
}
