/** Runs again when a source or a test changes. */

import { watch } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../test/support/sources.ts';

/** Milliseconds without a change after which it runs: editors write a file in several steps. */
const quiet = 100;

/** Runs now, and after each change of `packages/` or `test/`, until the process is ended. */
export function watchAndRun(run: () => Promise<boolean>): void {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isWanted = false;
  const start = async (): Promise<void> => {
    if (isRunning) {
      isWanted = true;
      return;
    }
    isRunning = true;
    do {
      isWanted = false;
      await run();
    } while (isWanted);
    isRunning = false;
    console.log('waiting for a change');
  };
  for (const folder of ['packages', 'test'])
    watch(join(root, folder), { recursive: true }, (_event, path) => {
      if (path?.endsWith('.ts') !== true && path?.endsWith('.tsx') !== true) return;
      clearTimeout(timer);
      timer = setTimeout(() => void start(), quiet);
    });
  void start();
}
