/** What middleware is told of a server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guideOf } from './guide.ts';
import { ToolError } from './definition/tool-result.ts';

const has = (known: string) => ({ find: (name: string) => (name === known ? {} : undefined) });
const guide = guideOf({ tools: has('tool'), prompts: has('prompt'), methods: has('x.example/y') } as never);

test('middleware knows whether there is a tool, a prompt or a method of a name', () => {
  const knows = (method: string, name?: string) => guide.knows(method, { name } as never, undefined);
  assert.deepEqual([knows('tools/call', 'tool'), knows('tools/call', 'prompt')], [true, false]);
  assert.deepEqual([knows('prompts/get', 'prompt'), knows('prompts/get', 'tool')], [true, false]);
  assert.deepEqual([knows('tools/list'), knows('x.example/y'), knows('x.example/z')], [true, true, false]);
});

test('an error of a tool is the result that the tool would have given', () => {
  const error = new ToolError('wrong');
  assert.deepEqual(guide.thrown('tools/call', error), { content: [{ type: 'text', text: 'wrong' }], isError: true });
  assert.equal(guide.thrown('prompts/get', error), undefined);
  assert.equal(guide.thrown('tools/call', new Error('x')), undefined);
});
