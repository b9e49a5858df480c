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
  /** Further entry points. What they load stays apart from what they do not load; how quickly they start does not count. */
  readonly others?: Readonly<Record<string, string>>;
  /** Modules of entry points, each with some of the starts: what it and no other start than those load stays apart, so that it does not load the rest of them. */
  readonly apart?: Readonly<Record<string, readonly string[]>>;
  /** The starts that load little: what any of them shares with another start is one chunk, which all of them load. */
  readonly lean?: readonly string[];
  /**
   * Modules that are needed together, later than any start that counts, by the name of their chunk: to open one file is
   * quicker than a dozen. Of one list, another entry point loads all at its start, or none.
   */
  readonly together?: Readonly<Record<string, readonly string[]>>;
  /** Whether a program that imports an entry point may load a module that it does not need. Without it, none may. */
  readonly mayLoad?: (entry: string, id: string) => boolean;
}

/** The beginning of the names of chunks that are made here: of what starts load, and of what is needed later. */
export const startPrefix = 'start-';
export const laterPrefix = 'later-';

/**
 * Puts the modules together that the same entry points load at their start, and the same others load later with
 * `import()`. If a server loads a module of clients later, it does not load the rest of a client.
 *
 * A module only depends on modules that at least the same entry points load, so that no file comes to depend on itself.
 */
export function startChunks({
  starts,
  others = {},
  apart = {},
  lean = [],
  together = {},
  mayLoad = () => false,
}: Entries): StartChunks {
  const loadedBy = new Map<string, string>();
  const plugin: Plugin = {
    name: 'start-chunks',
    buildEnd() {
      const imports = new Map<string, readonly string[]>();
      const allImports = new Map<string, readonly string[]>();
      for (const id of this.getModuleIds()) {
        const { importedIds = [], dynamicallyImportedIds = [] } = this.getModuleInfo(id) ?? {};
        imports.set(id, importedIds);
        allImports.set(id, [...importedIds, ...dynamicallyImportedIds]);
      }
      const atStart = closuresOf(starts, imports);
      const atAnyTime = closuresOf({ ...starts, ...others }, allImports);
      const isolated = Object.entries(apart).map(([id, names]) => [names, closureOf(id, imports)] as const);
      const groups = new Map<string, Group>();
      for (const id of imports.keys()) {
        const by = namesWith(id, atStart);
        const isApart = isolated.some(([names, loads]) => loads.has(id) && by.every((name) => names.includes(name)));
        if (by.length === 0 || isApart) continue;
        const also = namesWith(id, atAnyTime).filter((name) => !by.includes(name));
        const name = nameOf(by, also);
        const group = groups.get(name) ?? { name, by, also, ids: [], size: 0 };
        groups.set(name, group);
        group.ids.push(id);
        group.size += this.getModuleInfo(id)?.code?.length ?? 0;
      }
      for (const { name, ids } of folded([...groups.values()], lean, mayLoad))
        for (const id of ids) loadedBy.set(id, `${startPrefix}${name}`);
      const entries = [...imports.keys()].filter((id) => this.getModuleInfo(id)?.isEntry === true);
      const loads = entries.map((id) => closureOf(id, imports));
      for (const [name, ids] of Object.entries(together)) {
        const parted = loads.flatMap((one) => (ids.some((id) => one.has(id)) ? ids.filter((id) => !one.has(id)) : []));
        const wrong = [...ids.filter((id) => !imports.has(id) || loadedBy.has(id)), ...parted];
        if (wrong.length > 0)
          throw new Error(
            `not all of "${name}" is loaded by the same entry points, and at no start: ${wrong.join(', ')}`,
          );
        for (const id of ids) loadedBy.set(id, `${laterPrefix}${name}`);
      }
      // An entry point is a file of its own.
      for (const id of Object.values(starts)) loadedBy.delete(id);
    },
  };
  return { plugin, group: { debugName: 'starts', name: (id) => loadedBy.get(id) ?? null } };
}

/** Modules that the same entry points load. */
interface Group {
  readonly name: string;
  /** Those that load them at their start. */
  readonly by: readonly string[];
  /** Those that load them otherwise: later, or at a start that does not count. */
  readonly also: readonly string[];
  readonly ids: string[];
  /** In characters. */
  size: number;
}

/** Modules that lie together. */
type Chunk = Pick<Group, 'name' | 'ids'>;

/** To open a file takes as long as reading this many characters that it holds, comments included. */
const small = 20_000;

/** Makes few chunks of many groups: what lean starts share is one, and a small group joins another where it may. */
function folded(
  groups: readonly Group[],
  lean: readonly string[],
  mayLoad: (entry: string, id: string) => boolean,
): readonly Chunk[] {
  const isLean = ({ by }: Group): boolean => by.length > 1 && by.some((start) => lean.includes(start));
  const shared = groups.filter(isLean).flatMap(({ ids }) => ids);
  let chunks = groups.filter((group) => !isLean(group));
  for (const group of chunks.toSorted((one, other) => one.size - other.size)) {
    // What joined it meanwhile counts.
    if (!chunks.includes(group) || group.size >= small) continue;
    const [home] = chunks
      .filter((other) => other !== group && mayJoin(group, other, mayLoad))
      .toSorted((one, other) => one.by.length - other.by.length || other.size - one.size);
    if (home === undefined) continue;
    home.ids.push(...group.ids);
    home.size += group.size;
    chunks = chunks.filter((one) => one !== group);
  }
  return shared.length === 0 ? chunks : [...chunks, { name: 'shared', ids: shared }];
}

/** Whether each entry point that loads a group loads another then anyway, and none loads what it may not. */
function mayJoin(group: Group, other: Group, mayLoad: (entry: string, id: string) => boolean): boolean {
  const every = (loaders: Group, { by, also, ids }: Group): boolean =>
    [...loaders.by, ...loaders.also].every(
      (name) => by.includes(name) || also.includes(name) || ids.every((id) => mayLoad(name, id)),
    );
  return (
    // What only one start loads is no burden for the others.
    (group.by.length > 1 || other.by.length === 1) &&
    group.by.every((name) => other.by.includes(name)) &&
    group.also.every((name) => other.also.includes(name)) &&
    every(group, other) &&
    every(other, group)
  );
}

function nameOf(by: readonly string[], also: readonly string[]): string {
  return [...by, ...(also.length === 0 ? [] : ['also', ...also])].join('-');
}

function namesWith(id: string, closures: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  return [...closures].filter(([, loads]) => loads.has(id)).map(([name]) => name);
}

function closuresOf(
  entries: Readonly<Record<string, string>>,
  imports: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(entries).map(([name, id]) => [name, closureOf(id, imports)]));
}

/** Everything that a module loads by the imports that are given. */
function closureOf(id: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set([id]);
  // A loop over a set also visits what the loop adds.
  for (const one of found) for (const next of imports.get(one) ?? []) found.add(next);
  return found;
}
