/** Links between the Markdown files of the repository lead to files and headings that exist. */

import { posix } from 'node:path';
import type { Repository } from './repository.ts';
import { lineAt, type Finding, type Rule } from './rule.ts';

export const linksRule: Rule = {
  demand: 'links in Markdown files lead to files and headings that exist',
  find: (repository) => {
    const known = withFolders(repository.paths);
    const anchors = new Map<string, ReadonlySet<string>>();
    const anchorsOf = (page: string): ReadonlySet<string> => {
      const found = anchors.get(page) ?? anchorsIn(repository.read(page));
      anchors.set(page, found);
      return found;
    };
    return repository.paths
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => deadLinks(repository, path, known, anchorsOf));
  },
};

function deadLinks(
  { read }: Repository,
  page: string,
  known: ReadonlySet<string>,
  anchorsOf: (page: string) => ReadonlySet<string>,
): readonly Finding[] {
  const text = withoutCode(read(page));
  return [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"\s]+)"/g)].flatMap((match): readonly Finding[] => {
    const link = match[1] ?? match[2] ?? '';
    // Another scheme leads out of the repository.
    if (/^[a-z][a-z\d+.-]*:/i.test(link)) return [];
    const [path = '', anchor = ''] = link.split('#');
    const target = path === '' ? page : posix.join(posix.dirname(page), path).replace(/\/$/, '');
    const line = lineAt(text, match.index);
    if (!known.has(target)) return [{ file: page, line, text: `links ${link}, but there is no file ${target}` }];
    if (anchor === '' || !target.endsWith('.md') || anchorsOf(target).has(anchor)) return [];
    return [{ file: page, line, text: `links ${link}, but ${target} has no such heading` }];
  });
}

/** Code blanked out, so that lines keep their numbers. */
function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```|`[^`\n]+`/gm, (code) => code.replaceAll(/[^\n]/g, ' '));
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const withoutBlocks = text.replaceAll(/^ *```[^]*?^ *```/gm, '');
  for (const [, heading = ''] of withoutBlocks.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  for (const [, id = ''] of withoutBlocks.matchAll(/\bid="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

function withFolders(paths: readonly string[]): ReadonlySet<string> {
  const known = new Set(paths);
  for (const path of paths)
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) known.add(path.slice(0, end));
  return known;
}
