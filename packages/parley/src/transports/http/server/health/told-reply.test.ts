import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceEvent } from '../../../../server/runtime/events/service-event.ts';
import type { HttpReply } from '../exchanges/universal.ts';
import { ToldReply } from './told-reply.ts';

function told() {
  const log: unknown[] = [];
  const events: ServiceEvent[] = [];
  const writer = {};
  const inner = {
    send: (...given: unknown[]) => log.push(['send', ...given]),
    stream: (headers: unknown) => (log.push(['stream', headers]), writer),
    closed: true,
    destroy: () => log.push(['destroy']),
    setHeader: (...given: unknown[]) => log.push(['setHeader', ...given]),
    onClose: (run: unknown) => log.push(['onClose', run]),
  } as unknown as HttpReply;
  return { reply: new ToldReply(inner, (event) => events.push(event)), log, events, writer };
}

test('each refusal is an event with its reason, and no other answer is', () => {
  const { reply, log, events } = told();
  for (const [status, reason] of [
    [200, undefined],
    [399, undefined],
    [400, 'malformed'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [405, 'unacceptable'],
    [406, 'unacceptable'],
    [409, 'conflict'],
    [413, 'too-large'],
    [415, 'unacceptable'],
    [429, 'too-often'],
    [499, 'malformed'],
    [500, 'failed'],
    [503, 'busy'],
  ] as const) {
    const headers = { A: 'b' };
    reply.send(status, 'body', headers);
    assert.deepEqual(log.splice(0), [['send', status, 'body', headers]]);
    assert.deepEqual(events.splice(0), reason === undefined ? [] : [{ type: 'request-refused', reason, status }]);
  }
});

test('all else is passed on as it is', () => {
  const { reply, log, events, writer } = told();
  const run = (): void => undefined;
  assert.equal(reply.stream({ A: 'b' }), writer);
  reply.setHeader('A', 'b');
  reply.onClose(run);
  reply.destroy();
  assert.deepEqual(log, [['stream', { A: 'b' }], ['setHeader', 'A', 'b'], ['onClose', run], ['destroy']]);
  assert.deepEqual([reply.closed, events], [true, []]);
});
