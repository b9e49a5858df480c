/** The clients that the official conformance suite starts, as programs that start quickly, and in turns. */

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './conformance-plan.ts';

/** The place stays the same, so that Node finds what it compiled there before. */
const folder = join(root, 'node_modules/.cache/conformance');

/**
 * Bundles `client.ts` and `bridged-client.ts` of `test/conformance/`. Returns the folder with `client.js` and `bridged-client.js`.
 * The suite starts them more than a hundred times, and a bundle starts in half the time.
 */
export async function bundledClients(): Promise<string> {
  const names = ['client', 'bridged-client'];
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, join(root, 'test/conformance', `${name}.ts`)])),
    platform: 'node',
    tsconfig: false,
  });
  await bundle.write({ dir: folder, format: 'esm', cleanDir: true });
  await bundle.close();
  return folder;
}

/** The suite starts all clients of a revision at once. These commands wait for one another. */
export interface Turns {
  /** A command for the suite, which adds a URL to it. In a scenario of these names it waits for its turn and prints how it exited. */
  command(words: readonly string[], scenarios: readonly string[]): string;
  /** Whether the output of a command says that it exited with 0. */
  exitedWell(output: string): boolean;
  close(): void;
}

/** Lets a number of commands run at a time. The pipe at the path has a line for each that may start. */
export function turnsAt(path: string, count: number): Turns {
  const { status } = spawnSync('mkfifo', [path]);
  if (status !== 0) throw new Error(`mkfifo ${path} failed`);
  // A pipe that is open for reading and writing makes no command wait for the other end.
  const pipe = openSync(path, 'r+');
  writeSync(pipe, '\n'.repeat(count));
  return {
    command(words, scenarios) {
      const program = words.map((word) => `'${word}'`).join(' ');
      const steps = [`read -r turn <'${path}'`, `${program} "$1"`, 'code=$?', `echo >>'${path}'`, 'echo "exit $code"'];
      const isWanted = `case "$MCP_CONFORMANCE_SCENARIO" in ${scenarios.join('|')}) ;; *) exit 1;; esac`;
      return `play() { ${isWanted}; ${steps.join('; ')}; return $code; }; play`;
    },
    exitedWell: (output) => output.endsWith('exit 0\n'),
    close: () => closeSync(pipe),
  };
}
