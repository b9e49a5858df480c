import { fileURLToPath } from 'node:url';

/** Words that run this program once more, in a process of its own. */
export function ownCommand(...args: readonly string[]): readonly string[] {
  // Beside the sources it lies here, and beside what is built of them in a folder of its own.
  const main = new URL(import.meta.url.endsWith('.ts') ? '../cli/main.ts' : '../cli/main.js', import.meta.url);
  return [process.execPath, fileURLToPath(main), ...args];
}
