/** What the type checker infers from definitions; this file is checked, never run. */

import type { CallToolResult as OfficialOldResult } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import * as z from 'zod';
import type { FromJsonSchema } from '../../schema/infer.ts';
import type { Definitions } from './definition.ts';
import type { VariablesOf } from '../uri-template/types.ts';

type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(equal: Equals<A, B>): void;
declare const server: Definitions;

// Standard schemas: the handler gets the output, and returns the input of the output schema.
server.tool(
  'forecast',
  {
    description: 'The weather of tomorrow',
    input: z.object({ city: z.string(), days: z.number().default(1) }),
    output: z.object({ tempC: z.number() }),
    annotations: { readOnlyHint: true },
  },
  async ({ city, days }, ctx) => {
    same<typeof city, string>(true);
    same<typeof days, number>(true);
    ctx.progress(1, 2, 'half');
    ctx.log('info', { city });
    same<typeof ctx.signal, AbortSignal>(true);
    return { tempC: 21 };
  },
);

server.tool('arktype', { input: type({ city: 'string', 'days?': 'number' }) }, (args) => {
  same<typeof args.city, string>(true);
  same<typeof args.days, number | undefined>(true);
  return args.city;
});

server.tool(
  'valibot',
  { input: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 1) })) },
  (args) => {
    same<typeof args, { city: string; days: number }>(true);
    return { type: 'text', text: args.city };
  },
);

// @ts-expect-error A valibot schema that was not wrapped has no JSON Schema side.
server.tool('bare', { input: v.object({ city: v.string() }) }, () => 'x');

// Plain JSON Schema is inferred from the literal.
server.tool(
  'plain',
  {
    input: {
      type: 'object',
      properties: {
        city: { type: 'string', 'x-mcp-header': 'City' },
        unit: { enum: ['C', 'F'] },
        days: { type: ['integer', 'null'] },
        tags: { type: 'array', items: { type: 'string' } },
        mode: { const: 'fast' },
        either: { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
        any: { $ref: '#/$defs/x' },
      },
      required: ['city', 'unit'],
    },
  },
  (args) => {
    same<
      typeof args,
      {
        city: string;
        unit: 'C' | 'F';
        days?: number | null;
        tags?: string[];
        mode?: 'fast';
        either?: string | boolean;
        any?: unknown;
      }
    >(true);
    // @ts-expect-error The schema has no such property.
    void args.country;
    return [{ type: 'text', text: args.city }];
  },
);

// A schema of unknown content gives arguments of unknown type.
declare const loaded: Record<string, unknown>;
server.tool('loaded', { input: loaded }, (args) => {
  same<typeof args, Readonly<Record<string, unknown>>>(true);
  return 'ok';
});

// A tool without input takes no arguments, and may return nothing.
server.tool('bare', {}, (args) => {
  // @ts-expect-error There are no arguments.
  void args.city;
});
server.tool('quiet', { title: 'Quiet' }, async () => undefined);

// Without an output schema, a number or a plain object is no result.
// @ts-expect-error A number is not a result.
server.tool('number', {}, () => 7);
// @ts-expect-error An object is not a result unless it has content.
server.tool('object', {}, () => ({ tempC: 21 }));
server.tool('whole', {}, () => ({ content: [], isError: true }));

// With an output schema, a whole result is fine and anything else is not.
const output = z.object({ tempC: z.number() });
server.tool('whole', { output }, () => ({
  content: [{ type: 'text', text: '21 °C' }],
  structuredContent: { tempC: 21 },
}));
// @ts-expect-error Text is not the output.
server.tool('text', { output }, () => 'warm');
// @ts-expect-error The property has another type.
server.tool('wrong', { output }, () => ({ tempC: 'warm' }));
// @ts-expect-error A content block is not the output.
server.tool('block', { output }, async () => ({ type: 'text', text: 'warm' }));
// @ts-expect-error Nothing is not the output.
server.tool('nothing', { output }, () => undefined);
const pair = { type: 'array', prefixItems: [{ type: 'number' }], items: { type: 'string' } } as const;
server.tool(
  'prefix',
  { input: { type: 'object', properties: { pair }, required: ['pair'] } },
  ({ pair: [first, second] }) => {
    const types: Equals<[typeof first, typeof second], [number | undefined, string | undefined]> = true;
    return String(types);
  },
);
server.tool('pair', { output: pair }, () => [1, 'a', 'b']);
// @ts-expect-error The first item is a number.
server.tool('pair', { output: pair }, () => ['a', 'b']);
server.tool('whole pair', { output: { ...pair, minItems: 1, items: false } }, () => [1]);
// @ts-expect-error There is an item too many.
server.tool('whole pair', { output: { ...pair, minItems: 1, items: false } }, () => [1, 'a']);
// @ts-expect-error There is an item too few.
server.tool('whole pair', { output: { ...pair, minItems: 1, items: false } }, () => []);
// @ts-expect-error The fields of zod are no schema yet: z.object({ … }).
server.tool('raw', { input: { city: z.string() } }, () => 'x');
// @ts-expect-error As above.
server.tool('raw', { output: { city: z.string() } }, () => ({ city: 'x' }));
server.tool('list', { output: { type: 'array', items: { type: 'number' } } }, () => [1, 2]);
// @ts-expect-error The items are numbers.
server.tool('list', { output: { type: 'array', items: { type: 'number' } } }, () => ['a']);
server.tool('primitive', { output: z.number() }, () => 1);
server.tool('default', { output: z.object({ unit: z.string().default('C') }) }, () => ({}));

// What is returned is only read: it may be readonly all the way down, and what may be missing may be undefined.
interface City {
  readonly name: string;
  readonly tags: readonly string[];
}
declare const cities: readonly City[];
declare const maybe: string | undefined;
const city = z.object({ name: z.string(), tags: z.array(z.string()) });
server.tool('readonly', { output: z.object({ cities: z.array(city) }) }, () => ({ cities }));
server.tool('readonly list', { output: z.array(city) }, async () => cities);
server.tool('readonly pair', { output: pair }, () => [1, 'a'] as const);
server.tool(
  'readonly literals',
  { output: z.object({ kind: z.enum(['a', 'b']), both: z.tuple([z.string(), z.number()]) }) },
  () => ({
    kind: 'a',
    both: ['a', 1],
  }),
);
server.tool('undefined', { output: { type: 'object', properties: { a: { type: 'string' } } } }, () => ({ a: maybe }));
server.tool('date', { output: z.object({ at: z.date(), any: z.any() }) }, () => ({ at: new Date(), any: cities }));
// @ts-expect-error The items have a name.
server.tool('readonly list', { output: z.array(city) }, () => [{ tags: [] }] as const);
// @ts-expect-error A record has nothing that may be missing.
server.tool('record', { output: z.record(z.string(), z.string()) }, () => ({ a: maybe }));
// @ts-expect-error It is not optional.
server.tool('undefined', { output: z.object({ a: z.string() }) }, () => ({ a: maybe }));
server.tool('undefined', {}, () => ({ type: 'text', text: 'a', annotations: undefined }));
// @ts-expect-error A block has one of five types.
server.tool('readonly block', {}, () => [{ type: 'txt', text: 'a' }] as const);
server.method('com.example/cities', { result: z.object({ cities: z.array(city) }) }, () => ({ cities }));

// Results of the official SDK are whole results.
declare const official: {
  readonly old: OfficialOldResult;
  readonly tool: CallToolResult;
  readonly prompt: GetPromptResult;
  readonly read: ReadResourceResult;
};
server.tool('official', {}, () => official.old);
server.tool('official', {}, async () => official.tool);
server.tool('official', { output }, () => official.tool);
server.prompt('official', {}, () => official.prompt);
server.prompt('official', {}, () => official.prompt.messages);
server.resource('config://official', { name: 'official' }, () => official.read);
server.resource('config://official', { name: 'official' }, () => official.read.contents);

// Changes keep the types of the definition.
const handle = server.tool('changing', { description: 'before', output }, () => ({ tempC: 1 }));
handle.update({ description: 'after' });
handle.disable();
same<typeof handle.enabled, boolean>(true);
// @ts-expect-error A description is text.
handle.update({ description: 7 });

server.resource('config://app', { name: 'config', mimeType: 'application/json' }, (uri, ctx) => {
  same<typeof uri, string>(true);
  void ctx.client.capabilities;
  return '{}';
});
server.resource('config://logo', { name: 'logo' }, async () => new Uint8Array(2));
server.resource('config://both', { name: 'both' }, (uri) => [
  { uri, text: 'a' },
  { uri, blob: 'AA==' },
]);
// @ts-expect-error An object without uri is no contents.
server.resource('config://wrong', { name: 'wrong' }, () => ({ text: 'a' }));

server.resourceTemplate(
  'user://{id}/{+rest}{?lang,tags*}',
  {
    name: 'user',
    complete: { id: (value) => [`${value}1`], lang: async (_value, { arguments: settled }) => [settled['id'] ?? ''] },
  },
  (uri, variables) => {
    same<typeof uri, string>(true);
    same<
      typeof variables,
      { readonly id: string; readonly rest: string; readonly lang?: string; readonly tags?: string[] }
    >(true);
    return variables.id;
  },
);
server.resourceTemplate(
  'user://{id}',
  {
    name: 'user',
    // @ts-expect-error The template has no such variable.
    complete: { name: () => [] },
  },
  () => undefined,
);

server.prompt(
  'review',
  {
    arguments: z.object({ code: z.string(), language: z.string().optional() }),
    complete: { language: (value) => ['typescript', 'rust'].filter((name) => name.startsWith(value)) },
  },
  ({ code, language }) => {
    same<typeof code, string>(true);
    same<typeof language, string | undefined>(true);
    return `Review this ${language ?? ''} code: ${code}`;
  },
);
server.prompt(
  'list',
  {
    arguments: [
      { name: 'code', required: true },
      { name: 'style', description: 'How' },
    ],
    complete: { style: () => ({ values: ['terse'], hasMore: false }) },
  },
  (args) => {
    same<typeof args.code, string>(true);
    same<typeof args.style, string | undefined>(true);
    return { role: 'user', content: { type: 'text', text: args.code } };
  },
);
server.prompt('none', {}, (args) => {
  // @ts-expect-error There are no arguments.
  void args.code;
  return [{ role: 'user', content: { type: 'text', text: 'hello' } }];
});

same<VariablesOf<'user://{id}/{+rest}'>, { readonly id: string; readonly rest: string }>(true);
same<VariablesOf<'x:{/path*}{#frag}{var:3}'>, { readonly path: string[]; readonly frag: string; readonly var: string }>(
  true,
);
same<VariablesOf<'x:{?a}{&b*}{;c}'>, { readonly a?: string; readonly b?: string[]; readonly c?: string }>(true);
same<VariablesOf<'config://app'>, unknown extends VariablesOf<'config://app'> ? unknown : {}>(true);
same<VariablesOf<string>, Readonly<Record<string, string | string[]>>>(true);
same<FromJsonSchema<{ type: 'object'; properties: { a: { type: 'string' } } }>, { a?: string }>(true);
same<FromJsonSchema<{ type: 'object' }>, Record<string, unknown>>(true);
same<FromJsonSchema<true>, unknown>(true);
