import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExactNumber } from '../../json/exact-number.ts';
import { parseMessage } from '../../jsonrpc/encode.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { shownMeta, shownParams } from './shown-ids.ts';

const digits = '9007199254740993';

/** Parameters as they come from the wire. */
function received(params: string): JsonObject {
  const message = parseMessage(`{"jsonrpc":"2.0","method":"notifications/progress","params":${params}}`, {});
  return (message as { readonly params: JsonObject }).params;
}

test('a program sees a token beyond 2^53 as its digits, or as an exact number if it takes those', () => {
  const params = received(`{"progressToken":${digits},"_meta":{"progressToken":${digits}}}`);
  const meta = params['_meta'] as JsonObject;
  assert.deepEqual(shownMeta(meta), { progressToken: digits });
  assert.deepEqual(shownParams('notifications/progress', params), {
    progressToken: digits,
    _meta: { progressToken: digits },
  });
  const exact = shownMeta(meta, true)['progressToken'];
  assert.ok(exact instanceof ExactNumber);
  assert.equal(String(exact), digits);
  assert.ok(shownParams('notifications/progress', params, true)['progressToken'] instanceof ExactNumber);
});

test('parameters without such a token are passed on as they are', () => {
  for (const params of [{}, { progressToken: 7, _meta: { progressToken: 'p' } }, { _meta: 'odd' }]) {
    const given = received(JSON.stringify(params));
    assert.equal(shownParams('notifications/progress', given), given);
  }
  const other = received(`{"progressToken":${digits}}`);
  assert.equal(shownParams('notifications/message', other), other);
});
