/** The pages of the repository as pages of the site: links between them lead to pages, other links lead nowhere and become text. */

import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../../test/support/sources.ts';
import type { SitePage } from './api-pages.ts';

/** The files that are pages of the site under another name than in `docs/`. */
const others: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'bench/README.md': 'bench.md',
  'bench/scale.md': 'bench-scale.md',
};

/** The path of a page on the site, by its path in the repository. */
function sitePath(path: string): string | undefined {
  return others[path] ?? (/^docs\/.+\.md$/.test(path) ? path.slice('docs/'.length) : undefined);
}

/** Makes the pages. @param paths The paths of the pages on the site, with `.md`. */
export function docsPages(paths: readonly string[]): readonly SitePage[] {
  return paths.map((path) => {
    const [source = `docs/${path}`] = Object.entries(others).flatMap(([from, to]) => (to === path ? [from] : []));
    return { path, text: linked(readFileSync(join(root, source), 'utf8'), source, path, new Set(paths)) };
  });
}

function linked(text: string, source: string, path: string, known: ReadonlySet<string>): string {
  return text.replaceAll(
    /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
    (whole, image: string, title: string, link: string) => {
      if (/^[a-z][a-z\d+.-]*:|^#/i.test(link)) return whole;
      const [file = '', anchor] = link.split('#');
      const target = posix.join(posix.dirname(source), file);
      if (image !== '') return `![${title}](/${posix.basename(target)})`;
      const page = sitePath(target);
      if (page === undefined || !known.has(page)) return title;
      const near = posix.relative(posix.dirname(path), page);
      return `[${title}](${near}${anchor === undefined ? '' : `#${anchor}`})`;
    },
  );
}

/** The title of a page: its first heading, without marks. */
export function titleOf(text: string): string {
  return (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '').replace(/ \{#[^}]*\}$/, '');
}
