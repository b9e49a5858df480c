import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OrphanedCalls } from './orphaned-calls.ts';

const call = { logLevel: undefined, session: undefined } as Parameters<OrphanedCalls['of']>[0]; // It reads nothing else.

it('doubt is over when each call was answered', async () => {
  const orphans = new OrphanedCalls(() => undefined);
  const [first, second] = [orphans.of(call), orphans.of(call)];
  const over = orphans.over();
  first();
  assert.equal(orphans.exists, true);
  second();
  await over;
  assert.equal(orphans.exists, false);
});

it('doubt about more calls than can be known ends with the connection alone', async () => {
  const orphans = new OrphanedCalls(() => undefined);
  const answered = Array.from({ length: 1_001 }, () => orphans.of(call));
  assert.equal(orphans.calls, undefined);
  for (const each of answered) each();
  assert.equal(orphans.exists, true);
  const over = orphans.over();
  orphans.end();
  await over;
  assert.deepEqual([orphans.exists, orphans.calls], [false, []]);
});

it('the operator is told once for each connection', () => {
  const warnings: string[] = [];
  const orphans = new OrphanedCalls((message) => warnings.push(message));
  for (const _ of [1, 2]) {
    orphans.of(call);
    for (const __ of [1, 2]) {
      assert.match(orphans.refusal('elicitation/create').message, /no client was asked "elicitation\/create"/);
      assert.equal(orphans.refusal('sampling/createMessage').code, -1);
      orphans.silence();
    }
    orphans.end();
  }
  assert.equal(warnings.length, 4);
});

it('doubt about calls that have an answer ends with the connection alone', () => {
  const orphans = new OrphanedCalls(() => undefined);
  orphans.forever();
  orphans.of(call)();
  assert.equal(orphans.exists, true);
  orphans.end();
  assert.equal(orphans.exists, false);
});
