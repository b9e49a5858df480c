import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenRevisions } from '../../../parley/src/protocol/revision.ts';
import { Harness } from './harness/harness.ts';
import type { RawExchange } from './harness/exchange.ts';
import { rawHttp } from './harness/http.ts';
import { Budget } from './harness/limits.ts';
import { Suspects } from './harness/suspects.ts';
import { twice } from './twice.ts';
import { breaks } from './harness/verdict.ts';

test('the silence of a server breaks a rule, and not where its answers take as long as it is waited for', async (t) => {
  const http = rawHttp(new URL('http://127.0.0.1:9/mcp'));
  const nothing = (): void => undefined;
  const [revision = assert.fail()] = chosenRevisions(['2026-07-28']);
  const harness = new Harness(revision, {
    info: { name: 'parley-check', version: '1.0.0' },
    way: { over: 'http', http },
    budget: new Budget({ messages: 10, children: 0, perSecond: Infinity, ms: 10_000 }, t.signal),
    waitTimeoutMs: 20_000,
    openMs: 1_000,
    quietMs: 10,
    calls: [],
    suspects: new Suspects(),
    heard: nothing,
    told: nothing,
    unasked: nothing,
    calledAnyway: nothing,
  });
  const silence: RawExchange = {
    sent: 'POST /mcp',
    status: undefined,
    headers: {},
    text: '',
    messages: [],
    malformed: [],
    end: 'silent',
  };
  const judged = async (exchange: RawExchange) => {
    const probe = async () => breaks(exchange, 'it was not answered');
    return await twice(harness, { id: 'meta-010', message: 'It answers', fix: 'answer', probe });
  };
  assert.equal((await judged(silence)).verdict, 'breaks');
  harness.takeTime(1_100);
  assert.equal((await judged(silence)).verdict, 'breaks');
  harness.takeTime(4_300);
  const late = await judged(silence);
  assert.equal(late.verdict, 'not-judged');
  assert.match('why' in late ? late.why : '', /not answered in 20 s, and each answer takes 4\.3 s/);
  const begun = { ...silence, status: 200, headers: { 'content-type': 'text/event-stream' } };
  assert.equal((await judged(begun)).verdict, 'not-judged');
  assert.equal((await judged({ ...begun, end: 'complete' })).verdict, 'breaks');
  await harness.close();
  http.close();
});
