/** What the other copies of a session could not be told. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../../../../test/support/raw.ts';
import { Copies } from './copies.ts';

/** Copies behind a bus that the test takes away, and what was announced. */
function copies() {
  const state = { isAway: false };
  const announced: (readonly [unknown, readonly number[]])[] = [];
  const failures: unknown[] = [];
  const mailbox = {
    announce: async (_: string, what: unknown, again: readonly number[]) => {
      announced.push([what, again]);
      if (state.isAway) throw new Error('away');
    },
  };
  const all = new Copies(mailbox as never, 'channel', (cause) => failures.push(cause));
  return { all, state, failures, take: () => announced.splice(0) };
}

const changed = (version: number) => ({ kind: 'changed', version }) as const;
const claimed = { kind: 'claimed', process: 'p' } as const;

test('what copies are told at once is not told again', async () => {
  const { all, failures, take } = copies();
  assert.equal(await all.tell(changed(1)), true);
  assert.equal(await all.tellAgain(), true);
  assert.deepEqual([take(), failures], [[[changed(1), []]], []]);
});

test('of what copies could not be told the newest of each kind is told later, and its failure once', async () => {
  const { all, state, failures, take } = copies();
  state.isAway = true;
  for (const one of [changed(1), changed(2), claimed]) assert.equal(await all.tell(one), false);
  assert.equal(failures.length, 2);
  assert.equal(await all.tellAgain(), false);
  assert.equal(failures.length, 2);
  take();
  state.isAway = false;
  assert.equal(await all.tellAgain(), true);
  assert.deepEqual(new Set(take().map(([what]) => what)), new Set([changed(2), claimed]));
  assert.equal(await all.tellAgain(), true);
  assert.deepEqual(take(), []);
});

test('the end of a session that could not be told is told again twice, and nothing else about it later', async () => {
  const { all, state, take } = copies();
  state.isAway = true;
  assert.equal(await all.tell({ kind: 'ended' }), false);
  await settle();
  assert.deepEqual(take(), [
    [{ kind: 'ended' }, []],
    [{ kind: 'ended' }, [1_000, 4_000]],
  ]);
  assert.equal(await all.tellAgain(), true);
  assert.deepEqual(take(), []);
});
