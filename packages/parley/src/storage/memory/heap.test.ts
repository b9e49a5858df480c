import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Heap } from './heap.ts';

const steps = fc.array(
  fc.record({ thing: fc.integer({ min: 0, max: 15 }), at: fc.option(fc.integer({ min: 0, max: 20 })) }),
  { maxLength: 200 },
);

test('the first of a heap has the least number, whatever was added, moved and removed', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const heap = new Heap<number>();
      const model = new Map<number, number>();
      for (const { thing, at } of taken) {
        if (at === null) heap.delete(thing);
        else heap.set(thing, at);
        if (at === null) model.delete(thing);
        else model.set(thing, at);
        const least = Math.min(...model.values());
        assert.equal(heap.size, model.size);
        assert.equal(heap.first()?.at, model.size === 0 ? undefined : least);
      }
      for (let first = heap.first(); first !== undefined; first = heap.first()) {
        assert.equal(model.get(first.thing), first.at);
        model.delete(first.thing);
        heap.delete(first.thing);
      }
      assert.equal(model.size, 0);
    }),
    { numRuns: 500 },
  );
});
