import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenRevisions } from '../../../../parley/src/protocol/revision.ts';
import { Suspects } from './suspects.ts';
import { Harness } from './harness.ts';
import { rawHttp } from './http.ts';
import { Budget } from './limits.ts';

test('a tool is called by exactly the name that is allowed', async (t) => {
  // Nobody listens there: a call that is let through is not answered.
  const http = rawHttp(new URL('http://127.0.0.1:9/mcp'));
  const nothing = (): void => undefined;
  const [revision = assert.fail()] = chosenRevisions(['2025-11-25']);
  const harness = new Harness(revision, {
    info: { name: 'parley-check', version: '1.0.0' },
    way: { over: 'http', http },
    budget: new Budget({ messages: 10, children: 0, perSecond: Infinity, ms: 10_000 }, t.signal),
    waitTimeoutMs: 1_000,
    openMs: 1_000,
    quietMs: 10,
    calls: [{ name: 'sum' }],
    suspects: new Suspects(),
    heard: nothing,
    told: nothing,
    unasked: nothing,
    calledAnyway: nothing,
  });
  const probeClient = await harness.unopened();
  const call = async (name: string): Promise<string> => (await probeClient.request('tools/call', { name })).end;
  for (const name of ['SUM', 'Sum', 'sum ', 'add']) await assert.rejects(call(name), /may not be called/, name);
  assert.equal(await call('sum'), 'refused');
  await harness.close();
  http.close();
});
