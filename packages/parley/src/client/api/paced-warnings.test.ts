import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../client.ts';
import { createServer } from '../../server.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { maxWarnings, pacedWarnings } from './paced-warnings.ts';

/** A server that sends 1,000 answers to nothing when the connection opens. */
function talkative(): Transport {
  const inner = memoryTransport(createServer({ name: 's', version: '1' }));
  return {
    ...inner,
    open: async (receiver) => {
      const channel = await inner.open(receiver);
      for (let at = 0; at < 1000; at++) receiver.message({ jsonrpc: '2.0', id: 1_000_000 + at, result: {} });
      return channel;
    },
  };
}

test('a server that causes a warning with each message causes a limited number', async () => {
  const warnings: string[] = [];
  const client = await connect(talkative(), { onWarning: (message) => warnings.push(message) });
  await client.ping();
  await client.close();
  assert.equal(warnings.length, maxWarnings + 1);
  assert.match(warnings.at(-1) ?? '', /further warnings of this minute are not reported/);
});

test('warnings are reported again in the next minute', () => {
  const warnings: string[] = [];
  let now = 0;
  const warn = pacedWarnings(
    (message) => warnings.push(message),
    () => now,
  );
  for (let at = 0; at < 1000; at++) warn('x');
  assert.equal(warnings.length, maxWarnings + 1);
  now = 60_000;
  warn('later');
  assert.equal(warnings.at(-1), 'later');
});
