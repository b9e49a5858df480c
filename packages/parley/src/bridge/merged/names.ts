import { digested, fittingPrefix, fullName, maxNameLength } from '../../protocol/prefixed-name.ts';
import type { PrefixMode } from '../options.ts';

/** Names that one of several servers gives its tools or prompts. */
export interface NamesOf<Owner> {
  readonly owner: Owner;
  /** Prefix of the names of this server where they need one. */
  readonly label: string;
  readonly names: readonly string[];
}

/** Owner of a name, and the name that it has there. */
export interface OwnedName<Owner> {
  readonly owner: Owner;
  readonly name: string;
}

/**
 * Gives each item of several servers a unique name: its own name if no other server uses it, otherwise (or always)
 * `label__name`. The same names in the same order give the same result, and every result is unique.
 */
export function exposedNames<Owner>(
  lists: readonly NamesOf<Owner>[],
  mode: PrefixMode,
): ReadonlyMap<string, OwnedName<Owner>> {
  const users = new Map<string, number>();
  const prefixed = new Map<string, Owner[]>();
  for (const { owner, label, names } of lists) {
    for (const name of new Set(names)) {
      users.set(name, (users.get(name) ?? 0) + 1);
      const full = fullName(label, name);
      prefixed.set(full, [...(prefixed.get(full) ?? []), owner]);
    }
  }
  const exposed = new Map<string, OwnedName<Owner>>();
  const isPlain = (name: string, owner: Owner): boolean =>
    mode === 'collisions' && users.get(name) === 1 && (prefixed.get(name) ?? []).every((other) => other === owner);
  // Plain names first: no prefixed name may take one.
  for (const { owner, names } of lists)
    for (const name of new Set(names)) if (isPlain(name, owner)) exposed.set(name, { owner, name });
  const tried = new Map<string, number>();
  for (const { owner, label, names } of lists) {
    for (const name of new Set(names))
      if (!isPlain(name, owner))
        exposed.set(free(label, name, { isTaken: (one) => exposed.has(one), tried }), { owner, name });
  }
  return exposed;
}

/** Labels for servers, in order: names that fit into names of tools, each of them once. */
export function labelsOf(servers: readonly string[]): readonly string[] {
  const labels: string[] = [];
  const tried = new Map<string, number>();
  for (const server of servers) {
    const fitting = fittingPrefix(server) || 'server';
    labels.push(unique(fitting, { isTaken: (one) => labels.includes(one), tried }));
  }
  return labels;
}

/** The prefixed name. If it is too long or taken, it ends with digits that depend on its owner. */
function free(label: string, name: string, taken: Taken): string {
  const full = fullName(label, name);
  return full.length <= maxNameLength && !taken.isTaken(full) ? full : unique(digested(label, name), taken);
}

/** Names that are in use. */
interface Taken {
  isTaken(name: string): boolean;
  /**
   * The last number used for each name. For many equal names, counting continues here instead of starting over each
   * time.
   */
  readonly tried: Map<string, number>;
}

function unique(name: string, { isTaken, tried }: Taken): string {
  if (!isTaken(name)) return name;
  let count = (tried.get(name) ?? 1) + 1;
  while (isTaken(`${name}-${count}`)) count++;
  tried.set(name, count);
  return `${name}-${count}`;
}
