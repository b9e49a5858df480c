/** Rows of clients that alone are judged: one that says the same as another is judged without that too. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { checkAuthorizedClient } from '../../../packages/cli/src/check/client/authorization/check-authorized-client.ts';
import { checkClient } from '../../../packages/cli/src/check/client/run/check-client.ts';

const info = { name: 'parley-check', version: '1.0.0' };
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
  '-bad./x-': 1,
};

/** Rows that are found, and all that are told of, in a client whose `_meta` has a key that is none. */
async function found(t: TestContext, ...only: readonly string[]): Promise<readonly (readonly string[])[]> {
  const { findings, rows } = await checkClient({
    door: { port: 0 },
    info,
    only,
    signal: t.signal,
    async onOpen(origin) {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/list',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
      await (await fetch(`${origin}/mcp`, { method: 'POST', headers, body })).text();
    },
  });
  return [findings.map(({ id }) => id), rows.map(({ id, verdict }) => `${id} ${verdict}`)];
}

test('a row that says the same as another is judged where it alone is chosen, and not twice where both are', async (t) => {
  assert.deepEqual(await found(t, 'meta-003'), [['meta-003'], ['meta-003 breaks']]);
  assert.deepEqual(await found(t, 'meta-002'), [['meta-002'], ['meta-002 breaks']]);
  assert.deepEqual(await found(t, 'meta-002', 'meta-003'), [['meta-002'], ['meta-002 breaks', 'meta-003 not-judged']]);
});

test('rows of clients that there are not are refused', async (t) => {
  const options = { info, only: ['meta', 'nonsense'], signal: t.signal };
  await assert.rejects(checkClient({ ...options, door: { port: 0 } }), RangeError);
  await assert.rejects(checkAuthorizedClient({ ...options, port: 0, limitMs: 1 }), RangeError);
});
