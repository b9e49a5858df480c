/** Outcomes of calls whose clients stay away. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo } from '../../../../../../test/support/bridged.ts';
import { scriptedUpstream } from '../../../../../../test/support/scripted-upstream.ts';
import { settle, withMeta, type Json } from '../../../../../../test/support/raw.ts';
import { FinishedCalls, type FinishedCall } from './finished.ts';

const mebi = 1024 * 1024;

/** Outcomes that say their names when they are given up. */
function setup(): { readonly lost: string[]; add(name: string, owner?: string, size?: number): FinishedCall } {
  const finished = new FinishedCalls();
  const lost: string[] = [];
  return {
    lost,
    add: (name, owner, size = 0) => {
      const call: FinishedCall = {
        owner,
        size,
        giveUp: () => {
          finished.delete(call);
          lost.push(name);
        },
      };
      finished.add(call);
      return call;
    },
  };
}

it('whoever leaves the most outcomes loses the oldest of them', () => {
  const { lost, add } = setup();
  add('first', 'ada');
  for (let count = 1; count <= 999; count++) add(`eve ${count}`, 'eve');
  add('second', 'ada');
  add('nobody', undefined);
  assert.deepEqual(lost, ['eve 1', 'eve 2', 'eve 3']);
});

it('a large outcome counts for as many as it takes the room of', () => {
  const { lost, add } = setup();
  add('small', 'ada');
  for (let count = 1; count <= 3; count++) add(`eve ${count}`, 'eve', 20 * mebi);
  add('eve 4', 'eve', 20 * mebi);
  assert.deepEqual(lost, ['eve 1']);
  add('huge', 'bob', 100 * mebi);
  assert.deepEqual(lost, ['eve 1', 'huge']);
});

it('an outcome that waits alone stays, however large it is', () => {
  const { lost, add } = setup();
  add('huge', 'bob', 100 * mebi);
  assert.deepEqual(lost, []);
});

it('the outcomes of one address take no place of those of another', async (t) => {
  let asked = 0;
  const leave: (() => void)[] = [];
  const upstream = scriptedUpstream({
    up: '2025-11-25',
    answers: {
      'tools/call': (sent, peer) => {
        const id = `question ${++asked}`;
        const requestedSchema = { type: 'object', properties: {} };
        peer.send({ jsonrpc: '2.0', id, method: 'elicitation/create', params: { message: '?', requestedSchema } });
        leave.push(() => {
          peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
          peer.reply(sent, { content: [], structuredContent: { id } });
        });
      },
    },
  });
  const bridge = await bridgeTo(t, upstream);
  const call = async (address: string, params: Json = {}): Promise<Json> => {
    const conversation = bridge.endpoint.openConnection({ lasting: false, address, send: () => undefined });
    const whole = withMeta({ name: 'ask', ...params }, { capabilities: { elicitation: { form: {} } } });
    return Object(await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: whole }));
  };
  /** Begins a call that is over before its client comes back. */
  const left = async (address: string): Promise<unknown> => {
    const { requestState } = Object((await call(address))['result']);
    for (const one of leave.splice(0)) one();
    for (let turn = 0; turn < 5; turn++) await settle();
    return requestState;
  };
  const requestState = await left('10.0.0.1');
  const oldest = await left('10.0.0.2');
  for (let count = 1; count <= 1_000; count++) await left('10.0.0.2');
  const mine = Object((await call('10.0.0.1', { requestState, inputResponses: {} }))['result']);
  assert.deepEqual(mine.structuredContent, { id: 'question 1' });
  const lost = await call('10.0.0.2', { requestState: oldest, inputResponses: {} });
  assert.equal(Object(lost['error'])['code'], -32602);
});
