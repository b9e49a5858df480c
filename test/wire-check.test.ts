import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tell } from '../packages/parley/src/connection/observe.ts';
import { revisionOf } from '../packages/parley/src/protocol/revision.ts';
import { takeViolations } from './setup.ts';
import { wireProblems } from './support/wire-check.ts';
import type { Message } from '../packages/parley/src/jsonrpc/message.ts';

function problems(from: 'client' | 'server', date: string, message: object, answers?: string): readonly string[] {
  // The messages here are written out, some of them wrong on purpose.
  return wireProblems({ from, revision: revisionOf(date), message: message as Message, answers });
}

test('a message as its revision wrote it passes', () => {
  const list = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'a', inputSchema: { type: 'object' } }] } };
  assert.deepEqual(problems('server', '2024-11-05', list, 'tools/list'), []);
  assert.deepEqual(problems('client', '2025-06-18', { jsonrpc: '2.0', id: 1, method: 'ping' }), []);
  assert.deepEqual(problems('client', '2025-06-18', { jsonrpc: '2.0', method: 'notifications/initialized' }), []);
});

test('a result that lacks a required field is found', () => {
  const response = { jsonrpc: '2.0', id: 1, result: { resultType: 'complete', tools: [] } };
  assert.match(problems('server', '2026-07-28', response, 'tools/list').join(), /ttlMs/);
  assert.match(problems('server', '2025-11-25', { jsonrpc: '2.0', id: 1, result: {} }, 'tools/list').join(), /tools/);
});

test('a method of another revision is found', () => {
  const elicit = { jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: { message: 'm' } };
  assert.deepEqual(problems('server', '2025-03-26', elicit), ['elicitation/create does not exist']);
  assert.match(problems('client', '2026-07-28', { jsonrpc: '2.0', id: 1, method: 'ping' }).join(), /does not exist/);
});

test('a method in the wrong direction is found', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } };
  assert.deepEqual(problems('server', '2025-03-26', call), ['tools/call is no ServerRequest']);
  const roots = { jsonrpc: '2.0', id: 1, method: 'roots/list' };
  assert.deepEqual(problems('server', '2026-07-28', roots), ['roots/list is no ServerRequest']);
});

test('a method of nobody needs only the envelope', () => {
  assert.deepEqual(problems('client', '2025-03-26', { jsonrpc: '2.0', id: 1, method: 'acme/do' }), []);
  assert.match(problems('client', '2025-03-26', { jsonrpc: '2.0', id: null, method: 'acme/do' }).join(), /id/);
});

test('errors with data of their own are checked with it', () => {
  const error = { jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'm', data: { supported: [] } } };
  assert.match(problems('server', '2026-07-28', error).join(), /requested/);
  assert.deepEqual(problems('server', '2025-06-18', error), []);
});

test('a form may return fractions, whatever schema.json says', () => {
  const answer = { jsonrpc: '2.0', id: 1, result: { action: 'accept', content: { height: 1.8 } } };
  assert.deepEqual(problems('client', '2025-06-18', answer, 'elicitation/create'), []);
  assert.deepEqual(problems('client', '2025-11-25', answer, 'elicitation/create'), []);
});

test('a field that only another revision defines is found', () => {
  const info = { name: 'n', version: '1', title: 'T' };
  const response = {
    jsonrpc: '2.0',
    id: 1,
    result: { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: info },
  };
  assert.deepEqual(problems('server', '2025-06-18', response, 'initialize'), []);
  assert.match(problems('server', '2025-03-26', response, 'initialize').join(), /serverInfo\/title/);
  assert.match(
    problems('server', '2025-11-25', { jsonrpc: '2.0', id: 1, result: { resultType: 'complete' } }, 'ping').join(),
    /resultType/,
  );
});

test("a field that no revision defines is nobody's business", () => {
  const response = {
    jsonrpc: '2.0',
    id: 1,
    result: { tools: [{ name: 'a', inputSchema: { type: 'object' }, acme: 1 }] },
  };
  assert.deepEqual(problems('server', '2025-03-26', response, 'tools/list'), []);
});

test('fields that are undefined do not travel', () => {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: undefined } };
  assert.deepEqual(problems('client', '2025-06-18', request), []);
});

test('what a sender of ours tells is checked while tests run', () => {
  tell({
    from: 'server',
    revision: revisionOf('2025-06-18'),
    message: { jsonrpc: '2.0', id: 1, method: 'tools/call' },
  });
  const [found, ...others] = takeViolations();
  assert.match(found ?? '', /tools\/call is no ServerRequest/);
  assert.deepEqual(others, []);
});

test('what was right once is looked at again where another revision, sender or request makes it wrong', () => {
  const elicit: Message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'elicitation/create',
    params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
  };
  const done: Message = { jsonrpc: '2.0', id: 'a', result: {} };
  const newer = revisionOf('2025-06-18');
  for (let times = 0; times < 2; times++) {
    tell({ from: 'server', revision: newer, message: elicit });
    tell({ from: 'server', revision: newer, message: done, answers: 'ping' });
    assert.deepEqual(takeViolations(), []);
    tell({ from: 'client', revision: newer, message: elicit });
    tell({ from: 'server', revision: revisionOf('2025-03-26'), message: elicit });
    tell({ from: 'server', revision: newer, message: { ...done, id: 'b' }, answers: 'tools/list' });
    tell({ from: 'server', revision: newer, message: { ...elicit, id: 1.5 } });
    assert.equal(takeViolations().length, 4);
  }
});
