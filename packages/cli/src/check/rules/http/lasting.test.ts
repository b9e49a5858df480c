import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawExchange } from '../../harness/exchange.ts';
import { ofQuiet } from './lasting.ts';

/** A stream that says what it is for, and then some text. */
function stream(text: string, end: RawExchange['end'] = 'silent'): RawExchange {
  const message = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: {} };
  return {
    sent: '',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    text: `data: ${JSON.stringify(message)}\n\n${text}`,
    messages: [message],
    malformed: [],
    end,
  };
}

test('a stream that is quiet for a minute has comments [http-059]', () => {
  const found = ofQuiet(stream(''), 60_000);
  assert.deepEqual([found.verdict, 'why' in found && found.why], ['breaks', 'nothing came on it for 60 s']);
  assert.equal(ofQuiet(stream(':\n\n'), 60_000).verdict, 'holds');
});

test('a stream that is quiet for less than a minute, or ended, says nothing of comments', () => {
  const late = ofQuiet(stream(''), 59_900);
  assert.equal(late.verdict, 'not-judged');
  // The time that is advised is waited for 24 times.
  const advised = /: --timeout (\d+) or more$/.exec('why' in late ? (late.why ?? '') : '')?.[1];
  assert.equal(ofQuiet(stream(''), 24 * Number(advised)).verdict, 'breaks');
  assert.equal(ofQuiet(stream('', 'complete'), 60_000).verdict, 'not-applicable');
  assert.equal(ofQuiet(stream(':\n\n', 'complete'), 1_000).verdict, 'holds');
});
