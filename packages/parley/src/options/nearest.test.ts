import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from './nearest.ts';

const names = ['get_weather', 'getForecast', 'echo', 'delete-file', 'read-file'];

for (const [wanted, found] of [
  ['ehco', ['echo']],
  ['getWeather', ['get_weather']],
  ['weather', ['get_weather']],
  ['GetForcast', ['getForecast']],
  ['file', ['delete-file', 'read-file']],
  ['something else', []],
  ['', []],
  ['x'.repeat(1000), []],
] as const)
  test(`${JSON.stringify(wanted.slice(0, 20))} may have meant ${found.join(' or ') || 'nothing here'}`, () => {
    assert.deepEqual(nearest(wanted, names), found);
  });
