import assert from 'node:assert/strict';
import { cpuUsage } from 'node:process';
import { test } from 'node:test';
import { acceptedBy, isJson } from './media.ts';

const spaces = '; '.repeat(60);

/** Header texts on which a reader that backtracks stands still, whatever their length. */
const nasty = [
  `text/plain${spaces}!`,
  `application/json${spaces}!`,
  `application/json${' \t;\t '.repeat(800)}!`,
  `application/json;a="${'\\"'.repeat(1900)}`,
  `application/json;${'a'.repeat(4000)}`,
  `${'a'.repeat(4000)}`,
  `${'a/a,'.repeat(1000)}!`,
  `${'"'.repeat(4000)}`,
  `${'\t'.repeat(4000)}text/json`,
  `text/html;a="${'a/b;q=0,'.repeat(400)}`,
  `${'a/b;c="x\\",'.repeat(400)}`,
];

test('the time that a media type takes to read grows with its length alone', () => {
  // What a busy machine leaves to others is none of it.
  const begun = cpuUsage();
  for (const text of nasty) {
    assert.equal(isJson(text), false, text.slice(0, 40));
    acceptedBy(text);
  }
  const { user, system } = cpuUsage(begun);
  assert.ok(user + system < 1_000_000);
});

test('a content type is JSON by its grammar, not by what it looks like', () => {
  const json = [
    'application/json',
    'APPLICATION/JSON',
    ' application/json\t',
    'application/json;',
    'application/json ; ; charset=UTF-8 ;',
    'application/json; charset="utf-8"',
    'application/json; charset="u\\tf-8"',
    'application/json;charset=utf8',
    'application/json; profile="a;charset=utf-16,\\" b"',
    `application/json; ${'a=b;'.repeat(100)}`,
  ];
  for (const text of json) assert.equal(isJson(text), true, text);
  const others = [
    undefined,
    '',
    'application/',
    '/json',
    'application/json, application/json',
    'application/json text/plain',
    'application/json; charset',
    'application/json; charset=',
    'application/json; charset =utf-8',
    'application/json; charset= utf-8',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset="utf-8',
    'application/json; charset="utf-8"x',
    'application/json; charset="\u0000"',
    'application/json charset=utf-8',
    'application/json; =utf-8',
  ];
  for (const text of others) assert.equal(isJson(text), false, text);
});

test('what a client accepts is the most specific range with its weight', () => {
  const accepted = (accept: string | undefined): string =>
    Object.entries(acceptedBy(accept))
      .flatMap(([kind, yes]) => (yes ? [kind] : []))
      .join(' ');
  for (const [accept, kinds] of [
    [undefined, 'json stream'],
    ['', 'json stream'],
    ['application/json', 'json'],
    ['application/json, text/event-stream', 'json stream streamNamed'],
    ['application/json, text/event-stream;q=0.5', 'json stream streamNamed'],
    ['*/*, text/event-stream;q=0', 'json'],
    ['text/event-stream; charset=utf-8', 'stream streamNamed'],
    ['Application/*, text/html', 'json'],
    ['*/*;q=0.1', 'json stream'],
    ['*/*; Q=0, application/json ;q=0.001', 'json'],
    ['application/json;q=0.000, */*', 'stream'],
    ['application/json;v="1,2;q=0", text/html', 'json'],
    [',, text/event-stream ,', 'stream streamNamed'],
    ['text/html', ''],
    ['what is this', ''],
    ['!?, application/json', 'json'],
  ] as const)
    assert.equal(accepted(accept), kinds, accept);
});
