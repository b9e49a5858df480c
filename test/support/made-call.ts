/** A call as a handler gets it, whose client hears what the test keeps. */

import { Call, type CallFacts } from '../../packages/parley/src/server/runtime/call.ts';
import type { JsonObject } from '../../packages/parley/src/protocol/features/common.ts';
import { newestRevision } from '../../packages/parley/src/protocol/revision.ts';

/** A call of a stateless client, with what is sent on its stream. */
export interface MadeCall {
  readonly call: Call;
  /** The notifications, each as its method and its params without `_meta`. */
  readonly sent: (readonly [method: string, params: JsonObject])[];
}

/** Makes a call that nobody has to answer. */
export function madeCall(method: string, facts: Partial<CallFacts> = {}): MadeCall {
  const sent: (readonly [string, JsonObject])[] = [];
  const call = new Call(
    {
      revision: newestRevision,
      client: { info: undefined, capabilities: {} },
      link: {
        lasting: true,
        send: (message) => {
          if (!('method' in message)) return;
          const { _meta, ...params } = message.params ?? {};
          sent.push([message.method, params]);
        },
      },
      logLevel: () => 'debug',
      session: undefined,
      ...facts,
    },
    { jsonrpc: '2.0', id: 7, method },
  );
  return { call, sent };
}
