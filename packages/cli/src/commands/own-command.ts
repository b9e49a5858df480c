import { fileURLToPath } from 'node:url';

/** Words that run this program once more, in a process of its own. */
export function ownCommand(...args: readonly string[]): readonly string[] {
  // In the source, it is one folder up. In the build, this module is in `dist/chunks/`.
  const main = new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : '../main.js', import.meta.url);
  return [process.execPath, fileURLToPath(main), ...args];
}
