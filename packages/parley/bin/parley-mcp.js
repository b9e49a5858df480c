#!/usr/bin/env node
// The commands are in the package `parley-cli`. This runs it if it is installed beside this package.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const words = process.argv.slice(2);
const program = installed();
if (program === undefined) {
  const shown = words.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`));
  process.stderr.write(
    `The commands are in another package. Type:\n\n  npx parley-cli ${shown.join(' ') || '<command>'}\n`,
  );
  process.exitCode = 1;
} else await import(program);

function installed() {
  try {
    const manifest = createRequire(import.meta.url).resolve('parley-cli/package.json');
    return new URL('./bin/parley.js', pathToFileURL(manifest)).href;
  } catch {
    return undefined;
  }
}
