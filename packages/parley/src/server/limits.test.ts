/** Limits of what a server offers, each at its value and one above. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isVisible, knownScopes, neededScopes } from './features/needed-scopes.ts';
import { Registry } from './definition/registry.ts';
import { toolNameProblem } from './features/tool-name.ts';
import { Who } from './rates/measured.ts';
import { leadsElsewhere } from './uri-template/traversal.ts';
import { parseTemplate } from './uri-template/uri-template.ts';
import { isUri } from './uri-template/uri.ts';

test('a page has as many entries as asked for, and a cursor only if more are enabled', () => {
  const registry = new Registry<number>('thing', () => undefined);
  for (let index = 0; index < 4; index += 1) registry.add(`k${index}`, {}, () => index);
  const page = (cursor: string | undefined, size: number) => registry.page(cursor, size);
  assert.deepEqual(page(undefined, 4), { items: [0, 1, 2, 3] });
  const first = page(undefined, 3);
  assert.deepEqual(first.items, [0, 1, 2]);
  assert.deepEqual(page(first.nextCursor, 1), { items: [3] });
  assert.equal(first.nextCursor, btoa('thing:2'));
  assert.deepEqual(
    registry.page(undefined, 1, ({ value }) => value > 2),
    { items: [3] },
  );
  assert.deepEqual(page(btoa('thing:3'), 1), { items: [] });
  for (const wrong of [btoa('thing:4'), btoa('other:1'), btoa('thing:x'), btoa(`thing:${'0'.repeat(16)}`), '?', ''])
    assert.throws(() => page(wrong, 1), /invalid cursor/, wrong);
});

test('256 scopes of a function are remembered', () => {
  let given: unknown = [];
  const scopes = (): never => given as never;
  given = Array.from({ length: 256 }, (_, index) => `s${index}`);
  assert.equal(neededScopes({ scopes }, {}).length, 256);
  given = ['more'];
  assert.deepEqual(neededScopes({ scopes }, {}), ['more']);
  assert.deepEqual([...knownScopes({ scopes })].at(-1), 's255');
  for (const wrong of ['text', undefined, Promise.resolve([])]) {
    given = wrong;
    assert.throws(() => neededScopes({ scopes }, {}), /must give a list at once/);
  }
  assert.deepEqual([neededScopes({}, {}), neededScopes({ scopes: ['a'] }, {})], [[], ['a']]);
  assert.deepEqual(
    [[...knownScopes({})], [...knownScopes({ scopes: ['a'] })], [...knownScopes({ scopes: () => ['b'] })]],
    [[], ['a'], []],
  );
  for (const [answer, is] of [
    [true, true],
    [false, false],
    [undefined, false],
    [0, false],
  ] as const)
    assert.equal(isVisible({ visible: () => answer as never }, undefined), is);
  assert.equal(isVisible({}, undefined), true);
  for (const wrong of ['yes', Promise.resolve(true)])
    assert.throws(() => isVisible({ visible: () => wrong as never }, undefined), /true or false at once/);
});

test('a caller is named by principal, session or network, and a long name is shortened', () => {
  const who = new Who();
  const session = (id: string | undefined, passing = false) => ({ id, passing }) as never;
  const auth = (length: number) => ({ auth: { principal: 'p'.repeat(length) } }) as never;
  const longest = 512 - 'principal ""'.length;
  assert.equal(who.asks(auth(longest)), `principal "${'p'.repeat(longest)}"`);
  assert.match(who.asks(auth(longest + 1)), /^"principal \\"p{501}" \S+$/);
  assert.notEqual(who.asks(auth(longest + 1)), who.asks(auth(longest + 2)));
  assert.equal(who.asks({ session: session('s') } as never), 'session s');
  assert.equal(who.asks({ session: session('s'), address: '192.0.2.1' } as never), 'address 192.0.2.1');
  assert.equal(who.asks({ session: session('s', true) } as never), 'anybody');
  assert.equal(who.asks({} as never), 'anybody');
  const [one, other] = [session(undefined), session(undefined)];
  assert.match(who.asks({ session: one } as never), /^session of \S+ 1$/);
  assert.match(who.asks({ session: other } as never), / 2$/);
  assert.match(who.asks({ session: one } as never), / 1$/);
});

test('a template has 4,096 characters and 64 variables, and matches URIs of 65,536 characters', () => {
  const literal = (length: number): string => `a:${'x'.repeat(length - 2)}`;
  assert.equal(parseTemplate(literal(4_096)).expand({}), literal(4_096));
  assert.throws(() => parseTemplate(literal(4_097)), /has 4097 characters; at most 4096/);
  const variables = (count: number): string =>
    `a:${Array.from({ length: count }, (_, index) => `{v${index}}`).join('/')}`;
  parseTemplate(variables(64));
  assert.throws(() => parseTemplate(variables(65)), /has 65 variables; at most 64/);
  assert.throws(() => parseTemplate('a:{x'), /\{ without \}/);
  assert.throws(() => parseTemplate('a:x}'), /\} without \{/);
  const template = parseTemplate('a:{x}');
  assert.deepEqual(template.match(literal(65_536)), { x: 'x'.repeat(65_534) });
  assert.equal(template.match(literal(65_537)), undefined);
  assert.deepEqual(
    [isUri(literal(65_536)), isUri(literal(65_537)), isUri('a b'), isUri('x')],
    [true, false, false, false],
  );
});

test('a value leads elsewhere by its root, its parent, or too many encodings', () => {
  const encoded = (times: number): string => {
    let text = 'a b';
    for (let count = 0; count < times; count += 1) text = encodeURIComponent(text);
    return text;
  };
  assert.deepEqual([encoded(7), encoded(8)].map(leadsElsewhere), [false, true]);
  for (const right of ['a', 'a/b', '...', 'a..', '..a', 'c:x', 'a/..b', 'x;..'])
    assert.equal(leadsElsewhere(right), false, right);
  for (const wrong of [
    '..',
    'a/..',
    'a\\..\\b',
    '/a',
    '\\a',
    'c:\\a',
    'C:/',
    '.. ',
    '..;x',
    '%2e%2e',
    '%252e%252E',
    'a\0',
    '%00',
  ])
    assert.equal(leadsElsewhere(wrong), true, wrong);
});

test('a name of a tool is shown up to 140 characters', () => {
  assert.equal(toolNameProblem('a'.repeat(128)), undefined);
  assert.ok(toolNameProblem('é'.repeat(140))?.includes(`"${'é'.repeat(140)}"`));
  assert.ok(toolNameProblem('é'.repeat(141))?.includes(`"${'é'.repeat(140)}…"`));
  assert.notEqual(toolNameProblem('a'.repeat(129)), undefined);
  assert.notEqual(toolNameProblem(''), undefined);
});
