import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandedReply } from './handed-reply.ts';

test('who asks to hear of the end of a handed answer that is over hears of it at once', () => {
  let ended = 0;
  const reply = new HandedReply(
    0,
    async () => true,
    () => ended++,
  );
  reply.close();
  let heard = 0;
  reply.onClose(() => heard++);
  reply.close();
  assert.deepEqual([ended, heard], [1, 1]);
});
