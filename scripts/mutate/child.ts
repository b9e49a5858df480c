/** Runs test files one after another in this process: with a fault in one module, or to measure which code each file runs. */

import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';
import { performance } from 'node:perf_hooks';
import { mock, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { lineOf } from './reach.ts';
import { listener } from './reporter.ts';
import type { Task } from './run.ts';

const maxIdleSeconds = 5;

// The parent wrote it.
const { mutant, tests, reach } = JSON.parse(process.env['MUTATE_TASK'] ?? '') as Task;
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

const session = new Session();
if (reach !== undefined) {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

// Ends a file that waits for something that never comes. It also keeps the process alive for timers that do not.
let [idle, before] = [0, performance.eventLoopUtilization()];
setInterval(() => {
  const now = performance.eventLoopUtilization();
  idle = performance.eventLoopUtilization(now, before).utilization < 0.02 ? idle + 1 : 0;
  before = now;
  if (idle >= maxIdleSeconds) process.exit(1);
}, 1_000);

await import('../../test/setup.ts');
for (const test of tests) {
  writeSync(3, `${test}\n`);
  let failure: string | undefined;
  const end = new Promise<void>((resolve) => (listener.onFileEnd = resolve));
  listener.onFailure = (name) => {
    failure ??= name;
    if (reach !== undefined) return;
    writeSync(3, `${test}\t${name.replaceAll(/\s/g, ' ')}\n`);
    process.exit(1);
  };
  const cpu = process.cpuUsage();
  await suite(test, () => import(pathToFileURL(test).href));
  // A failure must be known before the next file begins.
  await end;
  mock.reset();
  if (reach === undefined) continue;
  const { user, system } = process.cpuUsage(cpu);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  appendFileSync(reach, lineOf(test, failure, (user + system) / 1e6, result));
}
process.exit(0);
