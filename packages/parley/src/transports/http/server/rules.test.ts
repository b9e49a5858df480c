/** Limits and rules of HTTP, each at its value and one above. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { revisionOf } from '../../../protocol/revision.ts';
import { summary } from '../client/refusal.ts';
import { asSaid } from '../client/described-url.ts';
import { headerMismatch, methodMismatch, versionMismatch } from './headers.ts';
import { ToldReply } from './health/told-reply.ts';
import { acceptedBy, isJson } from './exchanges/media.ts';
import {
  batchProblem,
  beginProblem,
  isSessionId,
  randomText,
  samePrincipal,
  sessionProblem,
  streamProblem,
  versionProblem,
} from './session/rules.ts';

const [ann, bob] = [{ principal: 'ann' }, { principal: 'bob' }] as never[];

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
  const begin = (stage: string, beyond: 'all' | 'own' | undefined, begins: boolean) =>
    beginProblem({ course: { stage } } as never, { beyond } as never, begins);
  assert.equal(begin('open', undefined, true), undefined);
  assert.equal(begin('open', 'all', false), undefined);
  assert.equal(begin('open', 'all', true)?.message, 'too many requests are being answered');
  assert.equal(begin('open', 'own', true)?.message, 'too many requests are being answered for one address');
  assert.equal(begin('closing', undefined, false), undefined);
  assert.notEqual(begin('closing', undefined, true), undefined);
  assert.doesNotMatch(begin('closing', 'all', true)?.message ?? '', /too many/);
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
