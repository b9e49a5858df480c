import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthInfo } from '../../server/runtime/request-handler.ts';
import { latestOf, PerCaller, senderOf } from './callers.ts';

const caller = (clientId: string, more: object = {}): AuthInfo => ({ principal: 'a', clientId, ...more }) as AuthInfo;

test('the caller who came last counts, but not before one whose tokens can be exchanged', () => {
  const exchange = async (): Promise<never> => {
    throw new Error('not used');
  };
  const [plain, other] = [caller('plain'), caller('other')];
  const [able, abler] = [caller('able', { exchange }), caller('abler', { exchange })];
  const pairs = [
    [undefined, plain],
    [plain, other],
    [plain, able],
    [able, plain],
    [able, abler],
    [undefined, able],
  ] as const;
  assert.deepEqual(
    pairs.map(([before, now]) => latestOf(before, now).clientId),
    ['plain', 'other', 'able', 'able', 'abler', 'able'],
  );
});

test('a request is sent for its own caller, or else for the one who came last', () => {
  const [own, latest] = [caller('own'), caller('latest')];
  assert.equal(senderOf({ caller: own } as never, { latest }), own);
  assert.equal(senderOf({} as never, { latest }), latest);
  assert.throws(() => senderOf({} as never, { latest: undefined }), { reason: 'login-required' });
});

test('things of 32 callers are kept, and the one used least recently is dropped', () => {
  let made = 0;
  const kept = new PerCaller(() => ++made);
  for (let count = 1; count <= 32; count++) assert.equal(kept.of(caller(`${count}`)), count);
  assert.equal(kept.of(caller('1', { claims: { exp: 7, jti: 'new' } })), 1);
  assert.equal(kept.of(caller('33')), 33);
  assert.equal(kept.of(caller('1')), 1);
  assert.equal(kept.of(caller('3')), 3);
  assert.equal(kept.of(caller('2')), 34);
});
