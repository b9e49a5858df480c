/** Runs test files one after another in this process: with a fault in one module, or to measure which code each file runs. */

import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';
import { mock, suite } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { lineOf } from './reach.ts';
import type { Task } from './run.ts';

/** A file that waits longer waits for something that never comes. */
const maxMs = 30_000;

const heard = { failure: (_name: string): void => {}, end: (): void => {} };

// oxlint-disable-next-line import/no-default-export -- Node takes the default export of a reporter.
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (type === 'test:fail' && data.todo === undefined) heard.failure(data.name);
    if (data.nesting === 0) heard.end();
  }
  yield '';
}

// Node loads this module once more, as its reporter, which must not wait for the tests.
void run(JSON.parse(process.env['MUTATE_TASK'] ?? '') as Task);

async function run({ mutant, tests, reach }: Task): Promise<void> {
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
  session.connect();
  if (reach !== undefined) {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }
  await import('../../test/setup.ts');
  const limit = setTimeout(() => process.exit(1), maxMs);
  for (const test of tests) {
    writeSync(3, `${test}\n`);
    limit.refresh();
    let failure: string | undefined;
    heard.failure = (name) => {
      failure ??= name;
      if (reach !== undefined) return;
      writeSync(3, `${test}\t${name.replaceAll(/\s/g, ' ')}\n`);
      process.exit(1);
    };
    // A failure must be known before the next file begins.
    const end = new Promise<void>((resolve) => (heard.end = resolve));
    const cpu = process.cpuUsage();
    await suite(test, () => import(pathToFileURL(test).href));
    await end;
    mock.reset();
    if (reach === undefined) continue;
    const { user, system } = process.cpuUsage(cpu);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    appendFileSync(reach, lineOf({ test, failure, cpu: (user + system) / 1e6 }, result));
  }
  process.exit(0);
}
