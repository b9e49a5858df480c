import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubledKey } from './doubled-keys.ts';

test('a key that stands twice in the object at a place is found, however it is spelt', () => {
  const result = '{"result":{"inputRequests":{"a":{"x":1},"\\u0061":{"x":2}}}}';
  assert.equal(doubledKey(result, 'inputRequests'), 'a');
  // A text that does not end in its line hides nothing of the next.
  assert.equal(doubledKey(`: "odd\ndata: ${result}\n\n`, 'inputRequests'), 'a');
  assert.equal(doubledKey(`id: 1\ndata: {"b":1}\n\ndata: ${result}\n\n`, 'inputRequests'), 'a');
});

test('what stands twice elsewhere, or in two objects, is none', () => {
  const fine = [
    '{"inputRequests":{"a":{"a":1,"a":2},"b":["a","a"]},"a":1,"a":2}',
    '{"inputRequests":{"a":"inputRequests","b":{"inputRequests":{"a":1}}}}',
    '{"text":"{\\"inputRequests\\":{\\"a\\":1,\\"a\\":2}}"}',
    '{"inputRequests":{"a":1}}\n{"inputRequests":{"a":1}}',
    '{"inputRequests":{"a":1',
    '}{"inputRequests":[{"a":1},{"a":1}]',
  ];
  for (const text of fine) assert.equal(doubledKey(text, 'inputRequests'), undefined, text);
});
