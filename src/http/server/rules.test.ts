/** Limits and rules of HTTP, each at its value and one above. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../protocol/features/common.ts';
import { revisionOf } from '../../protocol/revision.ts';
import { summary } from '../client/refusal.ts';
import { asSaid } from '../client/words.ts';
import { headerMismatch, methodMismatch, versionMismatch } from './headers.ts';
import { ToldReply } from './health/told-reply.ts';
import { acceptedBy, isJson } from './media.ts';
import { Bodies, InFlight, Quota } from './quota.ts';
import {
  batchProblem,
  beginProblem,
  isSessionId,
  mayComeTwice,
  randomText,
  samePrincipal,
  sessionProblem,
  streamProblem,
  versionProblem,
} from './session/rules.ts';
import { HandedReply, RequestOfAnother } from './session/shared/handed-reply.ts';
import { readToldHome, type AnswerPart } from './session/shared/home-words.ts';

const [ann, bob] = [{ principal: 'ann' }, { principal: 'bob' }] as never[];

test('places are counted for all and for each principal', () => {
  const quota = new Quota(3, 2);
  assert.equal(quota.full(ann), undefined);
  quota.take(ann);
  assert.equal(quota.full(ann), undefined);
  quota.take(ann);
  assert.deepEqual([quota.full(ann), quota.full(bob), quota.full(undefined)], ['own', undefined, undefined]);
  quota.take(undefined);
  assert.deepEqual([quota.full(ann), quota.full(bob), quota.full(undefined)], ['all', 'all', 'all']);
  quota.give(undefined);
  quota.give(ann);
  assert.deepEqual([quota.full(ann), quota.full(bob)], [undefined, undefined]);
  quota.give(ann);
  for (let count = 0; count < 2; count += 1) quota.take(ann);
  assert.equal(quota.full(ann), 'own');
});

test('bodies have room up to the limit, and one alone always', () => {
  const bodies = new Bodies(10);
  assert.equal(bodies.take(11), true);
  assert.equal(bodies.take(0), false);
  bodies.give(11);
  assert.deepEqual([bodies.take(4), bodies.take(6), bodies.take(1)], [true, true, false]);
  bodies.give(6);
  assert.deepEqual([bodies.take(7), bodies.take(6)], [false, true]);
});

test('requests in flight are admitted up to the limit, and up to twice that beyond it', async () => {
  const flight = new InFlight(2);
  await flight.idle();
  assert.deepEqual([flight.enter(), flight.enter(), flight.enter()], [true, true, false]);
  assert.deepEqual([flight.enterBeyond(), flight.enterBeyond(), flight.enterBeyond()], [true, true, false]);
  flight.rejoin();
  let isIdle = false;
  const idle = flight.idle().then(() => (isIdle = true));
  for (let count = 0; count < 4; count += 1) flight.leave();
  await Promise.resolve();
  assert.equal(isIdle, false);
  assert.equal(flight.enter(), true);
  flight.leave();
  flight.leave();
  await idle;
  assert.equal(flight.enter(), true);
});

test('a media type is read up to 4,096 characters, by its grammar', () => {
  const padded = (length: number): string => `application/json;${' '.repeat(length - 'application/json;'.length)}`;
  assert.deepEqual([isJson(padded(4_096)), isJson(padded(4_097))], [true, false]);
  for (const right of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf8"',
    'application/json ; x=1',
  ])
    assert.equal(isJson(right), true, right);
  for (const wrong of [
    undefined,
    '',
    'text/plain',
    'application/json; charset=latin1',
    'application/json, text/plain',
    'application/json; =1',
    'application/json; x=',
    'application/',
  ])
    assert.equal(isJson(wrong), false, wrong);
  for (const [accept, json, stream, streamNamed] of [
    [undefined, true, true, false],
    ['*/*', true, true, false],
    ['application/json, text/event-stream', true, true, true],
    ['text/event-stream', false, true, true],
    ['application/*;q=0, */*', false, true, false],
    ['application/json;q=0.0, text/*', false, true, false],
    ['application/json;q=0.001', true, false, false],
    ['text/event-stream;q=0, text/*', false, false, false],
    ['rubbish, application/json', true, false, false],
  ] as const)
    assert.deepEqual(acceptedBy(accept), { json, stream, streamNamed }, String(accept));
});

describe('headers that mirror the body', () => {
  const request = (headers: Readonly<Record<string, string>>) => ({ header: (name: string) => headers[name] }) as never;
  const call = (args: JsonObject) =>
    ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', arguments: args } }) as never;
  const problem = (args: JsonObject, header: string | undefined): string | undefined =>
    headerMismatch(
      request({ 'mcp-method': 'tools/call', 'mcp-name': 't', ...(header !== undefined && { 'mcp-param-a': header }) }),
      call(args),
      () => [{ name: 'a', path: ['in', 'a'] }],
    );

  test('say the same as the arguments', () => {
    const value = (a: unknown) => ({ in: { a } }) as JsonObject;
    const safe = Number.MAX_SAFE_INTEGER;
    for (const [a, header] of [
      ['x', 'x'],
      [true, 'true'],
      [1, '1.0'],
      [safe, String(safe)],
      [-safe, String(-safe)],
      [safe + 1, String(safe + 1)],
      [safe + 1, undefined],
      [null, undefined],
      [{}, undefined],
    ] as const)
      assert.equal(problem(value(a), header), undefined, `${JSON.stringify(a)} ${String(header)}`);
    for (const [a, header, words] of [
      ['x', undefined, 'the Mcp-Param-a header is missing'],
      [1, undefined, 'is missing'],
      [false, undefined, 'is missing'],
      [null, 'x', 'has no argument'],
      ['x', '=?base64?x?=', 'broken encoding'],
      ['x', 'y', 'the Mcp-Param-a header "y" does not match the body\'s "x"'],
      [1, 'one', 'does not match'],
      [1, '', 'does not match'],
      [safe + 1, '9007199254740993', 'does not match'],
      [{}, 'x', "does not match the body's object"],
      [[], 'x', "does not match the body's array"],
    ] as const)
      assert.ok(
        problem(value(a), header)?.includes(words),
        `${JSON.stringify(a)} ${String(header)}: ${String(problem(value(a), header))}`,
      );
    assert.ok(problem({}, 'x')?.includes('has no argument'));
  });

  test('are shown up to 80 characters', () => {
    const shown = (length: number): string => problem({ in: { a: 'x' } }, 'y'.repeat(length - 2)) ?? '';
    assert.ok(shown(80).includes(`"${'y'.repeat(78)}" does`));
    assert.ok(shown(81).includes(`"${'y'.repeat(79)}… does`));
  });

  test('name the version and the method of the message', () => {
    assert.match(versionMismatch(request({}), undefined) ?? '', /missing/);
    const version = request({ 'mcp-protocol-version': 'v' });
    assert.deepEqual(
      [undefined, 1, 'v'].map((claimed) => versionMismatch(version, claimed)),
      [undefined, undefined, undefined],
    );
    assert.match(versionMismatch(version, 'w') ?? '', /"v" does not match the body's "w"/);
    assert.match(methodMismatch(request({}), 'm') ?? '', /missing/);
    assert.equal(methodMismatch(request({}), 'm', false), undefined);
    assert.match(methodMismatch(request({ 'mcp-method': 'n' }), 'm', false) ?? '', /does not match/);
    assert.equal(methodMismatch(request({ 'mcp-method': 'm' }), 'm'), undefined);
  });
});

test('the rules of a session hold at their limits', () => {
  assert.deepEqual(
    [
      samePrincipal(ann, ann),
      samePrincipal(ann, bob),
      samePrincipal(undefined, undefined),
      samePrincipal(ann, undefined),
    ],
    [true, false, true, false],
  );
  assert.deepEqual(
    [undefined, '2025-06-18', '2025-01-01'].map((header) => versionProblem(header)?.status),
    [undefined, undefined, 400],
  );
  const messages = (count: number) => Array.from({ length: count }, () => ({ kind: 'notification' })) as never[];
  const [batches, none] = [revisionOf('2025-03-26'), revisionOf('2025-06-18')];
  assert.deepEqual(
    [
      batchProblem(batches, messages(2), 2),
      batchProblem(batches, messages(3), 2)?.status,
      batchProblem(batches, [], 2)?.status,
      batchProblem(none, messages(1), 2)?.status,
      batchProblem(undefined, messages(1), 2)?.status,
    ],
    [undefined, 400, 400, 400, 400],
  );
  const begin = (stage: string, beyond: boolean, begins: boolean) =>
    beginProblem({ course: { stage } } as never, { beyond } as never, begins);
  assert.equal(begin('open', false, true), undefined);
  assert.equal(begin('open', true, false), undefined);
  assert.match(begin('open', true, true)?.message ?? '', /too many requests/);
  assert.equal(begin('closing', false, false), undefined);
  assert.notEqual(begin('closing', false, true), undefined);
  assert.doesNotMatch(begin('closing', true, true)?.message ?? '', /too many/);
  const full = (is: 'all' | 'own' | undefined) =>
    ({ streams: { full: () => is }, sessionQuota: { full: () => is } }) as never;
  for (const problem of [streamProblem, (context: never) => sessionProblem(context, {} as never)])
    assert.deepEqual(
      (['all', 'own', undefined] as const).map((is) => problem(full(is), {} as never)?.status),
      [503, 429, undefined],
    );
  assert.deepEqual(
    [31, 32, 128, 129].map((length) => isSessionId('x'.repeat(length))),
    [false, true, true, false],
  );
  assert.equal(isSessionId(`${'x'.repeat(40)} `), false);
  assert.match(randomText(), /^[0-9a-f]{48}$/);
  assert.match(randomText(2), /^[0-9a-f]{4}$/);
  const request = (method: string) => mayComeTwice({ kind: 'request', message: { method } } as never);
  assert.deepEqual(
    [request('tools/list'), request('tools/call'), mayComeTwice({ kind: 'notification' } as never)],
    [true, false, true],
  );
});

test('every status that refuses is reported with its reason', () => {
  const [told, sent]: [unknown[], number[]] = [[], []];
  const inner = { send: (status: number) => void sent.push(status) } as never;
  const reply = new ToldReply(inner, (event) => told.push(event));
  for (const status of [200, 399, 400, 418, 499, 500, 503]) reply.send(status);
  assert.deepEqual(sent, [200, 399, 400, 418, 499, 500, 503]);
  assert.deepEqual(
    told.map((event) => Object.values(event as object).join(' ')),
    [
      'request-refused malformed 400',
      'request-refused malformed 418',
      'request-refused malformed 499',
      'request-refused failed 500',
      'request-refused busy 503',
    ],
  );
});

test('the words of a refusal are taken from JSON, from a title, or from the first line', () => {
  assert.equal(summary('{"error":{"message":"m"}}'), 'm');
  assert.equal(summary('{"error":"m"}'), 'm');
  assert.equal(summary(' {"error":1}\nmore'), '{"error":1}');
  assert.equal(summary('{broken'), '{broken');
  assert.equal(summary('<html><title> t </title>'), 't');
  assert.equal(summary('<title>t</title>'), 't');
  assert.equal(summary('<html><title>t'), '');
  assert.equal(summary('<html>text</title>'), '');
  assert.equal(summary(' first \nsecond'), 'first');
  assert.equal(asSaid('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(asSaid('x'.repeat(201)), 'x'.repeat(200));
  assert.equal(asSaid('\u001b[1ma\u202eb\u2028c'), '[1ma b c');
});

describe('a request that another process answers', () => {
  const request = { method: 'POST', path: '/mcp', headers: { accept: 'x' }, text: '{}' };
  const part = { kind: 'part', line: 'l', number: 0, part: { kind: 'cut' } };
  const right = [
    { kind: 'request', line: 'l', process: 'p', request },
    { kind: 'request', line: 'l', process: 'p', request: { ...request, address: 'a' } },
    { kind: 'gone', line: 'l' },
    { kind: 'waiting', process: 'p', lines: ['l'] },
    { kind: 'standing', asked: ['l'], lines: [['l', 1]] },
    part,
    ...[
      { kind: 'sent', status: 200, headers: {} },
      { kind: 'sent', status: 200, headers: {}, text: 't' },
      { kind: 'begun', headers: {} },
      { kind: 'written', text: 't' },
      { kind: 'ended' },
      { kind: 'ended', text: 't' },
    ].map((one) => ({ ...part, part: one })),
  ];

  test('is told in messages of which every field is checked', () => {
    for (const one of right) {
      assert.deepEqual(readToldHome(JSON.stringify(one)), one);
      for (const field of Object.keys(one))
        for (const wrong of [null, [1], { a: 1 }, 1.5])
          assert.equal(
            readToldHome(JSON.stringify({ ...one, [field]: wrong })),
            undefined,
            `${field} ${JSON.stringify(one)}`,
          );
    }
    for (const wrong of [
      { method: 1 },
      { path: 1 },
      { headers: { a: 1 } },
      { headers: 'x' },
      { address: 1 },
      { text: null },
    ])
      assert.equal(readToldHome(JSON.stringify({ ...right[0], request: { ...request, ...wrong } })), undefined);
    for (const wrong of [
      { kind: 'sent', status: '200', headers: {} },
      { kind: 'sent', status: 200 },
      { kind: 'sent', status: 200, headers: {}, text: 1 },
      { kind: 'begun' },
      { kind: 'written' },
      { kind: 'ended', text: 1 },
      { kind: 'other' },
    ])
      assert.equal(readToldHome(JSON.stringify({ ...part, part: wrong })), undefined);
    for (const wrong of ['', '{', '1', '{"kind":"toString"}', '{}']) assert.equal(readToldHome(wrong), undefined);
    assert.equal(readToldHome(JSON.stringify({ ...right[4], lines: [['l']] })), undefined);
    assert.equal(readToldHome(JSON.stringify({ ...right[4], lines: [[1, 1]] })), undefined);
  });

  const replying = (isHeard = true) => {
    const parts: (readonly [number, AnswerPart])[] = [];
    const events: string[] = [];
    const take: (() => void)[] = [];
    const reply = new HandedReply(
      0,
      (number, one) => (parts.push([number, one]), new Promise((resolve) => take.push(() => resolve(isHeard)))),
      () => events.push('ended'),
    );
    reply.onClose(() => events.push('closed'));
    return { reply, parts, events, take };
  };

  test('is answered in numbered parts, until its last one', async () => {
    const { reply, parts, events, take } = replying();
    reply.setHeader('a', '1');
    reply.stream({ b: '2' }).write('one');
    assert.deepEqual([reply.parts, reply.buffered, reply.closed], [2, 3, false]);
    for (const done of take.splice(0)) done();
    await Promise.resolve();
    await Promise.resolve();
    assert.equal(reply.buffered, 0);
    reply.end('two');
    assert.deepEqual(events, []);
    await Promise.resolve();
    assert.deepEqual([events, reply.closed], [['ended', 'closed'], true]);
    reply.write('late');
    reply.destroy();
    reply.close();
    assert.deepEqual(parts, [
      [0, { kind: 'begun', headers: { a: '1', b: '2' } }],
      [1, { kind: 'written', text: 'one' }],
      [2, { kind: 'ended', text: 'two' }],
    ]);
    assert.equal(events.length, 2);
  });

  test('is answered in one part, from text or bytes, or cut off', async () => {
    const sent = (run: (reply: HandedReply) => void): AnswerPart | undefined => {
      const { reply, parts } = replying();
      run(reply);
      return parts[0]?.[1];
    };
    assert.deepEqual(
      sent((reply) => reply.send(202)),
      { kind: 'sent', status: 202, headers: {} },
    );
    assert.deepEqual(
      sent((reply) => reply.send(200, 'x', { a: '1' })),
      { kind: 'sent', status: 200, headers: { a: '1' }, text: 'x' },
    );
    assert.deepEqual(
      sent((reply) => reply.send(200, ['x', new TextEncoder().encode('é')])),
      { kind: 'sent', status: 200, headers: {}, text: 'xé' },
    );
    assert.deepEqual(
      sent((reply) => reply.end()),
      { kind: 'ended' },
    );
    assert.deepEqual(
      sent((reply) => reply.destroy()),
      { kind: 'cut' },
    );
    const { reply, events, take } = replying(false);
    reply.write('x');
    take[0]?.();
    await new Promise(setImmediate);
    assert.deepEqual([events, reply.closed], [['ended', 'closed'], true]);
  });

  test('is read as it came there', () => {
    const another = new RequestOfAnother({ ...request, address: 'a' });
    assert.deepEqual(
      [another.method, another.path, another.query, another.headerCount, another.remoteAddress],
      ['POST', '/mcp', '', 1, 'a'],
    );
    assert.deepEqual([another.header('accept'), another.header('toString')], ['x', undefined]);
    assert.deepEqual(another.body(0), { kind: 'text', text: '{}' });
    assert.deepEqual(another.body(0, { take: () => false } as never), { kind: 'no-room' });
    assert.deepEqual(another.body(0, { take: (bytes: number) => bytes === 2 } as never), { kind: 'text', text: '{}' });
  });
});
