/** Limits of a client, each at its value and one above. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ResponseMessage } from '../jsonrpc/message.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import { McpError } from '../protocol/error.ts';
import type { PrimitiveSchemaDefinition } from '../protocol/features/elicitation-schema.ts';
import { revisionOf } from '../protocol/revision.ts';
import { believable, createKnownServers } from './connection/negotiation-cache.ts';
import { disproves, isPassing, isRepeatable, mayPass, Rate, ToolHints } from './connection/retry.ts';
import { AnsweredQuestions } from './middleware/answered-questions.ts';
import { formProblem } from './input/elicitation-form.ts';
import { ElicitationIds } from './input/elicitation-ids.ts';
import { KnownTools, withoutInvalidHeaders } from './requests/known-tools.ts';
import { combinedHint, hintOf, walkPages } from './api/pages.ts';
import { covers } from './api/subscription.ts';

const hour = 3_600_000;

describe('a value in a form at the limit of its field', () => {
  const array = { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } } as const;
  const table: readonly (readonly [PrimitiveSchemaDefinition, unknown, string | undefined])[] = [
    [{ ...array, minItems: 2 }, ['a', 'b'], undefined],
    [{ ...array, minItems: 2 }, ['a'], '2 or more of its options'],
    [{ ...array, maxItems: 2 }, ['a', 'b'], undefined],
    [{ ...array, maxItems: 2 }, ['a', 'b', 'c'], '2 or fewer of its options'],
    [{ type: 'integer', minimum: 2 }, 2, undefined],
    [{ type: 'integer', minimum: 2 }, 1, 'must be 2 or more'],
    [{ type: 'number', maximum: 2 }, 2, undefined],
    [{ type: 'number', maximum: 2 }, 2.5, 'must be 2 or less'],
    [{ type: 'string', minLength: 2 }, 'ab', undefined],
    [{ type: 'string', minLength: 2 }, '😀', '2 or more characters'],
    [{ type: 'string', maxLength: 2 }, '😀😀', undefined],
    [{ type: 'string', maxLength: 2 }, 'abc', '2 or fewer characters'],
    [{ type: 'string', format: 'email' }, 'a', 'must be an email'],
    [{ type: 'string', format: 'uri' }, 'a', 'must be a uri'],
    [{ type: 'string', format: 'uri' }, 'a:b', undefined],
    [{ type: 'string', format: 'date' }, '2024-02-30', 'must be a date'],
    [{ type: 'string', format: 'date-time' }, '2024-02-29T23:59:60Z', undefined],
    [{ type: 'string', format: 'date-time' }, '2024-02-29 24:00:00Z', 'must be a date-time'],
    [{ type: 'integer' }, 1.5, 'must be an integer'],
    [{ type: 'number' }, '1', 'must be a number'],
    [{ type: 'boolean' }, 1, 'must be true or false'],
  ];
  for (const [field, value, problem] of table)
    test(`${JSON.stringify(value)} for ${JSON.stringify(field)}`.slice(0, 78), () => {
      const form = { type: 'object', properties: { key: field } } as const;
      const found = formProblem(form, { key: value as string });
      if (problem === undefined) assert.equal(found, undefined);
      else assert.ok(found?.includes(problem) === true && found.startsWith('"key" '), found);
    });

  test('a long name of a field is cut at 64 characters', () => {
    const required = (length: number): string =>
      formProblem({ type: 'object', properties: {}, required: ['k'.repeat(length)] }, {}) ?? '';
    assert.equal(required(64), `"${'k'.repeat(64)}" is required`);
    assert.equal(required(65), `"${'k'.repeat(64)}…" is required`);
  });
});

describe('answered questions', () => {
  const question = (id: number, text = '') =>
    ({ jsonrpc: '2.0', id, method: 'elicitation/create', params: { message: text } }) as const;
  const answer = (id: number): ResponseMessage => ({ jsonrpc: '2.0', id, result: { action: 'decline' } });

  test('100 are kept, and the oldest is forgotten for one more', () => {
    const kept = new AnsweredQuestions();
    for (let id = 1; id <= 100; id += 1) kept.keep(question(id), 1, answer(id));
    assert.deepEqual(kept.find(question(1), 1)?.answer, answer(1));
    kept.keep(question(101), 1, answer(101));
    assert.equal(kept.find(question(1), 1), undefined);
    assert.deepEqual(kept.find(question(2), 1)?.answer, answer(2));
    assert.deepEqual(kept.find(question(101), 1)?.answer, answer(101));
  });

  test('one of 1,048,576 characters with its answer is kept, a longer one is not', () => {
    const rest = JSON.stringify(question(1)).length + JSON.stringify(answer(1)).length;
    const fits = question(1, 'x'.repeat(1_048_576 - rest));
    const kept = new AnsweredQuestions();
    kept.keep(fits, 1, answer(1));
    assert.deepEqual(kept.find(fits, 1)?.answer, answer(1));
    const over = question(1, `${fits.params.message}x`);
    kept.keep(over, 1, answer(1));
    assert.equal(kept.find(over, 1), undefined);
    assert.equal(kept.find(fits, 1), undefined);
  });

  test('the oldest are forgotten when all together are too long', () => {
    const kept = new AnsweredQuestions();
    const half = (id: number): ReturnType<typeof question> => question(id, 'x'.repeat(520_000));
    for (const id of [1, 2]) kept.keep(half(id), 1, answer(id));
    assert.notEqual(kept.find(half(1), 1), undefined);
    kept.keep(half(2), 1, answer(2));
    assert.notEqual(kept.find(half(1), 1), undefined, 'one that is kept again is counted once');
    kept.keep(half(3), 1, answer(3));
    assert.equal(kept.find(half(1), 1), undefined);
    assert.notEqual(kept.find(half(2), 1), undefined);
  });

  test('only those of a person, within a request, with the same text and id are found', () => {
    const kept = new AnsweredQuestions();
    const roots = { jsonrpc: '2.0', id: 1, method: 'roots/list' } as const;
    kept.keep(roots, 1, answer(1));
    assert.equal(kept.find(roots, 1), undefined);
    kept.keep(question(2), undefined, answer(2));
    assert.equal(kept.find(question(2), undefined), undefined);
    kept.keep(question(3), 1, undefined);
    assert.deepEqual(kept.find(question(3), 1)?.answer, undefined);
    assert.notEqual(kept.find(question(3), 1), undefined);
    assert.equal(kept.find(question(3), 2), undefined);
    assert.equal(kept.find(question(3, 'other'), 1), undefined);
  });
});

describe('elicitation ids', () => {
  test('1,000 are remembered, and the oldest is forgotten for one more', () => {
    const ids = new ElicitationIds(() => 0);
    for (let id = 1; id <= 1_001; id += 1) ids.add(String(id));
    assert.equal(ids.complete('1'), false);
    assert.equal(ids.complete('2'), true);
    assert.equal(ids.complete('2'), false);
  });

  test('one is known for less than an hour, from when it was first added', () => {
    let now = 0;
    const ids = new ElicitationIds(() => now);
    for (const id of ['a', 'b', 'c']) ids.add(id);
    now = hour - 1;
    ids.add('b');
    assert.equal(ids.complete('a'), true);
    now = hour;
    assert.equal(ids.complete('b'), false);
    ids.add('c');
    assert.equal(ids.complete('c'), true);
  });
});

test('the limits of retries hold at their values', () => {
  const rate = new Rate(2, 10);
  assert.equal(rate.exhausted(0), false);
  rate.note(0);
  assert.equal(rate.exhausted(1), false);
  rate.note(5);
  assert.equal(rate.exhausted(9), true);
  assert.equal(rate.exhausted(10), false);
  const hints = new ToolHints(2);
  const tool = (name: string, annotations: object) => ({ name, inputSchema: { type: 'object' } as const, annotations });
  hints.learn([tool('a', { readOnlyHint: true }), tool('b', { idempotentHint: true })]);
  assert.deepEqual(
    ['a', 'b', 1].map((name) => hints.has(name)),
    [true, true, false],
  );
  hints.learn([tool('a', { readOnlyHint: true }), tool('c', { readOnlyHint: true })]);
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => hints.has(name)),
    [true, false, true],
  );
  hints.learn([tool('a', { readOnlyHint: false }), tool('c', {})]);
  assert.deepEqual(
    ['a', 'c'].map((name) => hints.has(name)),
    [false, false],
  );
});

test('each failure says whether the next attempt may succeed', () => {
  const http = (status: number): ConnectionError => new ConnectionError('http', 'x', { status });
  const statuses = [399, 400, 403, 404, 408, 429, 499, 500, 503];
  assert.deepEqual(
    statuses.filter((status) => disproves(http(status))),
    [400, 404, 408, 429, 499],
  );
  assert.deepEqual(
    statuses.filter((status) => isPassing(http(status))),
    [404, 408, 429, 500, 503],
  );
  const reasons = ['refused', 'closed', 'exited', 'session-lost', 'timeout', 'invalid-message', 'too-large'] as const;
  const of = (judge: (error: unknown) => boolean): readonly string[] =>
    reasons.filter((reason) => judge(new ConnectionError(reason, 'x')));
  assert.deepEqual(of(isPassing), ['refused', 'closed', 'exited', 'session-lost', 'timeout']);
  assert.deepEqual(of(disproves), ['invalid-message']);
  const kinds = ['internalError', 'busy', 'invalidParams'] as const;
  const ofKind = (judge: (error: unknown) => boolean): readonly string[] =>
    kinds.filter((kind) => judge(new McpError(kind, 'x')));
  assert.deepEqual(ofKind(isPassing), ['internalError']);
  assert.deepEqual(ofKind(mayPass), ['internalError', 'busy']);
  assert.deepEqual(ofKind(disproves), kinds);
  for (const judge of [disproves, isPassing, mayPass]) assert.equal(judge(new Error('x')), false);
  assert.equal(isRepeatable('tools/list', undefined), true);
  assert.equal(isRepeatable('tools/call', undefined), false);
  assert.equal(isRepeatable('tools/call', true), true);
  assert.equal(isRepeatable('tools/list', false), false);
});

describe('what is known of servers', () => {
  const [old, latest] = ['2025-11-25', '2026-07-28'] as const;
  const transport = (address?: string) => ({
    description: 'x',
    ...(address !== undefined && { address }),
    open: () => Promise.reject(new Error('not opened')),
  });

  test('a stored session-based version is believed for less than a day', () => {
    const day = 24 * hour;
    const stored = { revision: old, at: 5 * day };
    for (const [now, is] of [
      [6 * day - 1, true],
      [6 * day, false],
      [4 * day + 1, true],
      [4 * day, false],
    ] as const)
      assert.equal(believable(stored, now), is ? stored : undefined);
    assert.equal(believable({ revision: old, at: 0, unasked: true }, 0), undefined);
    assert.deepEqual(believable({ revision: old }, 0), { revision: old });
    assert.deepEqual(believable({ revision: latest, at: 0 }, 9 * day), { revision: latest, at: 0 });
    assert.equal(believable(undefined, 0), undefined);
  });

  test('one that needed initialize is remembered for less than ten minutes', () => {
    for (const one of [transport('http://a.example/'), transport()]) {
      const known = createKnownServers();
      assert.equal(known.of(one, 0), undefined);
      known.remember(one, { revision: old }, 0);
      assert.deepEqual(known.of(one, 10 * 60_000 - 1), { revision: old });
      assert.equal(known.of(one, 10 * 60_000), undefined);
      known.remember(one, { revision: latest, at: 7 }, 0);
      assert.deepEqual(known.of(one, hour), { revision: latest, at: 7 });
    }
  });

  test('1,000 addresses are remembered, and the oldest is forgotten for one more', () => {
    const known = createKnownServers();
    const all = Array.from({ length: 1_001 }, (_, index) => transport(`http://a.example/${index}`));
    for (const one of all.slice(0, 1_000)) known.remember(one, { revision: latest }, 0);
    for (const one of all.slice(0, 1)) assert.notEqual(known.of(one, 0), undefined);
    for (const one of [...all.slice(0, 1), ...all.slice(1_000)]) known.remember(one, { revision: latest }, 0);
    assert.deepEqual(
      [0, 1, 2, 1_000].filter((index) => known.of(all[index] ?? transport(), 0) === undefined),
      [1],
    );
    assert.equal(revisionOf(old)?.era, 'handshake');
  });
});

describe('a list of pages', () => {
  const pages = async (
    lists: readonly (readonly number[])[],
    bounds: { readonly maxPages: number; readonly maxItems: number },
  ): Promise<readonly (readonly number[])[]> => {
    const found: (readonly number[])[] = [];
    const fetch = async (cursor: string | undefined) => {
      const at = Number(cursor ?? 0);
      const nextCursor = at + 1 < lists.length ? String(at + 1) : undefined;
      return { items: lists[at] ?? [], nextCursor, ttlMs: 0, cacheScope: 'private' as const };
    };
    try {
      for await (const { items } of walkPages(fetch, bounds)) found.push(items);
    } catch (error) {
      assert.equal((error as ConnectionError).reason, 'too-large');
      found.push([]);
    }
    return found;
  };

  test('may have as many items as allowed, and one more is left out with an error', async () => {
    const bounds = { maxPages: 9, maxItems: 3 };
    assert.deepEqual(await pages([[1, 2], [3]], bounds), [[1, 2], [3]]);
    assert.deepEqual(
      await pages(
        [
          [1, 2],
          [3, 4],
        ],
        bounds,
      ),
      [[1, 2], [3], []],
    );
  });

  test('may have as many pages as allowed, and no more', async () => {
    const bounds = { maxPages: 2, maxItems: 9 };
    assert.deepEqual(await pages([[1], [2]], bounds), [[1], [2]]);
    assert.deepEqual(await pages([[1], [2], [3]], bounds), [[1], [2], []]);
  });

  test('is as fresh as its shortest page, and private if one page is', () => {
    assert.deepEqual(hintOf({ ttlMs: 1, cacheScope: 'public' }), { ttlMs: 1, cacheScope: 'public' });
    assert.deepEqual(hintOf({ ttlMs: -1, cacheScope: 'other' }), { ttlMs: 0, cacheScope: 'private' });
    assert.deepEqual(hintOf({ ttlMs: '1' }), { ttlMs: 0, cacheScope: 'private' });
    assert.deepEqual(combinedHint([]), { ttlMs: 0, cacheScope: 'private' });
    const [open, own] = [
      { ttlMs: 2, cacheScope: 'public' as const },
      { ttlMs: 1, cacheScope: 'private' as const },
    ];
    assert.deepEqual(combinedHint([open, open]), open);
    assert.deepEqual(combinedHint([open, own]), own);
  });
});

describe('known tools', () => {
  const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' as const }, ...more });
  const never = (): Promise<never> => Promise.reject(new Error('not compiled'));

  test('10,000 are remembered, and the longest unseen is forgotten for one more', () => {
    const known = new KnownTools(never, () => {});
    const names = Array.from({ length: 10_001 }, (_, index) => `t${index}`);
    known.learn(names.slice(0, 10_000).map((name) => tool(name)));
    known.learn([tool('t0')]);
    assert.equal(known.taskSupport('t1'), 'forbidden');
    known.learn([tool('t10000', { execution: { taskSupport: 'optional' } })]);
    assert.deepEqual(
      ['t0', 't1', 't2', 't10000'].map((name) => known.taskSupport(name)),
      ['forbidden', undefined, 'forbidden', 'optional'],
    );
  });

  test('only an unknown name gets suggestions in its error', () => {
    const known = new KnownTools(never, () => {});
    known.learn([tool('search')]);
    const words = (name: string, kind: 'invalidParams' | 'internalError'): string =>
      String((known.explained(new McpError(kind, 'no'), name) as Error).message);
    assert.match(words('serch', 'invalidParams'), /no.*search/s);
    assert.equal(words('search', 'invalidParams'), 'no');
    assert.equal(words('serch', 'internalError'), 'no');
  });

  test('a result is checked unless it is an error', async () => {
    const problem = { path: '/a', message: 'is missing' };
    const check = (value: unknown) => (value === 1 ? [] : [problem]);
    const warnings: string[] = [];
    const known = new KnownTools(
      () => Promise.resolve({ check, unused: 'is odd' }),
      (text) => warnings.push(text),
    );
    known.learn([tool('t', { outputSchema: { type: 'object' } })]);
    const run = await known.check('t');
    await known.check('t');
    assert.deepEqual(warnings, ['the output schema of tool "t" is odd']);
    run?.({ content: [], isError: true });
    run?.({ content: [], structuredContent: 1 as never });
    assert.throws(() => run?.({ content: [], structuredContent: {} }), /is missing/);
    assert.throws(() => run?.({ content: [] }), /structuredContent is missing/);
    assert.equal(await known.check('other'), undefined);
  });

  test('a tool with a header that is invalid is left out with a warning', () => {
    const warnings: string[] = [];
    const bad = tool('bad', {
      inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': '' } } },
    });
    assert.deepEqual(
      withoutInvalidHeaders([tool('good'), bad], (text) => warnings.push(text)).map(({ name }) => name),
      ['good'],
    );
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^tool "bad" was left out: /);
  });
});

test('an update of a URI with many parts is found in few and in many resources', () => {
  const filler = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `other:${index}`);
  const uri = `a:/${'x'.repeat(4_093)}`;
  for (const count of [0, 14, 15, 16, 40])
    for (const event of [uri, `${uri}x`, 'a:/b/c']) {
      const is = (whole: string): boolean =>
        covers({ updates: [...filler(count), whole] }, { type: 'update', uri: event });
      assert.deepEqual(['a:/', event, 'b:/', `${event}/`].map(is), [true, true, false, false]);
    }
});
