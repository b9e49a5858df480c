/** Looks whether the simulation finds the planted faults, each in so many schedules at most: `npm run lab -- simulate:planted [--count N] [--only WORDS]`. */

import { parseArgs } from 'node:util';
import { plantedFaults } from './faults.ts';
import { simulatedWith } from './simulated-with.ts';

const { values } = parseArgs({ options: { count: { type: 'string' }, only: { type: 'string' } } });
const wanted = plantedFaults.filter(({ name }) => name.includes(values.only ?? ''));
let found = 0;
for (const { name } of wanted) {
  const seen = await simulatedWith(name, Number(values.count ?? 10_000));
  if (seen.found) found++;
  console.log(`${seen.found ? 'found' : 'MISSED'}  ${name}: ${seen.words}`);
}
console.log(`${found} of ${wanted.length} planted faults were found`);
