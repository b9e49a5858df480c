/** How often a bridge asks a client of a session-based version for one call of a stateless server. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientOf } from '../../../../test/support/bridged.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { createBridge } from '../bridge.ts';

const params = { mode: 'form', message: 'who?', requestedSchema: { type: 'object', properties: {} } };
const asks = {
  resultType: 'input_required',
  inputRequests: { q: { method: 'elicitation/create', params } },
  requestState: 'x',
};

describe('a call for which a server asks without end', () => {
  for (const [what, names] of [
    ['the only server', []],
    ['one server of a list', ['only']],
    ['one server of two', ['first', 'second']],
  ] as const)
    it(`fails after 32 rounds: ${what}`, async (t) => {
      let calls = 0;
      const ways = [...(names.length === 0 ? ['alone'] : names)].map((name) => {
        const upstream = scriptedUpstream({
          up: '2026-07-28',
          answers: {
            'tools/list': { tools: [{ name, inputSchema: { type: 'object' } }] },
            'tools/call': (sent, peer) => {
              calls++;
              peer.reply(sent, asks);
            },
          },
        });
        return [name, { upstream }] as const;
      });
      const [[first, only] = assert.fail()] = ways;
      const onWarning = (): void => undefined;
      const bridge = await (names.length === 0
        ? createBridge({ ...only, onWarning })
        : createBridge({ upstreams: Object.fromEntries(ways), onWarning }));
      t.after(() => bridge.close());
      let asked = 0;
      const client = await clientOf(t, bridge, '2025-11-25', {
        onElicit: () => {
          asked++;
          return { action: 'accept', content: {} };
        },
      });
      await assert.rejects(client.callTool(first), {
        name: 'McpError',
        message: 'the request took more than 32 rounds',
      });
      assert.deepEqual([calls, asked], [32, 31]);
    });
});
