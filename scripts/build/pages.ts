/** The pages that are published with the library: README, license, and the documentation. */

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const library = join(root, 'packages/parley');

/** Pages of `docs/` that are for maintainers. */
const unpublished: ReadonlySet<string> = new Set(['maintaining.md']);

/** What the pages show and link besides other pages. */
const linked = [
  'docs/images/overview.svg',
  'docs/images/inspect.png',
  'bench/README.md',
  'bench/scale.md',
  'docs/skill/parley-server/SKILL.md',
];

/** Copies the pages into the packages, where git ignores them. A link to a page that is not published becomes text. */
export function copyPages(): void {
  for (const folder of ['docs', 'bench']) rmSync(join(library, folder), { recursive: true, force: true });
  const pages = ['docs', 'docs/how-to'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => /\.(md|json)$/.test(name) && !unpublished.has(name))
      .map((name) => `${folder}/${name}`),
  );
  const published = ['README.md', 'LICENSE', ...linked, ...pages];
  for (const path of published) cpSync(join(root, path), join(library, path));
  for (const path of published.filter((name) => name.endsWith('.md')))
    writeFileSync(
      join(library, path),
      withoutDeadLinks(readFileSync(join(root, path), 'utf8'), path, new Set(published)),
    );
  cpSync(join(root, 'LICENSE'), join(root, 'packages/cli/LICENSE'));
}

function withoutDeadLinks(text: string, page: string, published: ReadonlySet<string>): string {
  return text.replaceAll(/(?<!!)\[([^[\]]*)\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g, (link, title: string, path: string) =>
    published.has(posix.join(posix.dirname(page), path)) ? link : title,
  );
}
