/** The lists of several servers, fetched at once: who is waited for, how long, and what a failure costs. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { madeCall } from '../../../../../test/support/made-call.ts';
import { settle } from '../../../../../test/support/raw.ts';
import type { Call } from '../../server/runtime/call.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { graceMs } from './begin.ts';
import { gather, mergedHint, type ServerPart } from './lists.ts';
import type { Backend } from './backend.ts';

type Answer = (params: { readonly cursor?: string }, sub: Call) => unknown;

/** A server that is listed by the function. */
function slotOf(name: string, answer: Answer, more: Partial<Backend> = {}): Backend {
  const single = {
    host: {
      handler: () => async (params: object, sub: Call) => answer(params, sub),
      capabilities: () => ({ tools: {} }),
    },
  };
  const backend = {
    name,
    single,
    absent: false,
    late: new Set(),
    answered: () => undefined,
    failed: async () => false,
  };
  return { ...backend, ...more } as unknown as Backend;
}

const page = (...names: readonly string[]) => ({ tools: names.map((name) => ({ name })), ttlMs: 5 });

/** Lists the tools of some servers by a clock of the test. */
function listed(t: TestContext, backends: readonly Backend[], method = 'tools/list') {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { call, sent } = madeCall(method);
  const seen: { parts?: Record<string, unknown>; ttlMs?: unknown; late: unknown[]; warnings: string[] } = {
    late: [],
    warnings: [],
  };
  const namesIn = ({ items }: ServerPart): unknown[] => items.map(({ name }) => name);
  void gather(backends, 'tools', call, {
    serverTimeoutMs: 100,
    onLate: (backend, part) => seen.late.push([backend.name, namesIn(part)]),
    onWarning: (message) => seen.warnings.push(message),
  }).then((parts) => {
    seen.ttlMs = mergedHint(backends, parts)?.ttlMs;
    seen.parts = Object.fromEntries([...parts].map(([{ name }, part]) => [name, namesIn(part)]));
  });
  const pass = async (ms: number): Promise<void> => {
    await settle();
    t.mock.timers.tick(ms);
    await settle();
  };
  return { seen, pass, sent };
}

test('servers that start together are listed together, if they arrive within the grace time', async (t) => {
  let arrive!: () => void;
  const arriving = new Promise<void>((resolve) => (arrive = resolve));
  const slow = slotOf('slow', () => page('s'), { arriving, absent: true });
  const { seen, pass } = listed(t, [slotOf('quick', () => page('q')), slow]);
  await pass(graceMs - 1);
  assert.equal(seen.parts, undefined);
  Object.assign(slow, { arriving: undefined, absent: false });
  arrive();
  await pass(0);
  assert.deepEqual(seen.parts, { quick: ['q'], slow: ['s'] });
});

test('a server that does not arrive within the grace time is left out', async (t) => {
  const hung = slotOf('hung', () => assert.fail(), { arriving: new Promise(() => undefined), absent: true });
  const { seen, pass } = listed(t, [slotOf('quick', () => page('q')), hung]);
  await pass(graceMs - 1);
  assert.equal(seen.parts, undefined);
  await pass(1);
  assert.deepEqual(seen.parts, { quick: ['q'] });
});

test('a late server is waited for once, then for the grace time until it answers', async (t) => {
  let answer!: (part: unknown) => void;
  const late = slotOf('late', () => new Promise((resolve) => (answer = resolve)));
  const first = listed(t, [late]);
  await first.pass(99);
  assert.equal(first.seen.parts, undefined);
  await first.pass(1);
  assert.deepEqual([first.seen.parts, first.seen.warnings.length], [{}, 1]);
  assert.match(first.seen.warnings.join(), /^late did not answer tools\/list within 100 ms: its part is missing$/);
  const firstAnswer = answer;
  t.mock.timers.reset();
  const second = listed(t, [late]);
  await second.pass(graceMs - 1);
  assert.equal(second.seen.parts, undefined);
  await second.pass(1);
  assert.deepEqual([second.seen.parts, second.seen.warnings], [{}, []]);
  firstAnswer(page('l'));
  await settle();
  assert.deepEqual([first.seen.late, [...late.late]], [[['late', ['l']]], []]);
});

test('a list that fails is fetched once more only if its server is there', async (t) => {
  for (const isThere of [true, false]) {
    let asked = 0;
    const fails = (): never => {
      asked++;
      throw new Error('no');
    };
    const { seen, pass } = listed(t, [slotOf('a', fails, { failed: async () => isThere })]);
    await pass(0);
    assert.deepEqual([seen.parts, asked], [{}, isThere ? 2 : 1]);
    t.mock.timers.reset();
  }
});

test('a list is fetched to its last page, without entries that have no name', async (t) => {
  const pages: Answer = ({ cursor }) =>
    cursor === undefined ? { ...page('a'), nextCursor: 'x' } : { tools: [{ name: 'b' }, {}, { name: 7 }, null] };
  const { seen, pass } = listed(t, [slotOf('a', pages)]);
  await pass(0);
  assert.deepEqual(seen.parts, { a: ['a', 'b'] });
});

test('a merged list may be stored for the shortest time, or not at all if a server names none', () => {
  const [one, other] = [slotOf('one', () => page()), slotOf('other', () => page())];
  const part = (ttlMs: number | undefined): ServerPart => ({
    items: [],
    hint: ttlMs === undefined ? undefined : { ttlMs, cacheScope: 'private' },
  });
  const ttlOf = (first?: ServerPart, second?: ServerPart): unknown => {
    const parts = new Map([...(first ? [[one, first] as const] : []), ...(second ? [[other, second] as const] : [])]);
    return mergedHint([one, other], parts)?.ttlMs;
  };
  assert.equal(ttlOf(part(5), part(9)), 5);
  assert.equal(ttlOf(part(5), part(Infinity)), 5);
  for (const missing of [part(undefined), undefined]) assert.equal(ttlOf(part(5), missing), undefined);
  assert.equal(ttlOf(part(Infinity), part(Infinity)), undefined);
});

test('a server that answered is neither late nor asked any more', async (t) => {
  let answers = 0;
  const subs: Call[] = [];
  const backend = slotOf('a', (_, sub) => (subs.push(sub), page('x')), { answered: () => answers++ } as never);
  const { seen, pass } = listed(t, [backend]);
  await pass(0);
  await pass(60_000);
  assert.deepEqual([seen, answers], [{ parts: { a: ['x'] }, ttlMs: 5, late: [], warnings: [] }, 1]);
  assert.deepEqual(
    subs.map(({ aborted, over }) => [aborted, over]),
    [[false, true]],
  );
});

test('a server that is not there is not asked, and its part is missing', async (t) => {
  let answers = 0;
  let asked = 0;
  const none = { answered: () => answers++ } as never;
  const ask = (): never => {
    asked++;
    throw new Error('no');
  };
  const backends = [
    slotOf('unknown', ask, { ...Object(none), single: undefined }),
    slotOf('lost', ask, { ...Object(none), absent: true }),
    slotOf('broken', ask, { ...Object(none), failed: () => Promise.reject(new Error('worse')) }),
  ];
  const { seen, pass } = listed(t, backends);
  await pass(0);
  assert.deepEqual(seen, { parts: {}, ttlMs: undefined, late: [], warnings: ['broken: worse'] });
  assert.deepEqual([answers, asked], [0, 1]);
});

test('a server without the list, or that did not declare it, has an empty part for ever', async (t) => {
  for (const host of [
    { handler: () => undefined, capabilities: () => ({ tools: {} }) },
    { handler: () => () => assert.fail(), capabilities: () => ({ prompts: {} }) },
  ]) {
    const { seen, pass } = listed(t, [
      slotOf('none', () => assert.fail(), { single: { host } as never }),
      slotOf('some', () => page('x')),
    ]);
    await pass(0);
    assert.deepEqual([seen.parts, seen.ttlMs], [{ none: [], some: ['x'] }, 5]);
    t.mock.timers.reset();
  }
});

test('messages of a server reach the client that asked for the list, without progress of a part', async (t) => {
  const tells: Answer = (_, sub) => {
    sub.send('notifications/progress', { progress: 1, progressToken: 't' });
    sub.send('notifications/message', { level: 'info', data: 'x' });
    return page('x');
  };
  for (const [method, count] of [
    ['tools/list', 1],
    ['tools/call', 0],
  ] as const) {
    const { pass, sent } = listed(t, [slotOf('a', tells)], method);
    await pass(0);
    assert.deepEqual(
      sent.map(([name]) => name),
      Array(count).fill('notifications/message'),
    );
    t.mock.timers.reset();
  }
});

test('pages that came before a failure of the connection are kept, and may not be stored without a time', async (t) => {
  const cut: Answer = ({ cursor }) => {
    if (cursor === undefined) return { tools: [{ name: 'a' }], nextCursor: 'x' };
    throw new ConnectionError('invalid-message', 'garbage');
  };
  const { seen, pass } = listed(t, [slotOf('a', cut)]);
  await pass(0);
  assert.deepEqual([seen.parts, seen.ttlMs], [{ a: ['a'] }, undefined]);
  assert.match(seen.warnings.join(), /^a: tools\/list is cut: .*garbage/);
  t.mock.timers.reset();
  const lost = listed(t, [slotOf('a', () => Promise.reject(new McpError('internalError', 'lost')))]);
  await lost.pass(0);
  assert.deepEqual(lost.seen.parts, {});
});
