/**
 * Uses the packed package in every runtime, behind frameworks and under compilers, and prints what came of it.
 *
 * Run: npm run lab -- runtimes [<part of a place's name>…]. With `--write`, docs/evidence/runtimes.md is written as well.
 */
import { writeFileSync } from 'node:fs';
import { places, type Place } from './places.ts';
import { isClean, pageOf, type PlaceResult } from './result.ts';
import { prepare, type Setting } from './setting.ts';

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const wanted = places.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase())),
);

const setting = await prepare();
const results: PlaceResult[] = [];
try {
  for (const place of wanted) {
    console.error(`running ${place.name}`);
    results.push(await visit(place, setting));
  }
} finally {
  setting.remove();
}
console.log(pageOf(results));
if (process.argv.includes('--write')) writeFileSync(new URL('../docs/evidence/runtimes.md', import.meta.url), page());
if (!isClean(results)) process.exitCode = 1;

async function visit(place: Place, where: Setting): Promise<PlaceResult> {
  try {
    return { place: place.name, ...(await place.run(where)) };
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    return { place: place.name, version: '', results: [], missing };
  }
}

function page(): string {
  return [
    '# Runtimes, frameworks, compilers',
    '',
    'The published package runs in each of these environments. One server and one client of every revision use each',
    'transport of the environment.',
    '',
    '`npm run lab -- runtimes --write` wrote this page. It downloads the environments into a cache outside the repository.',
    '',
    pageOf(results),
  ].join('\n');
}
