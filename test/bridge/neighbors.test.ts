/** People who share a guarded bridge, and the connections that it may have: none of them is in the way of the others for longer than they must be. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Fetch } from '../../packages/parley/src/protect.ts';
import { testIssuer } from '../../packages/parley/src/testing/issuer.ts';
import { guardedBridge, type GuardedBridge } from '../support/guarded-bridge.ts';
import { speaking } from '../support/http-speaker.ts';

const two = { maxUpstreams: 2, maxUpstreamsPerClient: 2 };

/** Calls a tool without a session. */
async function said({ front, tokenOf }: GuardedBridge, person: string, tool = 'whoami'): Promise<string> {
  const probeClient = await speaking(front.url, '2026-07-28', { authorization: `Bearer ${await tokenOf(person)}` });
  return await probeClient.request('tools/call', { name: tool, arguments: {} });
}

/** The one whose token a form exchanges. */
function subjectOf(form: string): unknown {
  const [, payload = ''] = (new URLSearchParams(form).get('subject_token') ?? '').split('.');
  if (payload === '') return undefined;
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly sub?: unknown }).sub;
}

describe('the connections of a bridge for many people', () => {
  test('are no more than there may be, whoever has none makes way', async (t) => {
    const issuer = testIssuer();
    const fetch: Fetch = async (url, request) =>
      subjectOf(request.body ?? '') === 'eve'
        ? Response.json({ error: 'access_denied' }, { status: 400 })
        : await issuer.fetch(url, request);
    const held: (() => void)[] = [];
    let began!: () => void;
    const bothBegan = new Promise<void>((resolve) => (began = resolve));
    const guarded = await guardedBridge(t, {
      up: '2026-07-28',
      issuer,
      protect: { fetch },
      bridge: two,
      define: (server) =>
        void server.tool('hold', {}, async () => {
          const over = new Promise<void>((resolve) => held.push(resolve));
          if (held.length === 2) began();
          await over;
          return 'held';
        }),
    });
    // Eve is known, and has no connection that could be closed.
    assert.match(await said(guarded, 'eve'), /no access/);
    const calls = [said(guarded, 'ann', 'hold'), said(guarded, 'bob', 'hold')];
    await bothBegan;
    assert.match(await said(guarded, 'dan'), /2 upstream connections in use/);
    for (const release of held) release();
    for (const call of calls) assert.match(await call, /"text":"held"/);
    assert.match(await said(guarded, 'dan'), /"text":"dan"/);
  });

  for (const up of ['2025-11-25', '2026-07-28'] as const)
    test(`are given up by people whose sessions rest, and who come back to them (${up})`, async (t) => {
      const { as } = await guardedBridge(t, { up, bridge: two });
      const people = ['ann', 'bob', 'eve'];
      const clients = [];
      for (const person of people) clients.push([person, await as(person, '2025-11-25')] as const);
      for (const [person, client] of [...clients, ...clients]) {
        const call = (): ReturnType<typeof client.callTool> => client.callTool('whoami', {});
        const { content } = await call().catch(async (error: Error) => {
          // A session that made way is begun anew.
          assert.match(error.message, /it may be sent again/);
          return await call();
        });
        assert.deepEqual(content, [{ type: 'text', text: person }]);
      }
    });
});
