import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSeal } from './seal.ts';

const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

test('what was sealed opens, and only where it was bound to', async () => {
  const seal = createSeal();
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), fc.string(), async (text, boundTo, other) => {
      const sealed = await seal.seal(text, boundTo);
      assert.equal(await seal.open(sealed, boundTo), text);
      if (other !== boundTo) assert.equal(await seal.open(sealed, other), undefined);
    }),
    { numRuns: 50 },
  );
});

test('a sealed text that was changed in any place does not open', async () => {
  const seal = createSeal();
  const sealed = await seal.seal('{"a":1}', 'x');
  for (let at = 0; at < sealed.length; at++) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    assert.equal(await seal.open(changed, 'x'), undefined, `changed at ${at}`);
  }
});

test('what was never sealed does not open', async () => {
  const seal = createSeal();
  const sealed = await seal.seal('secret', 'x');
  for (const text of [
    '',
    'A',
    'AQ',
    '!',
    `${sealed}-TAMPERED`,
    `${sealed}=`,
    ` ${sealed}`,
    sealed.slice(0, -1),
    'AQ'.repeat(100),
  ]) {
    assert.equal(await seal.open(text, 'x'), undefined, text);
  }
});

test('a sealed text does not show what it holds', async () => {
  const sealed = await createSeal().seal('open sesame', 'x');
  assert.ok(!atob(sealed.replaceAll('-', '+').replaceAll('_', '/')).includes('sesame'));
  assert.match(sealed, /^[\w-]+$/);
});

test('the newest key seals and every key of the ring opens', async () => {
  const old = createSeal([key(1)]);
  const both = createSeal([key(2), key(1)]);
  const fresh = createSeal([key(2)]);
  assert.equal(await both.open(await old.seal('a', 'x'), 'x'), 'a');
  assert.equal(await fresh.open(await both.seal('b', 'x'), 'x'), 'b');
  assert.equal(await old.open(await both.seal('c', 'x'), 'x'), undefined);
});

test('what is sealed alike is the same each time, and tells nothing else apart', async () => {
  const seal = createSeal([key(3)]);
  const sealed = await seal.sealAlike('a', 'x');
  assert.equal(await seal.sealAlike('a', 'x'), sealed);
  assert.equal(await createSeal([key(3)]).sealAlike('a', 'x'), sealed);
  for (const other of [seal.sealAlike('b', 'x'), seal.sealAlike('a', 'y'), createSeal([key(4)]).sealAlike('a', 'x')])
    assert.notEqual((await other).slice(0, 28), sealed.slice(0, 28));
  assert.deepEqual([await seal.open(sealed, 'x'), await seal.open(sealed, 'y')], ['a', undefined]);
});

test('keys in base64 are the same keys', async () => {
  const seal = createSeal([btoa(String.fromCharCode(...key(7)))]);
  assert.equal(await seal.open(await createSeal([key(7)]).seal('a', 'x'), 'x'), 'a');
});

test('a key of the wrong size is refused at once', () => {
  for (const wrong of [new Uint8Array(16), '', 'AAAA', '!']) assert.throws(() => createSeal([wrong]), TypeError);
});

test('two processes without keys do not open each other’s seals', async () => {
  assert.equal(await createSeal().open(await createSeal().seal('a', 'x'), 'x'), undefined);
});
