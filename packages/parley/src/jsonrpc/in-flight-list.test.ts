import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InFlightList } from './in-flight-list.ts';

test('those that are in a crowd are there in the order of their coming', () => {
  const crowd = new InFlightList<string>();
  for (const name of ['a', 'b', 'c']) crowd.add(name);
  assert.deepEqual(crowd.all(), ['a', 'b', 'c']);
  assert.equal(crowd.size, 3);
});

test('who leaves a crowd is gone, wherever it stood, and the others stay in order', () => {
  for (const gone of [0, 1, 2]) {
    const crowd = new InFlightList<number>();
    const places = [0, 1, 2].map((one) => crowd.add(one));
    places[gone]?.leave();
    crowd.add(3);
    assert.deepEqual(
      crowd.all(),
      [0, 1, 2, 3].filter((one) => one !== gone),
    );
  }
});

test('leaving a crowd twice counts once', () => {
  const crowd = new InFlightList<string>();
  const place = crowd.add('a');
  crowd.add('b');
  place.leave();
  place.leave();
  assert.equal(crowd.size, 1);
  assert.deepEqual(crowd.all(), ['b']);
});

test('who left a crowd leads to nobody who stood beside it', () => {
  const crowd = new InFlightList<string>();
  crowd.add('a');
  const place = crowd.add('b');
  crowd.add('c');
  place.leave();
  assert.deepEqual(
    Object.values(place).filter((held) => typeof held === 'object' && held !== null),
    [],
  );
});

test('a crowd that everybody left takes in others', () => {
  const crowd = new InFlightList<string>();
  crowd.add('a').leave();
  assert.equal(crowd.size, 0);
  crowd.add('b');
  assert.deepEqual(crowd.all(), ['b']);
});
