/**
 * Loaded before the tests of faults: replaces the text of modules when they are loaded. A test file whose name ends in
 * `?fault=3` is loaded anew, and runs with the third fault.
 */

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

declare global {
  /** The number of the fault that is chosen. */
  var fault: number;
}

// Only `trial.ts` sets it. What the tests start may run on a Node without such hooks.
const texts = JSON.parse(readFileSync(process.env['FAULTS'] ?? '', 'utf8')) as Readonly<Record<string, string>>;
delete process.env['FAULTS'];
delete process.env['NODE_OPTIONS'];

const sources = new Map(Object.entries(texts).map(([file, source]) => [pathToFileURL(file).href, source]));
let runs = 0;
// A new name of the process would be left behind by the first test.
globalThis.fault = 0;

registerHooks({
  resolve(specifier, context, next) {
    const [, test, fault] = /^(file:.*)%3Ffault=(\d+)$/.exec(specifier) ?? [];
    if (test === undefined) return next(specifier, context);
    globalThis.fault = Number(fault);
    return { url: `${test}?run=${++runs}`, format: 'module-typescript', shortCircuit: true };
  },
  load(url, context, next) {
    const source = sources.get(url);
    if (source === undefined) return next(url, context);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});
