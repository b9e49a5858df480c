/** Several servers as one while one of them never answers. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { frontOf, namedServer, type QuietFrontOptions } from '../../../../../test/support/fronted.ts';
import { open, settle, type Json, type Raw } from '../../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../../test/support/scripted-upstream.ts';
import type { MergedBridge } from '../../bridge.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import { scriptedTransport, type ScriptedTransport, type SentMessage } from '../../testing/scripted.ts';

const dates: readonly RevisionDate[] = ['2025-11-25', '2026-07-28'];

/** A good server before all others that it is with. */
async function frontWith(
  t: TestContext,
  hung: ScriptedTransport,
  options: QuietFrontOptions = {},
): Promise<MergedBridge> {
  const good = namedServer('good', '2025-11-25', { logging: true });
  good.tool('fine', {}, () => 'fine');
  good.prompt('words', {}, () => 'words');
  good.resource('good:1', { name: 'one' }, () => 'one');
  return await frontOf(t, { good, hung }, options);
}

/** Runs something by a clock that is turned on by the grace of 50 ms alone, until it is done; gives how often that took. */
async function graces<T>(t: TestContext, work: Promise<T>): Promise<readonly [T, number]> {
  let done = false;
  void work.then(
    () => (done = true),
    () => (done = true),
  );
  let count = 0;
  while (!done) {
    for (let turn = 0; turn < 200 && !done; turn++) await settle();
    if (done) break;
    t.mock.timers.tick(50);
    assert.ok(++count < 100, 'it is not done within 5 s');
  }
  return [await work, count];
}

function withClock(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
}

/** Requests of some methods, which are not answered until they are let through. */
function holding(methods: readonly string[]) {
  const held: (() => void)[] = [];
  const results: Readonly<Record<string, Json>> = {
    'prompts/list': { prompts: [{ name: 'late' }] },
    'resources/list': { resources: [] },
    'logging/setLevel': {},
    'resources/unsubscribe': {},
  };
  const transport = scriptedUpstream({
    up: '2025-11-25',
    capabilities: { tools: {}, prompts: {}, logging: {}, resources: { subscribe: true } },
    answers: {
      'tools/list': { tools: [{ name: 'other', inputSchema: { type: 'object' } }] },
      ...Object.fromEntries(
        Object.entries(results).map(([method, result]) => [
          method,
          (sent: SentMessage, peer: Parameters<Parameters<typeof scriptedTransport>[1]>[1]) => {
            const answer = (): void => peer.reply(sent, result);
            if (methods.includes(method)) held.push(answer);
            else answer();
          },
        ]),
      ),
    },
  });
  return { transport, letThrough: () => held.splice(0).forEach((run) => run()) };
}

const silent = (): ScriptedTransport => scriptedTransport('stdio', () => undefined);

async function namesIn(raw: Raw, method: string, items: string): Promise<readonly unknown[]> {
  const result = await raw.result(method);
  return (result[items] as readonly Json[]).map(({ name }) => name);
}

describe('a server that never answers', () => {
  for (const date of dates)
    it(`costs the others less than 100 ms: a client of ${date}`, async (t) => {
      withClock(t);
      const [bridge, atBeginning] = await graces(t, frontWith(t, silent()));
      assert.ok(atBeginning <= 1, `${atBeginning}`);
      const [raw, atOpening] = await graces(t, open(bridge, date));
      assert.equal(atOpening, 0);
      const [names, atList] = await graces(t, namesIn(raw, 'tools/list', 'tools'));
      assert.deepEqual(names, ['fine']);
      assert.ok(atList <= 1, `${atList}`);
      const [, atCall] = await graces(t, raw.result('tools/call', { name: 'fine' }));
      assert.equal(atCall, 0);
    });

  it('and no other server keep a bridge from its clients for more than a second', async (t) => {
    withClock(t);
    const [, count] = await graces(t, frontOf(t, { one: silent(), two: silent() }));
    assert.equal(count, 20);
  });

  it('is waited for no more once it was late, until it answers', async (t) => {
    withClock(t);
    const { transport, letThrough } = holding(['prompts/list']);
    const [bridge] = await graces(t, frontWith(t, transport, { serverTimeoutMs: 1_000 }));
    const [raw] = await graces(t, open(bridge, '2025-11-25'));
    const list = (): Promise<readonly unknown[]> => namesIn(raw, 'prompts/list', 'prompts');
    const [first, atFirst] = await graces(t, list());
    const [second, atSecond] = await graces(t, list());
    assert.deepEqual([first, second], [['words'], ['words']]);
    assert.deepEqual([atFirst, atSecond], [20, 1]);
    letThrough();
    await settle();
    assert.ok(raw.methods.includes('notifications/prompts/list_changed'));
  });

  for (const method of ['logging/setLevel', 'resources/unsubscribe'])
    it(`delays no ${method}`, async (t) => {
      withClock(t);
      const { transport } = holding([method]);
      const [bridge] = await graces(t, frontWith(t, transport));
      const [raw] = await graces(t, open(bridge, '2025-11-25'));
      const [, count] = await graces(t, raw.result(method, { level: 'info', uri: 'good:1' }));
      assert.ok(count <= 1, `${count}`);
    });
});
