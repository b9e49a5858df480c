import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abortReason } from './pending.ts';

test('the reason of an abort is what the caller gave', () => {
  const of = (reason: unknown): string => abortReason(AbortSignal.abort(reason));
  assert.equal(abortReason(undefined), '');
  assert.equal(of('words'), 'words');
  assert.equal(of(new Error('failed')), 'failed');
  assert.equal(of(undefined), '');
  assert.equal(of(new DOMException('x', 'AbortError')), '');
  assert.equal(of(Object.assign(new Error('x', { cause: 'theirs' }), { name: 'AbortError' })), 'theirs');
});
