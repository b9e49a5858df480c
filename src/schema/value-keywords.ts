/** Keywords about the value itself: its type, numbers, and text. */

import { SchemaError } from './document.ts';
import { characters, canonical, isJsonObject, isMultiple } from './json-value.ts';
import { countOf, isMatch, listOf, numberOf, textOf, textsOf, type Keyword, type Surroundings } from './keyword.ts';
import { fail, spend, type Part } from './run.ts';

const types: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', (value: unknown) => typeof value === 'string'],
  ['number', (value: unknown) => Number.isFinite(value)],
  ['integer', (value: unknown) => Number.isInteger(value)],
  ['boolean', (value: unknown) => typeof value === 'boolean'],
  ['null', (value: unknown) => value === null],
  ['array', (value: unknown) => Array.isArray(value)],
  ['object', isJsonObject],
]);

/** The keywords by name. */
export const valueKeywords: Readonly<Record<string, Keyword>> = {
  type(value, schema) {
    const names = typeof value === 'string' ? [value] : textsOf(value, schema);
    const tests = names.map((name) => {
      const test = types.get(name);
      if (test === undefined)
        throw new SchemaError(`type ${JSON.stringify(name)} is not one of ${[...types.keys()].join(', ')}`);
      return test;
    });
    const message = `must be ${names.map(withArticle).join(' or ')}`;
    return (instance, at, run) => tests.some((test) => test(instance)) || fail(run, at, message);
  },
  enum(value, schema) {
    const members = listOf(value, schema);
    return oneOfValues(
      members,
      `must be one of ${abridge(members.map((member) => JSON.stringify(member)).join(', '))}`,
    );
  },
  const: (value) => oneOfValues([value], `must be ${abridge(JSON.stringify(value) ?? 'undefined')}`),
  minimum: limit('at least', (value, bound) => value >= bound),
  maximum: limit('at most', (value, bound) => value <= bound),
  exclusiveMinimum: limit('greater than', (value, bound) => value > bound),
  exclusiveMaximum: limit('less than', (value, bound) => value < bound),
  multipleOf(value, schema) {
    const of = numberOf(value, schema);
    if (!(of > 0)) throw new SchemaError('multipleOf must be greater than 0');
    return (instance, at, run) =>
      typeof instance !== 'number' || isMultiple(instance, of) || fail(run, at, `must be a multiple of ${of}`);
  },
  minLength: length('at least', (count, bound) => count >= bound),
  maxLength: length('at most', (count, bound) => count <= bound),
  pattern(value, schema) {
    const source = textOf(value, schema);
    const matches = schema.pattern(source);
    return (instance, at, run) =>
      typeof instance !== 'string' ||
      isMatch(matches, instance, run) ||
      fail(run, at, `must match the pattern ${source}`);
  },
};

function withArticle(name: string): string {
  return name === 'null' ? name : `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`;
}

function abridge(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function oneOfValues(members: readonly unknown[], message: string): Part {
  const primitives = new Set(members.filter((member) => typeof member !== 'object' || member === null));
  const others = members.filter((member) => typeof member === 'object' && member !== null);
  return (value, at, run) => {
    if (typeof value !== 'object' || value === null) return primitives.has(value) || fail(run, at, message);
    if (others.length === 0) return fail(run, at, message);
    const text = canonical(value, run);
    return others.some((other) => canonical(other, run) === text) || fail(run, at, message);
  };
}

function limit(words: string, fits: (value: number, bound: number) => boolean): Keyword {
  return (value, schema) => {
    const bound = numberOf(value, schema);
    return (instance, at, run) =>
      typeof instance !== 'number' || fits(instance, bound) || fail(run, at, `must be ${words} ${bound}`);
  };
}

function length(words: string, fits: (count: number, bound: number) => boolean): Keyword {
  return (value: unknown, schema: Surroundings) => {
    const bound = countOf(value, schema);
    const message = `must have ${words} ${bound} ${bound === 1 ? 'character' : 'characters'}`;
    return (instance, at, run) => {
      if (typeof instance !== 'string') return true;
      spend(run, instance.length >> 6);
      return fits(characters(instance), bound) || fail(run, at, message);
    };
  };
}
