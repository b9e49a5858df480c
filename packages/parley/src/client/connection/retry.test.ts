import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, unknownSessions, type ConnectionReason } from '../../jsonrpc/transport.ts';
import { isTransient } from '../../jsonrpc/transient.ts';
import { McpError } from '../../protocol/error.ts';
import { disproves, isPassing, isRepeatable, isSessionLoss, mayPass, Rate, ToolHints } from './retry.ts';

const http = (status: number): ConnectionError => new ConnectionError('http', `HTTP ${status}`, { status });
const failed = (reason: ConnectionReason): ConnectionError => new ConnectionError(reason, reason);

test('which statuses may pass, may be sent again, say an older server, or end a session', () => {
  const rows: readonly (readonly [status: number, passes: boolean, again: boolean, older: boolean, lost: boolean])[] = [
    [399, false, false, false, false],
    [400, false, false, true, false],
    [401, false, false, true, false],
    [403, false, false, false, false],
    [404, true, false, true, false],
    [405, false, false, true, false],
    [408, true, true, true, false],
    [425, true, true, true, false],
    [429, true, true, true, false],
    [499, false, false, true, false],
    [500, true, true, false, false],
    [503, true, true, false, false],
  ];
  for (const [status, ...expected] of rows) {
    const error = http(status);
    const found = [isPassing(error), isTransient(error), disproves(error), isSessionLoss(error)];
    assert.deepEqual(found, expected, String(status));
  }
});

test('which failures of a connection may pass, may be sent again, say an older server, or end a session', () => {
  const rows: readonly (readonly [ConnectionReason, boolean, boolean, boolean, boolean])[] = [
    ['refused', true, true, false, false],
    ['closed', true, true, false, false],
    ['exited', true, false, false, false],
    ['session-lost', true, false, false, true],
    ['timeout', true, false, false, false],
    ['aborted', false, false, false, false],
    ['busy', false, false, false, false],
    ['unauthorized', false, false, false, false],
    ['too-large', false, false, false, false],
    ['invalid-message', false, false, true, false],
    ['incompatible', false, false, false, false],
  ];
  for (const [reason, ...expected] of rows) {
    const error = failed(reason);
    const found = [isPassing(error), isTransient(error), disproves(error), isSessionLoss(error)];
    assert.deepEqual(found, expected, reason);
  }
  const unknown = http(400);
  unknownSessions.add(unknown);
  assert.equal(isSessionLoss(unknown), true);
});

test('errors of the server: an internal error may pass, a busy one later, and each is of another revision', () => {
  const rows = [
    ['internalError', true, true],
    ['busy', false, true],
    ['invalidParams', false, false],
  ] as const;
  for (const [kind, passes, later] of rows) {
    const error = new McpError(kind, kind);
    assert.deepEqual([isPassing(error), mayPass(error), disproves(error)], [passes, later, true], kind);
  }
  for (const error of [new Error('x'), undefined, 'x'])
    assert.deepEqual([isPassing(error), mayPass(error), disproves(error), isTransient(error)], Array(4).fill(false));
  assert.deepEqual(
    [isPassing(failed('http')), disproves(failed('http')), isTransient(failed('http'))],
    Array(3).fill(false),
  );
});

test('a method that only reads is repeatable, and an option says otherwise for each', () => {
  assert.deepEqual(
    [
      isRepeatable('tools/list', undefined),
      isRepeatable('tools/call', undefined),
      isRepeatable('own/method', undefined),
    ],
    [true, false, false],
  );
  assert.deepEqual([isRepeatable('tools/list', false), isRepeatable('tools/call', true)], [false, true]);
});

test('something may be done so many times within a window, which moves on', () => {
  const rate = new Rate(2, 100);
  assert.equal(rate.exhausted(0), false);
  rate.note(0);
  rate.note(50);
  assert.deepEqual([rate.exhausted(50), rate.exhausted(99), rate.exhausted(100)], [true, true, false]);
  rate.note(100);
  assert.deepEqual([rate.exhausted(149), rate.exhausted(150)], [true, false]);
});

test('the hints of so many tools are kept, those of the longest unseen forgotten first', () => {
  const hints = new ToolHints(2);
  const of = (name: string, annotations?: object): never =>
    ({ name, inputSchema: { type: 'object' }, annotations }) as never;
  hints.learn([
    of('a', { readOnlyHint: true }),
    of('b', { idempotentHint: true }),
    of('c'),
    of('d', { readOnlyHint: false }),
  ]);
  const known = (): string => ['a', 'b', 'c', 'd', 'e'].filter((name) => hints.has(name)).join('');
  assert.equal(known(), 'ab');
  hints.learn([of('a', { readOnlyHint: true }), of('e', { idempotentHint: true })]);
  assert.equal(known(), 'ae');
  hints.learn([of('a')]);
  assert.equal(known(), 'e');
  assert.equal(hints.has(7), false);
});
