import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionOf } from '../../../../../parley/src/protocol/revision.ts';
import type { RawExchange } from '../exchange.ts';
import type { RawLines } from '../lines.ts';
import { ProbeClient } from '../probe-client.ts';
import { AnswerWaits } from './answer-waits.ts';

const options = { waitTimeoutMs: 5_000, openMs: 30_000 };

test('the whole silence is waited for once, and the next ones are short', () => {
  const silence = new AnswerWaits(options);
  assert.equal(silence.waitMs, 5_000);
  silence.unanswered(5_000);
  assert.equal(silence.waitMs, 500);
  silence.answered(200);
  assert.equal(silence.waitMs, 2_000);
  silence.answered(500);
  assert.equal(silence.waitMs, 5_000);
});

test('a short silence is no proof, and a late answer brings the whole wait back', () => {
  const silence = new AnswerWaits(options);
  silence.unanswered(300);
  assert.equal(silence.waitMs, 5_000);
  silence.unanswered(5_000);
  silence.late();
  assert.deepEqual([silence.waitMs, silence.openMs, silence.isLate], [5_000, 30_000, true]);
});

test('every silence is in full for a user who gives a time', () => {
  const silence = new AnswerWaits({ ...options, isFull: true });
  silence.unanswered(5_000);
  assert.equal(silence.waitMs, 5_000);
});

test('a process is waited for as long as the first one took to load, ten times over', () => {
  const silence = new AnswerWaits(options);
  assert.equal(silence.openMs, 30_000);
  silence.opened(200);
  assert.equal(silence.openMs, 5_000);
  silence.opened(1_000);
  assert.equal(silence.openMs, 10_000);
});

/** A client of a process that gives these answers, and the time that was waited for each. */
function waiting(...answers: readonly (readonly object[])[]): {
  readonly probeClient: ProbeClient;
  readonly silence: AnswerWaits;
  readonly waits: number[];
} {
  const waits: number[] = [];
  const left = [...answers];
  const lines: RawLines = {
    unasked: [],
    ended: undefined,
    exited: new Promise(() => {}),
    send(sent, { waitTimeoutMs }) {
      waits.push(waitTimeoutMs);
      const messages = left.shift() ?? [];
      const end = messages.length === 0 ? 'silent' : 'heard';
      const exchange: RawExchange = {
        sent: String(sent),
        status: undefined,
        headers: {},
        text: '',
        messages,
        malformed: [],
        end,
        tookMs: messages.length === 0 ? waitTimeoutMs : 10,
      };
      return Promise.resolve(exchange);
    },
    write: () => undefined,
    endInput: () => undefined,
    close: () => Promise.resolve(),
  };
  const silence = new AnswerWaits(options);
  const revision = revisionOf('2025-11-25');
  assert.ok(revision);
  const probeClient = new ProbeClient({
    info: { name: 'parley-check', version: '1' },
    revision,
    road: { over: 'stdio', lines },
    capabilities: {},
    ...options,
    quietMs: 300,
    silence,
    exchanged: () => undefined,
    room: () => Promise.resolve(),
    mayCall: () => true,
  });
  return { probeClient, silence, waits };
}

test('of ten requests that a process leaves unanswered, one is waited for in full', async () => {
  const { probeClient, waits } = waiting();
  for (let count = 0; count < 10; count++) await probeClient.request('ping');
  assert.deepEqual(waits, [5_000, ...Array.from({ length: 9 }, () => 500)]);
});

test('an answer to an earlier request shows that the server is slow', async () => {
  const late = { jsonrpc: '2.0', id: 1, result: {} };
  const { probeClient, silence, waits } = waiting([], [late, { jsonrpc: '2.0', id: 2, result: {} }]);
  for (let count = 0; count < 3; count++) await probeClient.request('ping');
  assert.deepEqual([silence.isLate, waits], [true, [5_000, 500, 5_000]]);
});
