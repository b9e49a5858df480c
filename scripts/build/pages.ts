/** The pages that are published with the library: README, license, and the documentation. */

import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const library = join(root, 'packages/parley');

/** Pages of `docs/` that are for maintainers, or show results of measurements. */
const unpublished = /^(interop.*|maintaining|runtimes)\.md$/;

/** What the pages show and link besides other pages. */
const linked = ['docs/images/overview.svg', 'docs/images/inspect.png', 'bench/README.md', 'bench/scale.md'];

/** Copies the pages into the packages, where git ignores them. */
export function copyPages(): void {
  for (const folder of ['docs', 'bench']) rmSync(join(library, folder), { recursive: true, force: true });
  const pages = readdirSync(join(root, 'docs'))
    .filter((name) => /\.(md|json)$/.test(name) && !unpublished.test(name))
    .map((name) => `docs/${name}`);
  for (const path of ['README.md', 'LICENSE', ...linked, ...pages]) cpSync(join(root, path), join(library, path));
  cpSync(join(root, 'LICENSE'), join(root, 'packages/cli/LICENSE'));
}
