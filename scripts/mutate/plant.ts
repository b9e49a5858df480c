/** Loaded before the tests of one fault: replaces the text of one module when it is loaded. */

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Mutant } from './mutants.ts';

// Only `scripts/mutate.ts` sets it. What the tests start may run on a Node without such hooks.
const mutant = JSON.parse(process.env['MUTANT'] ?? '') as Mutant;
delete process.env['MUTANT'];
delete process.env['NODE_OPTIONS'];

registerHooks({
  load(url, context, next) {
    if (url !== pathToFileURL(mutant.file).href) return next(url, context);
    const text = readFileSync(mutant.file, 'utf8');
    const source = text.slice(0, mutant.start) + mutant.text + text.slice(mutant.end);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});
