/** A few of the planted faults, each found soon; all of them are `npm run lab -- simulate:planted`. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { plantedFaults } from './faults.ts';
import { simulatedWith } from './simulated-with.ts';

for (const name of [
  'a resumed stream lacks its first event',
  'a request is forgotten before its answer',
  'the client says nothing of a gap',
  'ids of requests are used again',
  'effects are not kept between rounds',
  'changes of lists are told to no listener',
  'answers do not reach the process that asked',
  'a stream that is taken up elsewhere lacks its first event',
])
  test(`the simulation finds that ${name}`, async () => {
    // It ends with the first that is found, which moves with everything that schedules do: one in 20 to one in 400 finds it.
    const seen = await simulatedWith(name, 4_000);
    assert.ok(seen.found, seen.words);
  });

test('every planted fault has a name of its own', () => {
  assert.equal(new Set(plantedFaults.map(({ name }) => name)).size, plantedFaults.length);
});

test('what every planted fault changes stands in its file once', () => {
  for (const { name, file, from } of plantedFaults) {
    const text = readFileSync(new URL(`../../../packages/parley/src/${file}`, import.meta.url), 'utf8');
    assert.equal(text.split(from).length, 2, `${name}: ${file} has ${JSON.stringify(from)} once`);
  }
});
