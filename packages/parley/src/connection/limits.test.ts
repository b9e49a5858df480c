/** Limits of both ends, each at its value and one above, and what is left when a request is over. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ConnectionError } from '../jsonrpc/transport.ts';
import { McpError } from '../protocol/error.ts';
import { revisionOf } from '../protocol/revision.ts';
import { AskedRequests, type CallOptions } from './call-options.ts';
import { checkBudget, overBudget, utf8Bytes } from './budget.ts';
import { canonical, digestOf } from './digest.ts';
import { notFound } from './gate.ts';
import { headerParametersOf } from './header.ts';
import { pageUrl } from './page-url.ts';
import { checkTimeout, PendingRequest, type WaitOptions } from './pending.ts';
import { ProgressRoutes, progressWords, type Progress } from './progress.ts';
import { mayBeAsked, requireCapabilities } from './required-capabilities.ts';
import { InFlightRequests } from './in-flight-requests.ts';
import { samplingProblem } from './sampling-rules.ts';
import { asConnectionError, withToken } from './sending.ts';

const options: CallOptions = { tellCancelled: true };

interface Watched {
  readonly pending: PendingRequest;
  readonly events: string[];
  /** Lets time pass. */
  pass(ms: number): void;
}

function watched(t: TestContext, given: WaitOptions): Watched {
  let now = 0;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => now);
  const events: string[] = [];
  const pending = new PendingRequest({ id: 1, method: 'm', token: undefined, whither: () => ', there' }, given, {
    over: () => events.push('over'),
    givenUp: (_, error) => events.push(`given up: ${error.message}`),
  });
  pending.answer.catch(() => undefined);
  const pass = (ms: number): void => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  return { pending, events, pass };
}

describe('a request that waits', () => {
  test('is over once, whatever comes after', (t) => {
    const controller = new AbortController();
    const { pending, events, pass } = watched(t, { signal: controller.signal, timeoutMs: 10, maxTotalTimeoutMs: 20 });
    pending.settle({});
    pending.settle(new Error('late'));
    pending.touch();
    pending.waiting(true);
    pending.waiting(false);
    controller.abort();
    assert.equal(pending.spend(1e9), false);
    pass(100);
    assert.deepEqual(events, ['over']);
  });

  test('times out at its limit and not before, and says where', (t) => {
    const { events, pass, pending } = watched(t, { timeoutMs: 10 });
    pass(9);
    pending.touch();
    pass(9);
    assert.deepEqual(events, []);
    pass(1);
    assert.deepEqual(events, ['over', 'given up: m was not answered within 10 ms (timeoutMs, there)']);
    assert.equal(pending.overdue, 'm was not answered within 10 ms');
  });

  test('has a longest time that no sign of life extends', (t) => {
    const { events, pass, pending } = watched(t, { timeoutMs: 8, maxTotalTimeoutMs: 20 });
    for (let count = 0; count < 3; count += 1) {
      pass(6);
      pending.touch();
    }
    pass(1);
    assert.deepEqual(events, []);
    pass(1);
    assert.deepEqual(events, ['over', 'given up: m was not answered within 20 ms (maxTotalTimeoutMs, there)']);
  });

  test('has at least 1 ms left after a person was asked', (t) => {
    const { events, pass, pending } = watched(t, { maxTotalTimeoutMs: 20 });
    pass(19.5);
    pending.waiting(true);
    pass(1_000);
    pending.waiting(false);
    pass(0.5);
    assert.deepEqual(events, []);
    pass(1);
    assert.equal(events.length, 2);
  });

  test('stands still until every question and the sign-in are over', (t) => {
    const still = { ms: 0 };
    const { events, pass, pending } = watched(t, { timeoutMs: 10, maxTotalTimeoutMs: 20, still });
    pending.questioned(true);
    pending.questioned(true);
    pending.waiting(true);
    pass(50);
    pending.touch();
    pending.questioned(false);
    pass(50);
    pending.waiting(false);
    pass(50);
    pending.questioned(false);
    assert.equal(still.ms, 150);
    pass(9);
    assert.deepEqual(events, []);
    pass(1);
    assert.equal(events.length, 2);
  });

  test('counts the time of a question during which it is answered', (t) => {
    const still = { ms: 0 };
    const { pass, pending } = watched(t, { maxTotalTimeoutMs: 20, still });
    pending.questioned(true);
    pass(7);
    pending.settle({});
    assert.equal(still.ms, 7);
  });

  for (const timeoutMs of [0, Number.POSITIVE_INFINITY, undefined])
    test(`has no limit with ${timeoutMs}`, (t) => {
      const { events, pass } = watched(t, { timeoutMs, maxTotalTimeoutMs: timeoutMs });
      pass(1e9);
      assert.deepEqual(events, []);
    });
});

test('messages and bytes within a request are counted up to their limits', (t) => {
  const limits = { maxNotifications: 2, maxNotificationBytes: 10 };
  assert.equal(overBudget(limits, 2, 10), undefined);
  assert.match(overBudget(limits, 3, 0) ?? '', /^more than 2 notifications .*\(option maxNotifications\)$/);
  assert.match(overBudget(limits, 0, 11) ?? '', /^more than 10 bytes .*\(option maxNotificationBytes\)$/);
  assert.equal(overBudget({}, 100_000, 64 * 1024 * 1024), undefined);
  assert.notEqual(overBudget({}, 100_001, 0), undefined);
  assert.notEqual(overBudget({}, 0, 64 * 1024 * 1024 + 1), undefined);
  const { pending, events } = watched(t, limits);
  assert.deepEqual([pending.spend(4), pending.spend(6), events.length], [true, true, 0]);
  assert.equal(pending.spend(0), false);
  assert.match(events[1] ?? '', /m was cancelled: more than 2 notifications/);
});

test('a limit must be a number, 0 or more', () => {
  for (const name of ['maxNotifications', 'maxNotificationBytes']) {
    for (const right of [0, 1, Number.POSITIVE_INFINITY, undefined]) checkBudget({ [name]: right });
    for (const wrong of [-1, Number.NaN, '1'])
      assert.throws(() => checkBudget({ [name]: wrong }), new RegExp(`^TypeError: ${name} must be`));
  }
  for (const right of [0, 0.5, Number.POSITIVE_INFINITY, undefined]) checkTimeout(right);
  for (const wrong of [-1, Number.NaN, '1']) assert.throws(() => checkTimeout(wrong as number), TypeError);
});

test('bytes of UTF-8 are counted at the edges of each length', () => {
  for (const text of ['', 'a', '\u007f', '\u0080', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '😀', 'aé😀'])
    assert.equal(utf8Bytes(text), new TextEncoder().encode(text).length, JSON.stringify(text));
});

describe('the requests of one connection', () => {
  const request = { method: 'm', params: undefined };
  const owner = { over: () => undefined, givenUp: () => undefined };
  const ignore = (): void => undefined;

  test('remember 1,000 that were given up, and forget the oldest for one more', () => {
    const asked = new AskedRequests(owner, {});
    const heard: number[] = [];
    const giveUp = (): void => {
      const pending = asked.add(request, { ...options, onLateAnswer: () => heard.push(pending.id) }, ignore);
      asked.remove(pending);
      asked.awaitLate(pending);
    };
    for (let count = 0; count < 1_000; count += 1) giveUp();
    const answer = { jsonrpc: '2.0', id: 1, result: {} } as const;
    asked.takeLate(1)?.(answer);
    assert.deepEqual([heard, asked.takeLate(1)], [[1], undefined]);
    giveUp();
    assert.notEqual(asked.takeLate(2), undefined);
    for (let count = 0; count < 2; count += 1) giveUp();
    assert.equal(asked.takeLate(3), undefined);
    assert.notEqual(asked.takeLate(4), undefined);
    asked.forgetLate();
    assert.equal(asked.takeLate(5), undefined);
  });

  test('know which ids were sent, with a beginning or as text', () => {
    const numbers = new AskedRequests(owner, {});
    const pending = numbers.add(request, options, ignore);
    assert.deepEqual([numbers.idOf(pending), numbers.find('1'), numbers.find(2)], [1, pending, undefined]);
    assert.deepEqual(
      [0, 1, '1', 2, 'x', null].map((id) => numbers.wasSent(id)),
      [false, true, true, false, false, false],
    );
    numbers.remove(pending);
    assert.deepEqual([numbers.find(1), numbers.size, numbers.wasSent(1)], [undefined, 0, true]);
    const texts = new AskedRequests(owner, { idsBegin: 's' });
    const other = texts.add(request, options, ignore);
    assert.deepEqual(
      [texts.idOf(other), texts.find('s1'), texts.find(1), texts.find('1')],
      ['s1', other, undefined, undefined],
    );
  });

  test('tell the only one that waits, a listen request only where nothing else does', () => {
    const asked = new AskedRequests(owner, {});
    const listen = { method: 'subscriptions/listen', params: undefined };
    assert.equal(asked.only(), undefined);
    const first = asked.add(listen, options, ignore);
    assert.equal(asked.only(), first);
    const second = asked.add(listen, options, ignore);
    assert.equal(asked.only(), undefined);
    const third = asked.add(request, options, ignore);
    assert.equal(asked.only(), third);
    asked.add(request, options, ignore);
    assert.equal(asked.only(), undefined);
    assert.deepEqual(asked.all().slice(0, 3), [first, second, third]);
  });

  test('route progress by the token that was asked for, until it is released', () => {
    const asked = new AskedRequests(owner, {});
    const heard: Progress[] = [];
    const hear = (progress: Progress): void => void heard.push(progress);
    const given = { method: 'm', params: { _meta: { progressToken: 't' } } };
    // A token in the params is used where nobody here wants one.
    assert.equal(asked.add(request, options, hear).token, undefined);
    const passed = asked.add(given, options, hear);
    assert.equal(passed.token, 't');
    assert.equal(asked.add(given, options, hear).token, undefined);
    const own = asked.add(given, { ...options, onProgress: () => undefined }, hear);
    assert.notEqual(own.token, 't');
    assert.throws(() => asked.add(request, { ...options, progressToken: 't' }, hear), /progress token "t" is in use/);
    assert.equal(asked.hear({ progressToken: 't', progress: 1, total: 2, message: 'm' }), true);
    assert.deepEqual(heard, [{ progress: 1, total: 2, message: 'm' }]);
    assert.equal(asked.reported({ progressToken: 't' }), passed.id);
    asked.remove(passed);
    assert.equal(asked.hear({ progressToken: 't', progress: 2 }), false);
    let release = ignore;
    const held = asked.add(request, { ...options, progressToken: 'h', holdProgress: (end) => (release = end) }, hear);
    asked.remove(held);
    assert.equal(asked.hear({ progressToken: 'h', progress: 3 }), true);
    release();
    assert.equal(asked.hear({ progressToken: 'h', progress: 4 }), false);
  });
});

test('reports of progress that are malformed reach nobody', () => {
  const routes = new ProgressRoutes();
  const heard: Progress[] = [];
  const route = { request: 7, hear: (progress: Progress) => void heard.push(progress) };
  const token = routes.claim(undefined, route);
  assert.equal(token, 1);
  routes.claim(2, route);
  assert.equal(routes.claim(undefined, route), 3);
  assert.throws(() => routes.claim(1.5 as never, route), /must be a string or an integer/);
  for (const params of [
    undefined,
    {},
    { progressToken: 1 },
    { progressToken: 1, progress: '1' },
    { progressToken: null, progress: 1 },
    { progressToken: 9, progress: 1 },
    { progressToken: 'x', progress: 1 },
  ])
    assert.equal(routes.hear(params), false, JSON.stringify(params));
  assert.equal(routes.hear({ progressToken: '1', progress: 1, total: 'x', message: 1 }), true);
  assert.deepEqual(heard, [{ progress: 1 }]);
  assert.deepEqual(
    [routes.own('2'), routes.own(4), routes.own({}), routes.requestOf({ progressToken: 2 })],
    [2, undefined, undefined, 7],
  );
  assert.equal(progressWords({ progress: 1 }), '1');
  assert.equal(progressWords({ progress: 1, total: 2, message: 'half' }), '1 of 2: half');
});

test('as many requests of the peer run as allowed, cancelled ones included', () => {
  const running = new InFlightRequests(2);
  const aborted: unknown[] = [];
  const run = (requestId: number) => ({ requestId, abort: (reason?: unknown) => void aborted.push(requestId, reason) });
  const [one, two] = [run(1), run(2)];
  assert.equal(running.obstacle(1), undefined);
  running.add(one);
  assert.deepEqual([running.obstacle(1), running.obstacle(2)], ['duplicate', undefined]);
  running.add(two);
  assert.equal(running.obstacle(3), 'busy');
  running.free(one);
  assert.deepEqual([running.obstacle(1), running.size, running.count], ['busy', 1, 2]);
  running.forget(one);
  assert.equal(running.obstacle(1), undefined);
  running.cancelled({ requestId: 2, reason: 'r' });
  running.cancelled({ requestId: 9 });
  running.cancelled({ requestId: null });
  running.cancelled(undefined);
  assert.deepEqual(aborted, [2, 'r']);
});

test('names that a peer chose are cut in messages', () => {
  assert.equal(notFound('m'.repeat(128), 'why').message, `${'m'.repeat(128)} why`);
  assert.equal(notFound('m'.repeat(129), 'why').message, `${'m'.repeat(128)}… why`);
  const missing = (length: number): string | undefined =>
    samplingProblem({
      messages: [{ role: 'assistant', content: { type: 'tool_use', id: 'i'.repeat(length), name: 'n', input: {} } }],
    });
  assert.equal(missing(64), `the tool result of "${'i'.repeat(64)}" is missing`);
  assert.equal(missing(65), `the tool result of "${'i'.repeat(64)}…" is missing`);
});

test('annotations of headers are found 128 levels deep', () => {
  const nested = (levels: number): unknown => {
    let schema: unknown = { type: 'string', 'x-mcp-header': 'X' };
    for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { a: schema } };
    return schema;
  };
  assert.equal(headerParametersOf(nested(128)).parameters.length, 1);
  assert.deepEqual(headerParametersOf(nested(129)), { parameters: [], problems: [] });
});

test('a page of a peer is https, or http on this machine, and names no user', () => {
  const right = [
    'https://a.example/x',
    'http://localhost:1/',
    'http://a.localhost',
    'http://[::1]/',
    'http://127.0.0.1',
  ];
  for (const url of right) assert.equal(pageUrl(url)?.href, new URL(url).href);
  for (const url of [
    'http://a.example/',
    'http://127.0.0.1.example/',
    'http://xlocalhost/',
    'javascript:alert(1)',
    'https://user@a.example/',
    'https://:pass@a.example/',
    'https://a.example/ x',
    'https://a.example/\u007f',
    '/x',
  ])
    assert.equal(pageUrl(url), undefined, url);
});

test('what a question needs depends on its kind and the version', () => {
  const [old, early, form] = ['2024-11-05', '2025-06-18', '2025-11-25'].map((date) => revisionOf(date));
  assert.ok(old && early && form);
  const ask = { messages: [] };
  for (const [method, params, revision, needs] of [
    ['roots/list', {}, form, { roots: {} }],
    ['elicitation/create', { mode: 'url' }, form, { elicitation: { url: {} } }],
    ['elicitation/create', {}, form, { elicitation: { form: {} } }],
    ['elicitation/create', {}, early, { elicitation: {} }],
    ['sampling/createMessage', ask, form, { sampling: {} }],
    ['sampling/createMessage', { ...ask, tools: [] }, form, { sampling: { tools: {} } }],
    ['sampling/createMessage', { ...ask, toolChoice: {} }, form, { sampling: { tools: {} } }],
    ['sampling/createMessage', { ...ask, includeContext: 'thisServer' }, form, { sampling: { context: {} } }],
    ['sampling/createMessage', { ...ask, includeContext: 'none' }, form, { sampling: {} }],
    ['sampling/createMessage', { ...ask, includeContext: 'thisServer' }, early, { sampling: {} }],
  ] as const) {
    requireCapabilities(method, params, revision, needs);
    assert.equal(mayBeAsked({ method, params }, revision, needs), true);
    assert.equal(mayBeAsked({ method, params }, revision, {}), false);
    assert.throws(
      () => requireCapabilities(method, params, revision, {}),
      (error) => error instanceof McpError && error.kind === 'missingRequiredClientCapability',
    );
  }
  const wrong = { messages: [{ role: 'user', content: { type: 'tool_use', id: 'i', name: 'n', input: {} } }] };
  assert.throws(() => requireCapabilities('sampling/createMessage', wrong, form, { sampling: {} }), TypeError);
});

test('equal values have one digest, and JSON decides what is left out', () => {
  assert.equal(canonical({ b: 1, a: [undefined, () => 1, 'x'], c: undefined }), '{"a":[null,null,"x"],"b":1}');
  assert.equal(canonical(undefined), 'null');
  assert.equal(canonical({ at: new Date(0) }), '{"at":"1970-01-01T00:00:00.000Z"}');
  assert.equal(digestOf({ a: 1, b: 2 }), digestOf({ b: 2, a: 1 }));
  assert.notEqual(digestOf({ a: 1 }), digestOf({ a: 2 }));
});

test('errors of sending keep what they are', () => {
  const closed = new ConnectionError('closed', 'x');
  assert.equal(asConnectionError(closed, 'm'), closed);
  const denied = Object.assign(new Error('no'), { name: 'AuthorizationError' });
  assert.equal(asConnectionError(denied, 'm'), denied);
  const other = new Error('other');
  assert.deepEqual(
    [(asConnectionError(other, 'm') as ConnectionError).reason, asConnectionError(other, 'm').cause],
    ['closed', other],
  );
  assert.equal(asConnectionError(other, 'm').message, 'm could not be sent: other');
  assert.equal((asConnectionError(undefined, 'm') as ConnectionError).message, 'm could not be sent');
  assert.deepEqual(withToken({ a: 1, _meta: { k: 1 } }, 't'), { a: 1, _meta: { k: 1, progressToken: 't' } });
  assert.deepEqual(withToken({ _meta: 'odd' as never }, 't'), { _meta: { progressToken: 't' } });
});
