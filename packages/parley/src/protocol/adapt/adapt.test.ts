import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrapStructuredContent } from './content.ts';
import { needsWrapping } from './tool.ts';
import { contentBlock, type ContentBlock } from '../features/content.ts';
import { McpError } from '../error.ts';
import { revisionOf, revisions, type Revision, type RevisionDate } from '../revision.ts';
import {
  createMessageRequestParamsShape,
  createMessageResultShape,
  samplingBlock,
  samplingMessageShape,
  type CreateMessageRequestParams,
} from '../features/sampling.ts';
import { toWire } from '../compile/to-wire.ts';
import { callToolResultShape, type ToolOutputSchema } from '../features/tools.ts';
import { getPromptResultShape } from '../features/prompts.ts';
import { toolShape } from '../features/tool.ts';
import { elicitRequestParams } from '../features/elicitation.ts';

function at(date: RevisionDate): Revision {
  const revision = revisionOf(date);
  assert.ok(revision !== undefined);
  return revision;
}

const audio: ContentBlock = { type: 'audio', data: 'AAAAAAA=', mimeType: 'audio/wav', annotations: { priority: 1 } };
const link: ContentBlock = {
  type: 'resource_link',
  uri: 'file:///a.csv',
  name: 'a',
  mimeType: 'text/csv',
  size: 9,
  description: 'sales',
};

test('audio before 2025-03-26 is a text that says what it was', () => {
  const text = { type: 'text', text: '[audio: audio/wav, 5 bytes]', annotations: { priority: 1 } };
  assert.deepEqual(toWire(at('2024-11-05'), contentBlock, audio), text);
  assert.equal(toWire(at('2025-03-26'), contentBlock, audio), audio);
});

test('a resource link before 2025-06-18 is a text that names it', () => {
  const text = { type: 'text', text: '[resource link: a (text/csv, 9 bytes): file:///a.csv]\nsales' };
  assert.deepEqual(toWire(at('2024-11-05'), contentBlock, link), text);
  assert.deepEqual(toWire(at('2025-03-26'), contentBlock, link), text);
  assert.equal(toWire(at('2025-06-18'), contentBlock, link), link);
});

test('content is adapted in prompts and sampling too', () => {
  const prompt = toWire(at('2024-11-05'), getPromptResultShape, { messages: [{ role: 'user', content: link }] });
  assert.match(JSON.stringify(prompt), /"type":"text","text":"\[resource link/);
  const answer = toWire(at('2024-11-05'), createMessageResultShape, { role: 'assistant', content: audio, model: 'm' });
  assert.match(JSON.stringify(answer), /"type":"text","text":"\[audio/);
  const message = toWire(at('2024-11-05'), samplingMessageShape, { role: 'user', content: [audio] });
  assert.match(JSON.stringify(message), /"content":\{"type":"text","text":"\[audio/);
});

test('an unknown kind of content is sent as it is', () => {
  const block = { type: 'hologram', data: 'x' } as unknown as ContentBlock;
  for (const revision of revisions) assert.equal(toWire(revision, contentBlock, block), block);
});

test('structured content before 2025-06-18 is a text of its JSON', () => {
  const sent = toWire(at('2025-03-26'), callToolResultShape, { content: [], structuredContent: { a: 1 } });
  assert.deepEqual(sent, { content: [{ type: 'text', text: '{"a":1}' }] });
});

test('structured content is not repeated where a text holds its JSON', () => {
  const content: ContentBlock[] = [{ type: 'text', text: '{\n  "a": 1\n}' }];
  const sent = toWire(at('2025-03-26'), callToolResultShape, { content, structuredContent: { a: 1 } });
  assert.deepEqual(sent, { content });
});

test('a text holds the JSON of structured content in other spelling, and not in other values', () => {
  const blocks = (text: string, structuredContent: unknown): number => {
    const result = { content: [{ type: 'text' as const, text }], structuredContent };
    return (toWire(at('2025-03-26'), callToolResultShape, result)['content'] as readonly unknown[]).length;
  };
  for (const same of ['{"a":100}', '{"a":1e2}', ' {"a":100}', '{"a":1.0e2 }'])
    assert.equal(blocks(same, { a: 100 }), 1, same);
  for (const other of ['{"a":101}', '{"a":100', '[100]', '', '"{}"', '{}'])
    assert.equal(blocks(other, { a: 100 }), 2, other);
});

test('structured content that is no object is wrapped until 2025-11-25', () => {
  for (const value of [[1, 2], 'x', 7, false, null]) {
    const result = { content: [{ type: 'text', text: 'ok' } as const], structuredContent: value };
    assert.deepEqual(toWire(at('2025-06-18'), callToolResultShape, result)['structuredContent'], { result: value });
    assert.deepEqual(toWire(at('2025-11-25'), callToolResultShape, result)['structuredContent'], { result: value });
    assert.deepEqual(toWire(at('2026-07-28'), callToolResultShape, result)['structuredContent'], value);
  }
});

test('structured content that is no object is never sent without a text [tools-014]', () => {
  for (const revision of revisions) {
    const sent = toWire(revision, callToolResultShape, { content: [], structuredContent: [1] });
    assert.deepEqual(sent['content'], [{ type: 'text', text: '[1]' }]);
  }
});

test('an output schema whose root is no object is wrapped until 2025-11-25 [tools-010]', () => {
  const outputSchema: ToolOutputSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'array',
    items: { $ref: '#/$defs/node' },
    contains: { $ref: '#/items' },
    $defs: { node: { anyOf: [{ $ref: '#' }, { const: { $ref: '#' } }] } },
  };
  const tool = { name: 't', inputSchema: { type: 'object' as const }, outputSchema };
  const wrapped = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      result: { type: 'array', items: { $ref: '#/$defs/node' }, contains: { $ref: '#/properties/result/items' } },
    },
    required: ['result'],
    $defs: { node: { anyOf: [{ $ref: '#/properties/result' }, { const: { $ref: '#' } }] } },
  };
  assert.equal(needsWrapping(outputSchema), true);
  assert.equal('outputSchema' in toWire(at('2025-03-26'), toolShape, tool), false);
  assert.deepEqual(toWire(at('2025-06-18'), toolShape, tool)['outputSchema'], wrapped);
  assert.deepEqual(toWire(at('2025-11-25'), toolShape, tool)['outputSchema'], wrapped);
  assert.equal(toWire(at('2026-07-28'), toolShape, tool), tool);
});

test('references of a wrapped output schema keep their meaning under properties of any name', () => {
  const names = ['examples', 'default', 'enum', 'const', 'properties', '$defs', '$ref', '$id'];
  const tree = (root: string): object => ({
    properties: Object.fromEntries(names.map((name) => [name, { $ref: root }])),
    patternProperties: { const: { items: { $ref: root } } },
    dependentSchemas: { enum: { $ref: root } },
    anyOf: [{ properties: { default: { $ref: root } } }],
    default: { $ref: '#' },
    examples: [{ $ref: '#' }],
    enum: [{ $ref: '#' }],
  });
  const tool = {
    name: 't',
    inputSchema: { type: 'object' as const },
    outputSchema: tree('#') as Record<string, unknown>,
  };
  assert.deepEqual(toWire(at('2025-11-25'), toolShape, tool)['outputSchema'], {
    type: 'object',
    properties: { result: tree('#/properties/result') },
    required: ['result'],
  });
});

test('dynamic references of a wrapped output schema move too, and no other text does', () => {
  const schema = (root: string): ToolOutputSchema => ({
    title: '#',
    pattern: '#/items',
    items: { $dynamicRef: root, description: '#' },
    $comment: '#',
  });
  const tool = { name: 't', inputSchema: { type: 'object' as const }, outputSchema: schema('#/items') };
  const { properties } = toWire(at('2025-11-25'), toolShape, tool)['outputSchema'] as { properties: unknown };
  assert.deepEqual(properties, { result: schema('#/properties/result/items') });
});

test('references of a wrapped output schema keep their meaning in whatever characters they are written', () => {
  const kept = ['#/%24defs/x', '#/$defs/x', '#%2F%24defs%2Fx', '#anchor', 'other#/items', '%23/items'];
  const moved = ['#', '#/%', '#/items', '#/%69tems', '#%2Fitems', '#/$defsx'];
  const schema = (references: readonly string[]): Record<string, unknown> => ({
    anyOf: references.map(($ref) => ({ $ref })),
    $defs: { x: { type: 'string' } },
  });
  for (const [references, wanted] of [
    [kept, kept],
    [moved, moved.map((reference) => `#/properties/result${reference.slice(1)}`)],
  ] as const) {
    const tool = { name: 't', inputSchema: { type: 'object' as const }, outputSchema: schema(references) };
    const { anyOf, $defs } = schema(wanted);
    assert.deepEqual(toWire(at('2025-11-25'), toolShape, tool)['outputSchema'], {
      type: 'object',
      properties: { result: { anyOf } },
      required: ['result'],
      $defs,
    });
  }
});

test('an output schema with an id stays the base of its references when wrapped', () => {
  const outputSchema = { $id: 'urn:list', type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: {} } };
  const tool = { name: 't', inputSchema: { type: 'object' as const }, outputSchema };
  const sent = toWire(at('2025-11-25'), toolShape, tool)['outputSchema'];
  assert.deepEqual(sent, { type: 'object', properties: { result: outputSchema }, required: ['result'] });
});

test('an output schema of an object is sent as it is, and so are its results', () => {
  const outputSchema = { type: 'object', properties: { a: {} } };
  const tool = { name: 't', inputSchema: { type: 'object' as const }, outputSchema };
  assert.equal(toWire(at('2025-06-18'), toolShape, tool), tool);
  assert.equal(needsWrapping(outputSchema), false);
  assert.deepEqual(wrapStructuredContent({ structuredContent: { a: 1 } }), { structuredContent: { result: { a: 1 } } });
});

test('boolean schemas of properties are objects until 2025-11-25', () => {
  const tool = { name: 't', inputSchema: { type: 'object' as const, properties: { a: true, b: false, c: {} } } };
  for (const revision of revisions.slice(0, 4)) {
    const sent = toWire(revision, toolShape, tool)['inputSchema'];
    assert.deepEqual(sent, { type: 'object', properties: { a: {}, b: { not: {} }, c: {} } });
  }
  assert.equal(toWire(at('2026-07-28'), toolShape, tool), tool);
});

const several: CreateMessageRequestParams = {
  maxTokens: 1,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'c' }] },
  ],
};

test('a sampling message of several blocks is several messages before 2025-11-25', () => {
  assert.deepEqual(toWire(at('2025-06-18'), createMessageRequestParamsShape, several)['messages'], [
    { role: 'user', content: { type: 'text', text: 'a' } },
    { role: 'user', content: { type: 'text', text: 'b' } },
    { role: 'assistant', content: { type: 'text', text: 'c' } },
  ]);
  assert.equal(toWire(at('2025-11-25'), createMessageRequestParamsShape, several), several);
});

test('an answer of several texts is one text before 2025-11-25', () => {
  const content = [{ type: 'text', text: 'a' } as const, { type: 'text', text: 'b' } as const];
  const sent = toWire(at('2025-06-18'), createMessageResultShape, { role: 'assistant', model: 'm', content });
  assert.deepEqual(sent['content'], { type: 'text', text: 'a\nb' });
});

function refusal(run: () => unknown): McpError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof McpError);
    return error;
  }
  assert.fail('nothing was thrown');
}

test('tool use in sampling before 2025-11-25 is an error that names the capability [sampling-006]', () => {
  const use = { type: 'tool_use', id: '1', name: 't', input: {} } as const;
  const message = refusal(() => toWire(at('2025-06-18'), samplingMessageShape, { role: 'assistant', content: use }));
  assert.equal(message.message, 'tool use in sampling cannot be expressed in 2025-06-18');
  assert.deepEqual(message.data, { requiredCapabilities: { sampling: { tools: {} } } });
  const tools = [{ name: 't', inputSchema: { type: 'object' as const } }];
  const params = refusal(() => toWire(at('2025-06-18'), createMessageRequestParamsShape, { ...several, tools }));
  assert.deepEqual(params.data, { requiredCapabilities: { sampling: { tools: {} } } });
});

test('the metadata of tool use survives [sampling-030]', () => {
  const use = { type: 'tool_use', id: '1', name: 't', input: {}, _meta: { cache: 1 } } as const;
  assert.equal(toWire(at('2025-11-25'), samplingBlock, use), use);
});

const url = { mode: 'url', message: 'sign in', url: 'https://example.org' } as const;

test('URL elicitation before 2025-11-25 is an error that names the capability [elicit-016]', () => {
  const error = refusal(() => toWire(at('2025-06-18'), elicitRequestParams, url));
  assert.equal(error.kind, 'missingRequiredClientCapability');
  assert.deepEqual(error.data, { requiredCapabilities: { elicitation: { url: {} } } });
});

test('URL elicitation needs an id in 2025-11-25, which 2026-07-28 does not have', () => {
  assert.match(refusal(() => toWire(at('2025-11-25'), elicitRequestParams, url)).message, /without an elicitationId/);
  const named = { ...url, elicitationId: '1' };
  assert.equal(toWire(at('2025-11-25'), elicitRequestParams, named), named);
  assert.deepEqual(toWire(at('2026-07-28'), elicitRequestParams, named), url);
});

test('a form of 2025-06-18 has no mode, few defaults, and names beside its options', () => {
  const sent = toWire(at('2025-06-18'), elicitRequestParams, {
    mode: 'form',
    message: 'm',
    requestedSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        a: { type: 'string', default: 'x', title: 'A' },
        b: { type: 'number', default: 1 },
        c: { type: 'boolean', default: true },
        d: { type: 'string', enum: ['x'], default: 'x' },
        e: { type: 'string', oneOf: [{ const: 'x', title: 'X' }], default: 'x' },
      },
    },
  });
  assert.deepEqual(sent, {
    message: 'm',
    requestedSchema: {
      type: 'object',
      properties: {
        a: { type: 'string', title: 'A' },
        b: { type: 'number' },
        c: { type: 'boolean', default: true },
        d: { type: 'string', enum: ['x'] },
        e: { type: 'string', enum: ['x'], enumNames: ['X'] },
      },
    },
  });
});

test('a choice of several cannot be asked for in 2025-06-18', () => {
  const properties = { a: { type: 'array', items: { type: 'string', enum: ['x'] } } } as const;
  const params = { message: 'm', requestedSchema: { type: 'object', properties } } as const;
  const error = refusal(() => toWire(at('2025-06-18'), elicitRequestParams, params));
  assert.equal(error.message, 'a choice of several cannot be expressed in 2025-06-18');
});
