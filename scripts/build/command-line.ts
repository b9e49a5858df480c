/** The JavaScript of the command line. It contains the modules of the library that it uses, and so depends on no version of it. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeBundle } from './write-bundle.ts';

const folder = fileURLToPath(new URL('../../packages/cli', import.meta.url));

/** Builds `packages/cli/dist`, without the page of `inspect`. */
export async function buildCommandLine(): Promise<void> {
  await writeBundle({ folder: join(folder, 'dist'), input: { main: join(folder, 'src/main.ts') } });
}
