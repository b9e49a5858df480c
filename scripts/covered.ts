/** Which ids the titles of the tests cite: `the title [http-012, A15]`. */

import { filesOf, repositoryOnDisk, type Repository } from './check/repository.ts';

/** The titles of every test and transcript, by the ids they cite. */
export function citedIds(repository: Repository = repositoryOnDisk()): ReadonlyMap<string, readonly string[]> {
  const cited = new Map<string, string[]>();
  for (const { path, text } of filesOf(repository, /^(packages|test|examples)\/.*\.(test\.ts|txt)$/)) {
    for (const title of titlesOf(path, text)) {
      for (const id of idsOf(title)) cited.set(id, [...(cited.get(id) ?? []), `${path}: ${title}`]);
    }
  }
  return cited;
}

function titlesOf(path: string, text: string): readonly string[] {
  if (path.endsWith('.txt')) return text.split('\n').filter((line) => line.startsWith('# '));
  // Ids are found in any string: titles may be put together by a table.
  return [...text.matchAll(/'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}

function idsOf(title: string): readonly string[] {
  const lists = title.matchAll(/\[([^\]]+)\]/g);
  return [...lists].flatMap(([, list = '']) => list.split(',').map((id) => id.trim())).filter((id) => form.test(id));
}

/** A requirement (`http-012`) or a behaviour (`A15`). */
const form = /^([a-z0-9]+-\d{3}|[A-Z]\d{2})$/;

/** `12 of 40 (30 %)`, for a table. */
export function share(part: number, whole: number): string {
  return `${part} of ${whole} (${whole === 0 ? 100 : Math.round((100 * part) / whole)} %)`;
}
