/** What a bridge remembers of the tools of its server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool } from '../protocol/features/tool.ts';
import { revisionOf, type Revision } from '../protocol/revision.ts';
import { UpstreamTools } from './known-tools.ts';

const tool = (name: string, more: object = {}): Tool => ({ name, inputSchema: { type: 'object' }, ...more });
const mirroring = (name: string, header = 'Region'): Tool =>
  tool(name, { inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': header } } } });
const wrapping = (name: string): Tool => tool(name, { outputSchema: { type: 'array' } });
const supporting = (name: string, taskSupport: string): Tool => tool(name, { execution: { taskSupport } });

test('parameters that are mirrored in headers are known until a whole list has none', () => {
  const tools = new UpstreamTools();
  tools.learn([mirroring('a'), tool('b'), mirroring('c', 'not a header')]);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((name) => tools.headerParameters(name).length),
    [1, 0, 0, 0],
  );
  assert.deepEqual(tools.mirroring, [mirroring('a')]);
  const page = { tools: [mirroring('d'), 7, { name: 'e' }, tool('a')] };
  assert.equal(tools.seen(page), page);
  assert.deepEqual([tools.headerParameters('a').length, tools.headerParameters('d').length], [0, 1]);
  tools.learn([]);
  assert.deepEqual([tools.mirroring, tools.headerParameters('d')], [[], []]);
});

test('whether a tool runs as a task is known from its last definition', () => {
  const tools = new UpstreamTools();
  tools.learn([supporting('a', 'optional'), supporting('b', 'required'), supporting('c', 'forbidden'), tool('d')]);
  const support = (): unknown[] => ['a', 'b', 'c', 'd'].map((name) => tools.taskSupport(name));
  assert.deepEqual(support(), ['optional', 'required', undefined, undefined]);
  tools.seen({ tools: [tool('a'), supporting('d', 'required')] });
  assert.deepEqual(support(), [undefined, 'required', undefined, 'required']);
  const suspended = { ttlMs: 1 } as never;
  const waiting = tools.waiting({ suspended, taskOnly: 'wait' } as never);
  assert.deepEqual([waiting.member, waiting.isTaskOnly?.('b'), waiting.isTaskOnly?.('a')], ['', true, false]);
  assert.equal(tools.waiting({ suspended, taskOnly: 'refuse', member: 'm' } as never).isTaskOnly, undefined);
  tools.learn([]);
  assert.deepEqual(support(), [undefined, undefined, undefined, undefined]);
});

test('a structured result is wrapped for versions of objects alone, if its schema was', () => {
  const tools = new UpstreamTools();
  tools.learn([wrapping('list'), tool('plain', { outputSchema: { type: 'object' } })]);
  const [older, newest] = ['2025-06-18', '2026-07-28'].map((date) => revisionOf(date) as Revision);
  const result = { content: [], structuredContent: { own: 1 } };
  const wrapped = { ...result, structuredContent: { result: { own: 1 } } };
  assert.ok(older !== undefined && newest !== undefined);
  assert.deepEqual(tools.fitted(result, 'list', older), wrapped);
  for (const [name, revision] of [
    ['list', newest],
    ['plain', older],
    ['other', older],
    [7, older],
  ] as const)
    assert.equal(tools.fitted(result, name, revision), result);
  const text = { content: [], structuredContent: 'text' };
  assert.equal(tools.fitted(text, 'list', older), text);
});

test('10,000 tools of each kind are remembered', () => {
  const tools = new UpstreamTools();
  const names = Array.from({ length: 10_001 }, (_, at) => `t${at}`);
  tools.learn(names.map((name) => ({ ...wrapping(name), execution: { taskSupport: 'required' } })));
  const older = revisionOf('2025-06-18') as Revision;
  const result = { content: [], structuredContent: { own: 1 } };
  const known = names.slice(-2).map((name) => [tools.taskSupport(name), tools.fitted(result, name, older) !== result]);
  assert.deepEqual(known, [
    ['required', true],
    [undefined, false],
  ]);
});
