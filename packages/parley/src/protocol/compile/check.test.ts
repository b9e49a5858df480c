import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './check.ts';
import { newestRevision } from '../revision.ts';
import { callToolResultShape } from '../features/tools.ts';
import { elicitRequestFormParamsShape } from '../features/elicitation.ts';

const fault = 'must be an object';
const paths = (value: unknown): readonly string[] =>
  check(newestRevision, callToolResultShape, value).map(({ path }) => path);

test('what is wrong is named by its path, the whole by none', () => {
  assert.deepEqual(check(newestRevision, callToolResultShape, 5), [{ path: '', message: fault }]);
  const content = [{ type: 'text', text: 'a' }, { type: 'text' }, { type: 'resource', resource: {} }];
  assert.deepEqual(paths({ resultType: 'complete', content }), ['content[1].text', 'content[2].resource']);
});

test('names that look like a place in an array, or are empty, stay names', () => {
  const properties = { '[0]': 5, '': 5, plain: 5 };
  const found = check(newestRevision, elicitRequestFormParamsShape, {
    message: 'q',
    requestedSchema: { type: 'object', properties },
  });
  const within = 'requestedSchema.properties';
  assert.deepEqual(
    found.map(({ path }) => path),
    [`${within}.[0]`, `${within}.`, `${within}.plain`],
  );
});

test('what was found once is not changed by who found it', () => {
  const found = check(newestRevision, callToolResultShape, 5);
  for (const problem of found) Object.assign(problem, { message: 'changed' });
  assert.deepEqual(check(newestRevision, callToolResultShape, 5), [{ path: '', message: fault }]);
});
