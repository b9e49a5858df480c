/** Runs test files one after another in this process, with one fault in the text of one module. */

import { readFileSync, writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Mutant } from './mutants.ts';

interface Task {
  readonly mutant?: Mutant;
  readonly tests: readonly string[];
}

// The parent wrote it.
const { mutant, tests } = JSON.parse(process.env['MUTATE_TASK'] ?? '') as Task;
delete process.env['MUTATE_TASK'];

if (mutant !== undefined) {
  const target = pathToFileURL(mutant.file).href;
  registerHooks({
    load(url, context, next) {
      if (url !== target) return next(url, context);
      const source = readFileSync(mutant.file, 'utf8');
      const text = source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end);
      return { format: 'module-typescript', source: text, shortCircuit: true };
    },
  });
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${JSON.stringify({ cpu: (user + system) / 1e6 })}\n`);
});

await import('../../test/setup.ts');
for (const test of tests) {
  writeSync(3, `${JSON.stringify({ started: test })}\n`);
  await suite(test, () => import(pathToFileURL(test).href));
}
