import assert from 'node:assert/strict';
import { test } from 'node:test';
import addFormats from 'ajv-formats';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { isUri } from './uri.ts';

for (const uri of [
  'file:///home/ada/x.txt',
  'https://user:pw@a.example:8080/p/a/th?q=1&r=%20#part',
  'http://[::1]:80/x',
  'memo://one',
  'urn:isbn:0451450523',
  'mailto:ada@a.example',
  'git+ssh://host/x',
  'data:text/plain;base64,AA==',
  'user://{id}'.replace('{id}', '%7Bid%7D'),
  'a:/x',
]) {
  test(`${uri} is a URI [resources-012, resources-018]`, () => assert.equal(isUri(uri), true));
}

for (const text of [
  '',
  'one',
  'a:',
  '/etc/passwd',
  '//host/x',
  '1a://b',
  'user://{id}',
  'user://a b',
  'user://ä',
  'user://%',
  'user://%zz',
  'a:b#c#d',
  'a://b:port',
  'a://b@c@d',
  'a://[::1',
  'a://x[0]',
  'a://b\n',
  '\u0000a:b',
  'a:\\b',
  'a:<b>',
  `a:${'x'.repeat(70_000)}`,
]) {
  test(`${JSON.stringify(text.slice(0, 20))} is no URI [resources-018]`, () => assert.equal(isUri(text), false));
}

test('what is a URI here is one for the official schemas', () => {
  const ajv = new Ajv();
  addFormats.default(ajv, ['uri']);
  const official = ajv.compile({ type: 'string', format: 'uri' });
  const part = fc.constantFrom(
    'a',
    'Z',
    '7',
    ':',
    '/',
    '//',
    '?',
    '#',
    '[',
    ']',
    '@',
    '%41',
    '%',
    '{',
    ' ',
    '.',
    '-',
    '_',
    '~',
    '+',
    ';',
    '=',
    '::1',
    'ä',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.array(part, { maxLength: 12 }).map((parts) => `a:${parts.join('')}`),
      ),
      (text) => {
        if (isUri(text)) assert.equal(official(text), true, text);
      },
    ),
    { numRuns: 5000 },
  );
});
