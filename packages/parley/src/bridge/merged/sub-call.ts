import { Call } from '../../server/runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';

/** Way in which a call for all servers is put to one of them. */
export interface SubCallOptions {
  readonly method: string;
  /** Receives the notifications of this request. Without it there is no log level, and notifications are dropped. */
  readonly send?: (method: string, params: JsonObject) => void;
  /** Aborts it; that of the client's call, unless another follows it. */
  readonly signal?: AbortSignal;
}

/**
 * A request to one of several servers on behalf of a client's call. It has the same caller. If the client's call is
 * aborted, it is aborted too. It may outlive the call.
 */
export function subCall(call: Call, { method, send, signal = call.signal }: SubCallOptions): Call {
  const { facts, client, auth, address, session, requestId } = call;
  const sub = new Call(
    {
      revision: facts,
      client,
      link: {
        network: 'inproc',
        lasting: true,
        address,
        send: (message) => {
          if ('method' in message && !('id' in message)) send?.(message.method, message.params ?? {});
        },
        ...(auth === undefined ? {} : { auth }),
      },
      logLevel: () => (send === undefined ? undefined : call.logLevel),
      session,
    },
    { jsonrpc: '2.0', id: requestId, method },
  );
  if (signal.aborted) sub.abort();
  else signal.addEventListener('abort', () => sub.abort());
  return sub;
}
