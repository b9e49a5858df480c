/** The JavaScript of the command line. It contains the modules of the library that it uses, and so depends on no version of it. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChunks } from './start-chunks.ts';
import { writeBundle } from './write-bundle.ts';

const folder = fileURLToPath(new URL('../../packages/cli', import.meta.url));

/** The commands that are used most, and the module that runs them all. What they share lies in few files. */
const starts = {
  run: 'run',
  call: 'call/call',
  example: 'example/example',
  inspect: 'inspect/inspect',
  check: 'check/check',
  bridge: 'bridge',
};

/** Builds `packages/cli/dist`, without the page of `inspect`. */
export async function buildCommandLine(): Promise<void> {
  const commands = Object.entries(starts).map(
    ([name, path]) => [name, join(folder, 'src/commands', `${path}.ts`)] as const,
  );
  const { plugin, group } = startChunks({ starts: Object.fromEntries(commands), mayLoad: () => true });
  await writeBundle({ folder: join(folder, 'dist'), input: { main: join(folder, 'src/main.ts') }, plugin, group });
}
