/** Runs test files one after another in this process, with one fault in the text of one module. */

import { readFileSync, writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { performance } from 'node:perf_hooks';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Mutant } from './mutants.ts';
import { fileOver } from './reporter.ts';

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

// What waits for something that never comes is told from what a busy machine delays.
let [idle, before] = [0, performance.eventLoopUtilization()];
setInterval(() => {
  const now = performance.eventLoopUtilization();
  idle = performance.eventLoopUtilization(now, before).utilization < 0.02 ? idle + 1 : 0;
  before = now;
  if (idle > 0) writeSync(3, `${JSON.stringify({ idle })}\n`);
}, 1_000).unref();

await import('../../test/setup.ts');
for (const test of tests) {
  writeSync(3, `${JSON.stringify({ started: test })}\n`);
  const over = fileOver();
  await suite(test, () => import(pathToFileURL(test).href));
  // A failure must be known before the next file begins.
  await over;
}
