/** Has processes work on many tasks of each store and judges them: `npm run lab -- processes:tasks [how many tasks] [seed] [kinds of stores]`. */

import { absent, kinds } from './places.ts';
import { planOf } from './plan.ts';
import { play } from './play.ts';

const [count = '1000', seed = '1', ...wanted] = process.argv.slice(2);
process.exitCode = 0;

for (const kind of kinds) {
  if (wanted.length > 0 && !wanted.includes(kind)) continue;
  const reason = absent(kind);
  if (reason !== false) {
    console.log(`${kind}: ${reason}`);
    process.exitCode = 1;
    continue;
  }
  const { violations, log, befell, ...counts } = await play(
    kind,
    planOf(Number(seed), Number(count), kind === 'SQLite' ? 0 : 3),
  );
  if (violations.length > 0) {
    console.log(log.join('\n'));
    console.log(violations.slice(0, 40).join('\n'));
    process.exitCode = 1;
  }
  for (const [what, times] of Object.entries(befell).toSorted(([one], [other]) => one.localeCompare(other)))
    console.log(`  ${what}: ${times}`);
  const words = Object.entries(counts).map(([name, value]) => `${name} ${value}`);
  console.log(`${kind}, seed ${seed}: ${violations.length} violations; ${words.join(', ')}`);
}
