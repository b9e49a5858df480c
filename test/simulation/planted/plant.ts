/** Plants the fault that `PLANTED` names; loaded before anything that it is in. */

import { registerHooks } from 'node:module';
import { plantedFaults } from './faults.ts';

const fault = plantedFaults.find(({ name }) => name === process.env['PLANTED']);
if (fault === undefined) throw new Error(`there is no fault ${process.env['PLANTED']}`);
const { file, from, to } = fault;
const url = new URL(`../../../packages/parley/src/${file}`, import.meta.url).href;

registerHooks({
  load(loaded, context, next) {
    const found = next(loaded, context);
    if (loaded !== url) return found;
    const { source } = found;
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source ?? new Uint8Array());
    if (text.split(from).length !== 2) throw new Error(`${file} must have ${JSON.stringify(from)} once`);
    return { ...found, source: text.replace(from, () => to) };
  },
});
