/** `node scripts/orphans.ts [times] [at once]`: counts the servers that stay behind when clients close a bridge, beside two busy loops. */

import { orphans } from '../test/support/orphans.ts';

const [times = '200', atOnce = '4'] = process.argv.slice(2);
const began = performance.now();
const { started, left } = await orphans(Number(times), Number(atOnce), 2);
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(`${times} bridges were closed in ${seconds} s: of ${started} servers, ${left} stayed behind`);
process.exitCode = left === 0 ? 0 : 1;
