import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Tool } from '../../../../parley/src/protocol/features/tools.ts';
import { argumentsOf } from './arguments.ts';
import { UsageError } from '../io.ts';

const tool: Tool = {
  name: 'all',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      number: { type: 'number' },
      whole: { type: 'integer' },
      flag: { type: 'boolean' },
      nothing: { type: 'null' },
      list: { type: 'array' },
      thing: { type: 'object' },
      maybe: { type: ['number', 'null'] },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      open: { anyOf: [{ type: 'string' }, {}] },
      any: {},
    },
  },
};

function value(pair: string, from: Tool | undefined = tool): unknown {
  const [name = '', text = ''] = pair.split(':');
  return argumentsOf([[name, text]], undefined, from)[name];
}

describe('the schema says what a value is', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['text:12', '12'],
    ['text:true', 'true'],
    ['text:"a"', '"a"'],
    ['number:1.5', 1.5],
    ['whole:7', 7],
    ['flag:false', false],
    ['nothing:null', null],
    ['list:[1,2]', [1, 2]],
    ['thing:{}', {}],
    ['maybe:null', null],
    ['either:12', 12],
    ['either:twelve', 'twelve'],
    ['open:12', 12],
    ['any:12', 12],
    ['any:"12"', '"12"'],
    ['unheard:true', true],
    ['unheard:words', 'words'],
    ['toString:words', 'words'],
  ];
  for (const [pair, expected] of cases) test(pair, () => assert.deepEqual(value(pair), expected));

  for (const pair of ['number:one', 'whole:1.5', 'flag:1', 'nothing:', 'list:{}', 'thing:[]', 'maybe:x']) {
    test(`${pair} is refused`, () => assert.throws(() => value(pair), UsageError));
  }
});

test('without a schema, what is JSON is JSON', () => {
  const typed = (text: string): unknown => argumentsOf([['a', text]], undefined, undefined)['a'];
  assert.deepEqual(['1', 'true', 'null', '[1]', '"x"', 'x', ''].map(typed), [1, true, null, [1], '"x"', 'x', '']);
});

test('pairs are added to what was given as JSON', () => {
  assert.deepEqual(argumentsOf([['text', 'new']], { text: 'old', flag: true }, tool), { text: 'new', flag: true });
});

test('a name of the language is a name like any other', () => {
  const given = argumentsOf([['__proto__', '1']], JSON.parse('{"constructor":2}'), undefined);
  assert.deepEqual(Object.keys(given).toSorted(), ['__proto__', 'constructor']);
  assert.equal(Object.getPrototypeOf(given), Object.prototype);
});
