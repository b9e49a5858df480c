import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../api/subscription.ts';

const filler = Array.from({ length: 100 }, (_, at) => `other:${at}`);

test('of many resources an update is about the same as of each by itself', () => {
  const wholes = ['a:/x', 'a:/x/', 'a:/x/y', 'a:/x?q', 'a:/x#f', 'a:', 'a', '', 'a:/xx', '/', 'a:/x//'];
  const uris = [
    ...wholes,
    'a:/x/y/z',
    'a:/x/z',
    'a:/x?q=1',
    'a:/x#f/g',
    'a:/xy',
    'a:/x//z',
    '/z',
    '?',
    'b:/x',
    `a:/x/${'y'.repeat(5_000)}`,
  ];
  for (const whole of wholes)
    for (const uri of uris) {
      const event = { type: 'update', uri } as const;
      assert.equal(
        covers({ updates: [...filler, whole] }, event),
        covers({ updates: [whole] }, event),
        `${whole} ${uri}`,
      );
    }
});

test('of many resources not each is looked at for each update', () => {
  let looked = 0;
  const updates = new Proxy(filler, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) looked++;
      return Reflect.get(target, key) as unknown;
    },
  });
  for (let time = 0; time < 100; time++) {
    assert.equal(covers({ updates }, { type: 'update', uri: 'other:99/part' }), true);
    assert.equal(covers({ updates }, { type: 'update', uri: 'none:/' }), false);
  }
  assert.equal(looked, filler.length);
});

test('that a subscription is open again is about each of its topics', () => {
  for (const topics of [{ tools: true }, { updates: ['a:/x'] }, {}])
    assert.equal(covers(topics, { type: 'reopened' }), true);
  assert.equal(covers({ tools: true }, { type: 'list', list: 'tools' }), true);
  assert.equal(covers({ tools: true, prompts: false }, { type: 'list', list: 'prompts' }), false);
  assert.equal(covers({ tools: true }, { type: 'list', list: 'resources' }), false);
});
