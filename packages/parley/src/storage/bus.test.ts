/** What every bus promises, shown with the one of this process. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settle } from '../../../../test/support/raw.ts';
import { memoryBus, type Bus } from './bus.ts';

/** @param counts Whether the bus knows how many heard a text. */
function promises(name: string, { make, counts }: { readonly make: () => Bus; readonly counts: boolean }): void {
  describe(name, () => {
    it('says how many subscribers of a channel heard a text', async () => {
      const bus = make();
      const ends = [
        await bus.subscribe('a', () => undefined),
        await bus.subscribe('a', () => undefined),
        await bus.subscribe('b', () => undefined),
      ];
      const heard = [await bus.publish('a', '1'), await bus.publish('b', '1'), await bus.publish('c', '1')];
      assert.deepEqual(heard, counts ? [2, 1, 0] : [undefined, undefined, undefined]);
      for (const end of ends) await end();
      assert.equal(await bus.publish('a', '2'), counts ? 0 : undefined);
    });

    it('hands texts over in order, to each subscriber of their channel alone', async () => {
      const bus = make();
      const heard: string[] = [];
      const ends = [
        await bus.subscribe('a', (text) => heard.push(`a ${text}`)),
        await bus.subscribe('b', (text) => heard.push(`b ${text}`)),
      ];
      for (const text of ['1', '2', '3']) await bus.publish('a', text);
      await settle();
      assert.deepEqual(heard, ['a 1', 'a 2', 'a 3']);
      for (const end of ends) await end();
    });

    it('keeps nothing for those who come later', async () => {
      const bus = make();
      const heard: string[] = [];
      await bus.publish('a', 'early');
      const end = await bus.subscribe('a', (text) => heard.push(text));
      await settle();
      assert.deepEqual(heard, []);
      await end();
    });

    it('ends one subscription of a listener that has two, and twice is fine', async () => {
      const bus = make();
      const heard: string[] = [];
      const hear = (text: string): void => void heard.push(text);
      const [first, second] = [await bus.subscribe('a', hear), await bus.subscribe('a', hear)];
      await first();
      await first();
      await bus.publish('a', 'once');
      await settle();
      assert.deepEqual(heard, ['once']);
      await second();
      await bus.publish('a', 'never');
      await settle();
      assert.deepEqual(heard, ['once']);
    });
  });
}

promises('the bus of one process', { make: memoryBus, counts: true });

describe('a text that is under way', () => {
  it('is not heard by a subscription that ended meanwhile', async () => {
    const bus = memoryBus();
    const heard: string[] = [];
    const end = await bus.subscribe('a', (text) => heard.push(text));
    void bus.publish('a', 'late');
    await end();
    await settle();
    assert.deepEqual(heard, []);
  });
});
