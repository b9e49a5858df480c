import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OrphanedCalls } from './orphaned-calls.ts';

const call = { logLevel: undefined, session: undefined } as Parameters<OrphanedCalls['of']>[0]; // It reads nothing else.

it('doubt is over when each call was answered', async () => {
  const doubt = new OrphanedCalls(() => undefined);
  const [first, second] = [doubt.of(call), doubt.of(call)];
  const over = doubt.over();
  first();
  assert.equal(doubt.exists, true);
  second();
  await over;
  assert.equal(doubt.exists, false);
});

it('doubt about more calls than can be known ends with the connection alone', async () => {
  const doubt = new OrphanedCalls(() => undefined);
  const answered = Array.from({ length: 1_001 }, () => doubt.of(call));
  assert.equal(doubt.calls, undefined);
  for (const each of answered) each();
  assert.equal(doubt.exists, true);
  const over = doubt.over();
  doubt.end();
  await over;
  assert.deepEqual([doubt.exists, doubt.calls], [false, []]);
});

it('the operator is told once for each connection', () => {
  const warnings: string[] = [];
  const doubt = new OrphanedCalls((message) => warnings.push(message));
  for (const _ of [1, 2]) {
    doubt.of(call);
    for (const __ of [1, 2]) {
      assert.match(doubt.refusal('elicitation/create').message, /no client was asked "elicitation\/create"/);
      assert.equal(doubt.refusal('sampling/createMessage').code, -1);
      doubt.silence();
    }
    doubt.end();
  }
  assert.equal(warnings.length, 4);
});

it('doubt about calls that have an answer ends with the connection alone', () => {
  const doubt = new OrphanedCalls(() => undefined);
  doubt.forever();
  doubt.of(call)();
  assert.equal(doubt.exists, true);
  doubt.end();
  assert.equal(doubt.exists, false);
});
