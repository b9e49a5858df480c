import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { until } from '../../../../test/support/turns.ts';
import { keysFrom, type SealingKeys } from './sealing-key.ts';
import { createSeal, type Seal } from './seal.ts';

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

test('what begins with a byte order mark opens with it', async () => {
  const seal = createSeal();
  assert.equal(await seal.open(await seal.seal('\ufeffabc', 'x'), 'x'), '\ufeffabc');
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

test('what was sealed for another purpose does not open', async () => {
  const sealed = await createSeal([key(1)], { purpose: 'rounds' }).seal('a', 'x');
  assert.equal(await createSeal([key(1)], { purpose: 'tasks' }).open(sealed, 'x'), undefined);
  assert.equal(await createSeal([key(1)], { purpose: 'rounds' }).open(sealed, 'x'), 'a');
});

test('each hour has a key of its own, and what was sealed in another hour opens', async () => {
  let now = 0;
  const seal = createSeal([key(1)], { now: () => now });
  const first = await seal.seal('a', 'x');
  const alike = await seal.sealAlike('a', 'x');
  now = 100 * 3_600_000;
  const later = await seal.seal('b', 'x');
  assert.equal(await seal.open(first, 'x'), 'a');
  assert.equal(await createSeal([key(1)]).open(later, 'x'), 'b');
  assert.equal(await seal.sealAlike('a', 'x'), alike);
  // The hour stands behind the version and the id of the key.
  const bytes = Buffer.from(later, 'base64url');
  assert.equal(bytes.readUInt32BE(5), 100);
  bytes.writeUInt32BE(99, 5);
  assert.equal(await seal.open(bytes.toString('base64url'), 'x'), undefined);
});

test('keys that a function gives change while the process runs, at the earliest after a minute', async () => {
  let now = 1e12;
  let keys = [key(1)];
  let asked = 0;
  const give = (): readonly Uint8Array[] => (asked++, keys);
  const seal = createSeal(give, { now: () => now });
  const old = await seal.seal('a', 'x');
  keys = [key(2), key(1)];
  now += 59_000;
  assert.equal(await createSeal([key(2)]).open(await seal.seal('b', 'x'), 'x'), undefined);
  now += 1_000;
  // Nobody waits for them.
  await seal.seal('c', 'x');
  await comesToSealWith(seal, key(2));
  assert.deepEqual([await seal.open(old, 'x'), asked], ['a', 2]);
  // Who did nothing for longer waits: within two minutes every process has the new ones, or does nothing with the old.
  keys = [key(3)];
  now += 90_000;
  assert.equal(await createSeal([key(3)]).open(await seal.seal('e', 'x'), 'x'), 'e');
  assert.equal(await seal.open(old, 'x'), undefined);
});

test('while the keys cannot be had those from before go on, and without any nothing is sealed', async () => {
  let now = 1e12;
  let isAway = true;
  const seal = createSeal(
    async () => {
      if (isAway) throw new Error('away');
      return [key(1)];
    },
    { now: () => now },
  );
  await assert.rejects(seal.seal('a', 'x'), /away/);
  isAway = false;
  const sealed = await seal.seal('a', 'x');
  isAway = true;
  now += 700_000;
  assert.equal(await seal.open(sealed, 'x'), 'a');
  for (const none of [[], 'keys', [new Uint8Array(3)]])
    await assert.rejects(createSeal(() => none as Uint8Array[]).seal('a', 'x'), TypeError);
});

test('keys that cannot be had, or never come, are asked for every few seconds, and those from before go on', async (t) => {
  let now = 1e12;
  let asked = 0;
  let give = async (): Promise<readonly Uint8Array[]> => [key(1)];
  const seal = createSeal(() => (asked++, give()), { now: () => now });
  await seal.seal('a', 'x');
  give = () => Promise.reject(new Error('away'));
  now += 61_000;
  for (let times = 0; times < 100; times++) await seal.seal('a', 'x');
  assert.equal(asked, 2);
  now += 700_000;
  for (let times = 0; times < 100; times++) await seal.seal('a', 'x');
  assert.equal(asked, 3);
  let free = (): void => undefined;
  give = () => new Promise((resolve) => (free = () => resolve([key(2)])));
  now += 5_000;
  assert.equal(await createSeal([key(1)]).open(await whileTimePasses(t, () => seal.seal('b', 'x')), 'x'), 'b');
  now += 2_000;
  assert.equal(await createSeal([key(1)]).open(await seal.seal('c', 'x'), 'x'), 'c');
  free();
  await comesToSealWith(seal, key(2));
  assert.equal(asked, 4);
});

test('a function whose keys never come is asked again each minute, and what comes late is taken where nothing newer came', async (t) => {
  let now = 1e12;
  const given: ((fill: number) => void)[] = [];
  const give = (): Promise<readonly Uint8Array[]> =>
    new Promise((resolve) => given.push((fill) => resolve([key(fill)])));
  const seal = createSeal(give, { now: () => now });
  const first = seal.seal('a', 'x');
  given[0]?.(1);
  await first;
  for (let minute = 0; minute < 3; minute++) {
    now += 60_000;
    for (let times = 0; times < 3; times++) await whileTimePasses(t, () => seal.seal('b', 'x'));
  }
  assert.equal(given.length, 4);
  given[2]?.(3);
  await comesToSealWith(seal, key(3));
  given[3]?.(4);
  await comesToSealWith(seal, key(4));
  given[1]?.(2);
  for (let times = 0; times < 10; times++) await new Promise((resolve) => setTimeout(resolve));
  assert.equal(await createSeal([key(4)]).open(await seal.seal('c', 'x'), 'x'), 'c');
});

test('who is told that keys cannot be had is told of those that do not come within a minute too', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const told: unknown[] = [];
  const from = (keys: SealingKeys): SealingKeys => keysFrom(keys, (cause) => told.push(Object(cause).cause));
  for (const keys of [from(async () => [key(1)]), from(() => new Promise(() => {}))])
    if (typeof keys === 'function') void keys();
  for (let times = 0; times < 100; times++) {
    await Promise.resolve();
    t.mock.timers.tick(10_000);
  }
  assert.deepEqual(told.map(String), ['Error: they did not come within 60 seconds']);
});

test('the first keys are waited for, and not for ever', async (t) => {
  const seal = createSeal(() => new Promise(() => {}));
  await assert.rejects(
    whileTimePasses(t, () => seal.seal('a', 'x')),
    /the sealing keys did not come within 10 seconds/,
  );
});

/** Has a second pass with each turn until it is over: other threads seal, for as many turns of this one as the machine pleases. */
async function whileTimePasses<T>(t: TestContext, begin: () => Promise<T>): Promise<T> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const work = begin();
  let isOver = false;
  const over = (): void => void (isOver = true);
  work.then(over, over);
  await until(() => (t.mock.timers.tick(1_000), isOver), 'the end of what takes seconds');
  t.mock.timers.reset();
  return await work;
}

/** Waits until a key seals that was asked for while nobody waits for it. */
async function comesToSealWith(seal: Seal, newest: Uint8Array): Promise<void> {
  const opener = createSeal([newest]);
  let isSo = false;
  for (let times = 0; times < 10_000 && !isSo; times++) {
    await new Promise((resolve) => setTimeout(resolve));
    isSo = (await opener.open(await seal.seal('new', 'x'), 'x')) === 'new';
  }
  assert.equal(isSo, true);
}
