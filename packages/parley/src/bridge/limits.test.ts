/** Limits of a bridge, each at its value and one above. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../protocol/features/common.ts';
import { McpError } from '../protocol/error.ts';
import { revisionOf, type Revision } from '../protocol/revision.ts';
import { createSeal } from '../sealing/seal.ts';
import { GuardedState } from './guarded-state.ts';
import { UpstreamTools } from './known-tools.ts';
import { exposedNames, labelsOf } from './merged/names.ts';
import { Views } from './merged/name-snapshots.ts';
import { Walks } from './merged/walks.ts';
import { latestOf, PerCaller, senderOf } from './principals/callers.ts';
import { Shares } from './single/shares.ts';
import { wholesOf } from './single/wholes.ts';
import { HeldResult } from './tasks/core/held-result.ts';
import { ToldOfCore } from './tasks/core/core-progress.ts';
import { OrphanedCalls } from './upstream/orphaned-calls.ts';

const revision = revisionOf('2025-11-25') as Revision;

test('one owner takes half of all places, and all together take no more than there are', () => {
  const shares = new Shares(4);
  assert.deepEqual(
    [shares.exceeded(2, 'a'), shares.exceeded(3, 'a'), shares.exceeded(4, undefined)],
    [undefined, 2, undefined],
  );
  assert.equal(shares.exceeded(5, undefined), 4);
  shares.add(1, 'a');
  shares.add(1, undefined);
  assert.deepEqual(
    [shares.exceeded(1, 'a'), shares.exceeded(2, 'a'), shares.exceeded(2, 'b')],
    [undefined, 2, undefined],
  );
  assert.equal(shares.exceeded(3, 'b'), 4);
  shares.add(-1, 'a');
  assert.equal(shares.exceeded(2, 'a'), undefined);
});

test('something is kept for 32 callers, and that used least recently makes way', () => {
  let made = 0;
  const kept = new PerCaller(() => ++made);
  const caller = (index: number) => ({ principal: 'p', clientId: `c${index}`, scopes: [] }) as never;
  for (let index = 1; index <= 32; index += 1) assert.equal(kept.of(caller(index)), index);
  assert.equal(kept.of(caller(1)), 1);
  assert.equal(kept.of(caller(33)), 33);
  assert.equal(kept.of(caller(1)), 1);
  assert.equal(kept.of(caller(2)), 34);
});

test('the last caller counts, unless only the one before can exchange its token', () => {
  const exchange = () => Promise.reject(new Error('not used'));
  const [plain, other, able] = [{ principal: 'a' }, { principal: 'b' }, { principal: 'c', exchange }] as never[];
  assert.ok(plain && other && able);
  assert.equal(latestOf(undefined, plain), plain);
  assert.equal(latestOf(plain, other), other);
  assert.equal(latestOf(able, plain), able);
  assert.equal(latestOf(plain, able), able);
  assert.equal(senderOf({ caller: plain } as never, { latest: other }), plain);
  assert.equal(senderOf({} as never, { latest: other }), other);
  assert.throws(() => senderOf({} as never, { latest: undefined }), { reason: 'login-required' });
});

test('the watched resources of an update are the same, however they are found', () => {
  const uri = `a:/${'x'.repeat(4_093)}`;
  for (const count of [0, 2, 3, 40])
    for (const given of [uri, `${uri}x`]) {
      const filler = Array.from({ length: count }, (_, index) => [`other:${index}`, 0] as const);
      const watched = new Map<string, unknown>([...filler, ['a:/', 0], [given, 0], ['a', 0], [`${given}/`, 0]]);
      assert.deepEqual([...wholesOf(given, watched)].toSorted(), ['a:/', given].toSorted());
    }
});

describe('the state of a server', () => {
  const guard = (principal = 'ann', member = 'm') =>
    new GuardedState({ seal, member }, { method: 'tools/call', auth: { principal } } as never, { name: 't' });
  const seal = createSeal();
  const result = (requestState: unknown) => ({ resultType: 'input_required', requestState }) as JsonObject;

  test('travels up to 262,144 characters, of whatever kind', async () => {
    for (const state of ['x'.repeat(262_144), '\ud800'.repeat(262_144), '']) {
      const { requestState } = await guard().sealed(result(state));
      assert.notEqual(requestState, state);
      assert.equal((await guard().opened({ requestState } as JsonObject))['requestState'], state);
    }
    await assert.rejects(guard().sealed(result('x'.repeat(262_145))), /has 262145 characters, and 262144 are carried/);
  });

  test('comes back from the same principal for the same server only', async () => {
    const { requestState } = await guard().sealed(result('s'));
    for (const wrong of [guard('bob'), guard('ann', 'other')])
      await assert.rejects(wrong.opened({ requestState } as JsonObject), McpError);
    for (const odd of [1, 'x', null, 'x'.repeat(3_000_000)])
      await assert.rejects(guard().opened({ requestState: odd } as JsonObject), { kind: 'invalidParams' });
    assert.deepEqual(await guard().opened({ a: 1 }), { a: 1 });
    for (const plain of [{ resultType: 'complete', requestState: 's' }, result(1), { content: [] }])
      assert.equal(await guard().sealed(plain as JsonObject), plain);
  });
});

test('10,000 tools that need something are known, and the newest definition counts', () => {
  const tools = new UpstreamTools();
  const tool = (name: string, more: object) => ({ name, inputSchema: { type: 'object' as const }, ...more });
  const mirrored = { inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } } } };
  const needy = { ...mirrored, execution: { taskSupport: 'required' } };
  tools.learn(Array.from({ length: 10_001 }, (_, index) => tool(`t${index}`, needy)) as never);
  assert.deepEqual([tools.headerParameters('t9999').length, tools.headerParameters('t10000').length], [1, 0]);
  assert.deepEqual([tools.taskSupport('t9999'), tools.taskSupport('t10000')], ['required', undefined]);
  assert.equal(tools.mirroring.length, 10_000);
  const page = {
    tools: [
      tool('t0', { execution: { taskSupport: 'optional' } }),
      tool('t1', { execution: { taskSupport: 'forbidden' } }),
    ],
  };
  assert.equal(tools.seen(page as never), page);
  assert.deepEqual([tools.taskSupport('t0'), tools.taskSupport('t1')], ['optional', undefined]);
  assert.deepEqual(tools.headerParameters('t0'), []);
  const wrong = { inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } } };
  tools.learn([
    tool('list', { outputSchema: { type: 'array' } }),
    tool('plain', { outputSchema: { type: 'object' } }),
    tool('wrong', wrong),
  ] as never);
  assert.deepEqual([tools.headerParameters('t2'), tools.headerParameters('wrong'), tools.mirroring], [[], [], []]);
  const given = { content: [], structuredContent: { a: 1 } };
  assert.notEqual(tools.fitted(given, 'list', revision), given);
  assert.equal(tools.fitted(given, 'plain', revision), given);
  assert.equal(tools.fitted(given, 1, revision), given);
  assert.equal(tools.fitted({ content: [] }, 'list', revision)['structuredContent'], undefined);
  assert.equal(tools.fitted(given, 'list', revisionOf('2026-07-28') as Revision), given);
});

test('names are unique and at most as long as a tool may have', () => {
  const names = (label: string, length: number) => ({ owner: label, label, names: ['n'.repeat(length)] });
  for (const length of [60, 61, 62, 63, 64, 65, 122, 123, 124, 125, 126, 127, 128]) {
    const exposed = [...exposedNames([names('a', length), names('b', length)], 'always').keys()];
    assert.equal(new Set(exposed).size, 2);
    const full = length + 'a__'.length;
    assert.equal(
      exposed[0]?.startsWith(`a__${'n'.repeat(length)}`) && exposed[0].length === full,
      full <= 128,
      String(length),
    );
    assert.ok(exposed.every((name) => name.length <= 128));
  }
  assert.deepEqual(labelsOf(['s', 's', 's', '']), ['s', 's-2', 's-3', 'server']);
  const lists = [
    { owner: 1, label: 'a', names: ['x', 'y'] },
    { owner: 2, label: 'b', names: ['x', 'a__x'] },
  ];
  const collisions = Object.fromEntries(exposedNames(lists, 'collisions'));
  assert.deepEqual(collisions['y'], { owner: 1, name: 'y' });
  assert.deepEqual(collisions['b__x'], { owner: 2, name: 'x' });
  assert.equal(collisions['x'], undefined);
  assert.equal(Object.values(collisions).length, 4);
  assert.deepEqual(Object.keys(Object.fromEntries(exposedNames([lists[0] as never], 'always'))), ['a__x', 'a__y']);
});

test('the views of 1,000 principals are kept, and of every session', () => {
  const views = new Views();
  const of = (principal: string) => views.of({ auth: { principal } } as never);
  const first = of('p0');
  for (let index = 1; index < 1_000; index += 1) of(`p${index}`);
  assert.equal(of('p0'), first);
  const second = of('p1');
  of('p1000');
  assert.equal(of('p0'), first);
  assert.equal(of('p1'), second);
  assert.notEqual(of('p2'), undefined);
  for (let index = 2_000; index < 2_998; index += 1) of(`p${index}`);
  assert.equal(of('p1'), second);
  assert.notEqual(of('p0'), first);
  const session = { state: new Map() };
  const own = views.of({ session } as never);
  assert.equal(views.of({ session } as never), own);
  assert.notEqual(views.of({ session: { state: new Map() } } as never), own);
});

describe('merged lists that are read page by page', () => {
  const view = { lists: new Map(), late: new Map() };
  const gathered = (kind: 'tools' | 'prompts', count: number) => ({
    kind: kind as never,
    entries: Array.from({ length: count }, (_, index) => [`n${index}`, {}] as const),
    hint: { ttlMs: 100, cacheScope: 'public' as const },
  });

  test('are kept up to 30,000 entries, the newest however many it has', () => {
    const walks = new Walks();
    const other = { lists: new Map(), late: new Map() };
    const small = walks.begin(view, gathered('tools', 10_000));
    const large = walks.begin(other, gathered('tools', 20_000));
    assert.equal(walks.find(view, 'tools' as never, small)?.entries.length, 10_000);
    assert.equal(walks.find(view, 'prompts' as never, small), undefined);
    assert.equal(walks.find(other, 'tools' as never, small), undefined);
    assert.equal(walks.find(view, 'tools' as never, 1), undefined);
    const one = walks.begin(view, gathered('prompts', 1));
    assert.equal(walks.find(view, 'tools' as never, small), undefined);
    assert.equal(walks.find(other, 'tools' as never, large)?.entries.length, 20_000);
    const again = walks.begin(view, gathered('prompts', 40_000));
    assert.deepEqual(
      [one, large].map((id) => walks.find(id === large ? other : view, 'prompts' as never, id)),
      [undefined, undefined],
    );
    assert.equal(walks.find(view, 'prompts' as never, again)?.entries.length, 40_000);
    walks.end(again);
    walks.end(again);
    const last = walks.begin(view, gathered('tools', 30_000));
    assert.notEqual(walks.find(view, 'tools' as never, last), undefined);
    walks.end(last);
  });

  test('rest for ten seconds after each page, and for a minute at most', (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const pass = (ms: number): void => {
      now += ms;
      t.mock.timers.tick(ms);
    };
    const walks = new Walks();
    const id = walks.begin(view, gathered('tools', 1));
    const find = () => walks.find(view, 'tools' as never, id);
    pass(40);
    assert.deepEqual(find()?.hint, { ttlMs: 60, cacheScope: 'public' });
    for (let count = 0; count < 6; count += 1) {
      pass(9_900);
      assert.notEqual(find(), undefined, String(count));
    }
    assert.equal(find()?.hint?.ttlMs, 0);
    pass(559);
    assert.notEqual(find(), undefined);
    pass(1);
    assert.equal(find(), undefined);
    const idle = walks.begin(view, gathered('tools', 1));
    pass(10_000);
    assert.equal(walks.find(view, 'tools' as never, idle), undefined);
  });
});

test('progress of 1,000 tasks stands in for their messages until the server says more', () => {
  const told = new ToldOfCore();
  const task = { taskId: 't', status: 'working', statusMessage: 'old' } as never as { statusMessage: string };
  const shown = (id: string, message = 'old') =>
    told.shown(id, { ...task, statusMessage: message } as never).statusMessage;
  let woken = 0;
  const end = told.watch('t0', () => woken++);
  const other = told.watch('t0', () => woken++);
  told.said('t0', 'half');
  end();
  told.said('t0', 'more');
  other();
  told.said('t0', 'most');
  assert.equal(woken, 3);
  for (let index = 1; index < 1_000; index += 1) told.said(`t${index}`, 'half');
  assert.deepEqual([shown('t0'), shown('t0'), shown('t0', 'new'), shown('t0', 'new')], ['most', 'most', 'new', 'new']);
  told.said('t0', 'again');
  told.said('t1000', 'half');
  assert.deepEqual([shown('t1'), shown('t2'), shown('t1000')], ['old', 'half', 'half']);
  told.ended('t2');
  assert.equal(shown('t2'), 'old');
});

describe('the questions of a task', () => {
  const capabilities = { elicitation: { form: {} }, roots: {}, sampling: {} };
  const held = () => new HeldResult('t', { facts: revision, client: { capabilities } } as never, 'k');
  const form = { message: 'm', requestedSchema: { type: 'object', properties: {} } };
  const never = new AbortController().signal;
  const asks = (result: HeldResult, params: JsonObject = form, signal = never) =>
    result.ask('elicitation/create', params, signal).catch((error: unknown) => String(error));

  test('are 32 at once, 256 in all, and 4,194,304 characters together', async () => {
    const result = held();
    const open = Array.from({ length: 32 }, () => asks(result));
    assert.match(JSON.stringify(await asks(result)), /the task asks too much/);
    assert.deepEqual(
      Object.keys(result.inputRequests),
      Array.from({ length: 32 }, (_, index) => `k-${index + 1}`),
    );
    const answers = (): JsonObject =>
      Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, { action: 'decline' }]));
    result.answer({ other: {}, 'k-1': 1, 'k-2': { action: 'odd' } } as JsonObject);
    assert.equal(Object.keys(result.inputRequests).length, 32);
    result.answer(answers());
    for (const answer of await Promise.all(open))
      assert.deepEqual(answer, {
        action: 'decline',
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } },
      });
    for (let count = 32; count < 256; count += 1) {
      const asked = asks(result);
      result.answer(answers());
      await asked;
    }
    assert.match(JSON.stringify(await asks(result)), /the task asks too much/);
  });

  test('have answers that name their task beside their own metadata', async () => {
    const result = held();
    const asked = asks(result);
    result.answer({ 'k-1': { action: 'decline', _meta: { 'x.example/y': 1 } } });
    const related = { 'io.modelcontextprotocol/related-task': { taskId: 't' } };
    assert.deepEqual(await asked, { action: 'decline', _meta: { 'x.example/y': 1, ...related } });
  });

  test('are refused past 4,194,304 characters that are open', async () => {
    const result = held();
    const empty = JSON.stringify({ ...form, message: '' }).length;
    const long = (length: number) => ({ ...form, message: 'x'.repeat(length - empty) });
    const first = asks(result, long(4_194_304));
    assert.match(JSON.stringify(await asks(result)), /asks too much/);
    result.answer({ 'k-1': { action: 'decline' } });
    await first;
    assert.match(JSON.stringify(await asks(result, long(4_194_305))), /asks too much/);
    const again = asks(result, long(4_194_304));
    result.end('over');
    assert.match(JSON.stringify(await again), /over/);
  });

  test('are withdrawn by their signal, and refused when the result is over', async () => {
    const result = held();
    const controller = new AbortController();
    const asked = asks(result, form, controller.signal);
    const waiting = result.some(60_000);
    controller.abort();
    assert.match(JSON.stringify(await asked), /withdrawn/);
    await waiting;
    assert.match(JSON.stringify(await asks(result, form, AbortSignal.abort())), /withdrawn/);
    await assert.rejects(result.ask('ping', {}, never), { kind: 'methodNotFound' });
    result.end('over');
    assert.match(JSON.stringify(await asks(result)), /withdrawn/);
    await result.some(60_000);
    const bare = new HeldResult('t', { facts: revision, client: { capabilities: {} } } as never, 'k');
    assert.match(JSON.stringify(await asks(bare)), /did not declare/);
  });
});

test('1,000 calls without an answer are known, and more last until the connection ends', async () => {
  const warnings: string[] = [];
  const orphans = new OrphanedCalls((message) => warnings.push(message));
  const given = { logLevel: undefined, session: undefined } as never;
  const answered = Array.from({ length: 1_000 }, () => orphans.of(given));
  assert.equal(orphans.calls?.length, 1_000);
  let isOver = false;
  const over = orphans.over().then(() => (isOver = true));
  for (const one of answered.slice(1)) one();
  await Promise.resolve();
  assert.deepEqual([orphans.exists, isOver], [true, false]);
  answered[0]?.();
  await over;
  assert.equal(orphans.exists, false);
  await orphans.over();
  const more = Array.from({ length: 1_001 }, () => orphans.of(given));
  assert.equal(orphans.calls, undefined);
  for (const one of more) one();
  assert.equal(orphans.exists, true);
  for (const method of ['elicitation/create', 'sampling/createMessage'])
    assert.match(orphans.refusal(method).message, /no client was asked/);
  orphans.silence();
  orphans.silence();
  assert.equal(warnings.length, 2);
  orphans.end();
  assert.deepEqual([orphans.exists, orphans.calls], [false, []]);
  orphans.silence();
  assert.equal(warnings.length, 3);
});
