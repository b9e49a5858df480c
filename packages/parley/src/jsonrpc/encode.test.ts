/** Reading of messages, whose numbers are plain or keep their spelling. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExactNumber } from '../json/exact-number.ts';
import { parseMessage } from './encode.ts';

const text = (more: string): string => `{"id":1.0,"method":"notifications/progress","params":{"a":1.0${more}}}`;

test('numbers are plain unless their spelling is asked for', () => {
  for (const exactNumbers of [undefined, false])
    assert.deepEqual(parseMessage(text(''), { exactNumbers }), {
      id: 1,
      method: 'notifications/progress',
      params: { a: 1 },
    });
  const { id, params } = parseMessage(text(''), { exactNumbers: true }) as { id: unknown; params: { a: unknown } };
  assert.equal(id, 1);
  assert.ok(params.a instanceof ExactNumber);
});

test('the numbers by which messages belong together are always plain', () => {
  const meta = '"_meta":{"progressToken":1.0,"io.modelcontextprotocol/x":2.0,"y":3.0}';
  const [read] = parseMessage(`[${text(`,"progressToken":4.0,"requestId":5.0,${meta}`)}]`, { exactNumbers: true }) as [
    { params: Record<string, unknown> & { _meta: Record<string, unknown> } },
  ];
  assert.equal(read.params['progressToken'], 4);
  assert.ok(read.params['requestId'] instanceof ExactNumber);
  const { _meta } = read.params;
  assert.deepEqual([_meta['progressToken'], _meta['io.modelcontextprotocol/x']], [1, 2]);
  assert.ok(_meta['y'] instanceof ExactNumber);
  const cancelled = parseMessage(
    '{"method":"notifications/cancelled","params":{"requestId":5.0,"progressToken":4.0}}',
    {
      exactNumbers: true,
    },
  ) as { params: Record<string, unknown> };
  assert.equal(cancelled.params['requestId'], 5);
  assert.ok(cancelled.params['progressToken'] instanceof ExactNumber);
  const failed = parseMessage('{"error":{"code":-1.0,"data":1.0}}', { exactNumbers: true }) as {
    error: Record<string, unknown>;
  };
  assert.equal(failed.error['code'], -1);
  assert.ok(failed.error['data'] instanceof ExactNumber);
  const result = parseMessage(`{"result":{${meta}}}`, { exactNumbers: true }) as typeof read & {
    result: typeof read.params;
  };
  assert.equal(result.result._meta['progressToken'], 1);
});

test('a text nests up to its depth, 128 levels by default', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  for (const exactNumbers of [true, false]) {
    parseMessage(nested(128), { exactNumbers });
    assert.throws(() => parseMessage(nested(129), { exactNumbers }), { name: 'JsonError' });
    parseMessage(nested(2), { exactNumbers, depth: 2 });
    assert.throws(() => parseMessage(nested(3), { exactNumbers, depth: 2 }), { name: 'JsonError' });
  }
});
