/** Which modules lie together: what the same entry points load when they start is one file, since to open a file takes longer than to read it. */

import type { CodeSplittingGroup, Plugin } from 'rolldown';

/** What decides which modules lie together. */
export interface StartChunks {
  /** Reads who imports whom. */
  readonly plugin: Plugin;
  /** Names the chunk of a module. */
  readonly group: CodeSplittingGroup;
}

/** The entry points of a build, by the paths of their modules. */
export interface Entries {
  /** The names and modules of those whose start counts. What none of them loads is for the bundler to divide. */
  readonly starts: Readonly<Record<string, string>>;
  /** Modules of entry points, each with some of the starts: what it and no other start than those load stays apart, so that it does not load the rest of them. */
  readonly apart?: Readonly<Record<string, readonly string[]>>;
  /** The starts that load little: what any of them shares with another start is one chunk, which all of them load. */
  readonly lean?: readonly string[];
}

/** The beginning of the names of chunks that are made here. */
export const startPrefix = 'start-';

/**
 * Puts the modules together that the same starts load.
 *
 * A module only depends on modules that at least the same starts load, so that no file comes to depend on itself.
 */
export function startChunks({ starts, apart = {}, lean = [] }: Entries): StartChunks {
  const imports = new Map<string, readonly string[]>();
  const loadedBy = new Map<string, string>();
  const plugin: Plugin = {
    name: 'start-chunks',
    buildEnd() {
      for (const id of this.getModuleIds()) imports.set(id, this.getModuleInfo(id)?.importedIds ?? []);
      const closures = Object.entries(starts).map(([name, id]) => [name, closureOf(id, imports)] as const);
      const others = Object.entries(apart).map(([id, names]) => [names, closureOf(id, imports)] as const);
      const groups = new Map<string, Group>();
      for (const id of imports.keys()) {
        const by = closures.filter(([, loads]) => loads.has(id)).map(([name]) => name);
        const isApart = others.some(([names, loads]) => loads.has(id) && by.every((name) => names.includes(name)));
        if (by.length === 0 || isApart) continue;
        const group = groups.get(by.join()) ?? { by, ids: [], size: 0 };
        groups.set(by.join(), group);
        group.ids.push(id);
        group.size += this.getModuleInfo(id)?.code?.length ?? 0;
      }
      for (const { name, ids } of folded([...groups.values()], lean))
        for (const id of ids) loadedBy.set(id, `${startPrefix}${name}`);
      // An entry point is a file of its own.
      for (const id of Object.values(starts)) loadedBy.delete(id);
    },
  };
  return { plugin, group: { debugName: 'starts', name: (id) => loadedBy.get(id) ?? null } };
}

/** Modules that the same starts load. */
interface Group {
  readonly by: readonly string[];
  readonly ids: string[];
  /** In characters. */
  size: number;
}

/** Modules that lie together. */
interface Chunk {
  readonly name: string;
  readonly ids: readonly string[];
}

/** To open a file takes as long as reading this many characters that it holds, comments included. */
const small = 20_000;

/**
 * Makes few chunks of many groups: what lean starts share is one, and a small group joins the largest one that several
 * other starts share, where each of its own loads that anyway.
 */
function folded(groups: readonly Group[], lean: readonly string[]): readonly Chunk[] {
  const shared = groups.filter(({ by }) => by.length > 1);
  const isLean = ({ by }: Group): boolean => by.length > 1 && by.some((start) => lean.includes(start));
  const [home] = shared.filter((group) => !isLean(group)).toSorted((one, other) => other.size - one.size);
  return groups.map((group) => {
    if (isLean(group)) return { name: 'shared', ids: group.ids };
    const isOurs = group.by.length > 1 && group.by.every((start) => home?.by.includes(start) === true);
    const { by } = home !== undefined && isOurs && group.size < small ? home : group;
    return { name: by.join('-'), ids: group.ids };
  });
}

/** Everything that a module loads by statements. */
function closureOf(
  id: string,
  imports: ReadonlyMap<string, readonly string[]>,
  into = new Set<string>(),
): ReadonlySet<string> {
  if (into.has(id)) return into;
  into.add(id);
  for (const next of imports.get(id) ?? []) closureOf(next, imports, into);
  return into;
}
