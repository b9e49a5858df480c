/** A client whose calls end the process of its server keeps no other client from one. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { open, statelessDate, type RawOptions } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import type { RevisionDate } from '../protocol/revision.ts';

const clients: readonly (readonly [title: string, date: RevisionDate, options: RawOptions])[] = [
  ['without a principal and without capabilities', statelessDate, {}],
  ['without a principal, which can be asked', statelessDate, { capabilities: { elicitation: {} } }],
  ['with a session', '2025-11-25', {}],
  ['with a principal', statelessDate, { auth: { principal: 'ann' } }],
];
for (const [title, date, options] of clients)
  it(`a client ${title} crashes its process, and others begin theirs`, async (t) => {
    const upstream = scriptedUpstream({
      up: '2025-11-25',
      kind: 'stdio',
      answers: { 'tools/call': (_, peer) => peer.end() },
    });
    const bridge = await bridgeTo(t, upstream);
    const crashing = await open(bridge, date, options);
    for (let count = 0; count < 8; count++)
      assert.ok('error' in (await crashing.ask('tools/call', { name: 'any' })), String(count));
    const session = await open(bridge, '2025-11-25');
    const signedIn = await open(bridge, statelessDate, { auth: { principal: 'bob' } });
    for (const other of [session, signedIn]) assert.deepEqual((await other.result('tools/list'))['tools'], []);
  });
