import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { signOfLife } from './sign-of-life.ts';

test('a run that takes long says that it goes on, and nothing once it is over', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const sign = signOfLife({ stderr });
  t.mock.timers.tick(9_999);
  assert.equal(stderr.read(), null);
  for (let messages = 0; messages < 7; messages++) sign.sent();
  t.mock.timers.tick(1);
  assert.equal(stderr.read(), 'parley: still judging, 10 s and 7 messages so far\n');
  t.mock.timers.tick(10_000);
  assert.equal(stderr.read(), 'parley: still judging, 20 s and 7 messages so far\n');
  sign.over();
  t.mock.timers.tick(60_000);
  assert.equal(stderr.read(), null);
});
