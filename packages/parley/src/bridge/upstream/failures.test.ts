import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, type ConnectionReason } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { Failures } from './failures.ts';

function failure(message: string, reason: ConnectionReason = 'closed'): McpError {
  return new McpError('internalError', message, { cause: new ConnectionError(reason, message) });
}

function failures(silent?: ReadonlySet<string>) {
  const told: string[] = [];
  const clock = { now: 0 };
  const own = new Failures(
    (message) => void told.push(message),
    () => clock.now,
    silent,
  );
  const note = (error: unknown, method = 'tools/list'): number => {
    own.note(error, method);
    return told.splice(0).length;
  };
  return { clock, note };
}

test('the operator is told of lost connections alone, and not of silent methods', () => {
  const { note } = failures(new Set(['ping']));
  assert.equal(note(failure('lost')), 1);
  assert.equal(note(new McpError('internalError', 'own error')), 0);
  assert.equal(note(new ConnectionError('closed', 'no error of a request')), 0);
  assert.equal(note(failure('given up', 'aborted')), 0);
  assert.equal(note(failure('silent'), 'ping'), 0);
});

test('the same words are told again after a minute', () => {
  const { note, clock } = failures();
  assert.equal(note(failure('lost')), 1);
  clock.now = 59_999;
  assert.equal(note(failure('lost')), 0);
  clock.now = 60_000;
  assert.equal(note(failure('lost')), 1);
  clock.now = 119_999;
  assert.equal(note(failure('lost')), 0);
});

test('a hundred failures are remembered, and the one that was told first is forgotten first', () => {
  const { note, clock } = failures();
  for (let count = 0; count < 100; count++) assert.equal(note(failure(`${count} lost`)), 1);
  assert.equal(note(failure('0 lost')), 0);
  assert.equal(note(failure('100 lost')), 1);
  assert.equal(note(failure('1 lost')), 0);
  assert.equal(note(failure('0 lost')), 1);
  clock.now = 60_000;
  // What is told again is the newest one.
  assert.equal(note(failure('2 lost')), 1);
  assert.equal(note(failure('101 lost')), 1);
  assert.equal(note(failure('2 lost')), 0);
});
