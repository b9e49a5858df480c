/** Loaded before test files: adds to a file which parts of the sources each of them ran. */

import { appendFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import type { FileResult } from '../test/worker.ts';

const root = new URL('../../', import.meta.url).href;
// Only `reach.ts` sets it. What the tests start is not measured.
const path = process.env['REACH'] ?? '';
delete process.env['REACH'];
delete process.env['NODE_OPTIONS'];

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** By source: the code that ran once, when the module was loaded, and is not inside a function. */
const loaded = new Map<string, Uint8Array>();
const send = process.send?.bind(process);
process.send = (message: unknown, ...rest: unknown[]): boolean => {
  // The worker sends nothing else.
  const { path: test, cpu } = message as FileResult;
  appendFileSync(path, `${JSON.stringify({ test, cpu, ran: ranNow() })}\n`);
  return send?.(message, ...(rest as [])) ?? false;
};

/** By source: the offsets at which the code that ran since the last call begins and ends, in turns. */
function ranNow(): Record<string, readonly number[]> {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  // A session of the own process answers before `post` returns.
  session.post('Profiler.takePreciseCoverage', (_, { result }) => (scripts = result));
  const own = scripts.filter(
    ({ url }) => url.startsWith(`${root}packages/parley/src/`) && /(?<!\.test)\.ts$/.test(url),
  );
  return Object.fromEntries(own.map((script) => [script.url.slice(root.length), edgesOf(script)]));
}

function edgesOf({ url, functions }: Profiler.ScriptCoverage): readonly number[] {
  const size = Math.max(loaded.get(url)?.length ?? 0, ...functions.map(({ ranges: [whole] }) => whole?.endOffset ?? 0));
  const paint = new Uint8Array(size);
  if (!loaded.has(url)) loaded.set(url, loadedBy(functions, size));
  const hasRun = functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
  if (hasRun) paint.set(loaded.get(url) ?? []);
  // Outer functions and blocks come before those inside them.
  for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges))
    if (startOffset > 0 || count > 0) paint.fill(Math.min(count, 1), startOffset, endOffset);
  return [...paint, 0].flatMap((value, index) => (value === (paint[index - 1] ?? 0) ? [] : [index]));
}

/** The first function of a module is the module itself. */
function loadedBy([whole, ...inner]: readonly Profiler.FunctionCoverage[], size: number): Uint8Array {
  const paint = new Uint8Array(size);
  for (const { startOffset, endOffset, count } of whole?.ranges ?? [])
    paint.fill(Math.min(count, 1), startOffset, endOffset);
  for (const { ranges } of inner) paint.fill(0, ranges[0]?.startOffset, ranges[0]?.endOffset);
  return paint;
}
