import { McpError } from '../../protocol/error.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import type { Handle } from './definition.ts';
import { askRule, type Restrictions } from './restrictions.ts';

/** One page of a list, and the cursor of the next page. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** A registered item. */
export interface RegistryEntry<T> {
  value: T;
  /** The part of its definition that controls who may see and use it. */
  restrictions: Restrictions;
  readonly order: number;
  enabled: boolean;
  /** The entry of another registry that this one mirrors, if it does. */
  readonly origin?: object | undefined;
}

/** Holder of the entries of a registry, under names of its own. */
export interface RegistryFollower {
  /** @throws TypeError if there is no room for an item that is about to be added. */
  claim(key: string): void;
  /** An entry came, changed or left; without a key any may have changed in place. */
  changed(key: string | undefined): void;
}

/** Named things in the order in which they were added, listed by pages, changeable at any time. */
export class Registry<T> {
  readonly #noun: string;
  readonly #entries = new Map<string, RegistryEntry<T>>();
  readonly #onChange: () => void;
  readonly #check: (key: string, change: object) => void;
  readonly #followers = new Set<RegistryFollower>();
  readonly #onError: ((error: unknown, where: string) => void) | undefined;
  #next = 0;
  #generation = 0;
  #restricted = false;

  /**
   * @param noun The noun for an entry in messages, such as `tool`.
   * @param check Throws a TypeError for an invalid change.
   * @param onError Called with errors that a rule throws while a list is made.
   */
  constructor(
    noun: string,
    onChange: () => void,
    check: (key: string, change: object) => void = () => undefined,
    onError?: (error: unknown, where: string) => void,
  ) {
    this.#onError = onError;
    this.#check = check;
    this.#noun = noun;
    this.#onChange = onChange;
  }

  /** A different number after each change. Values derived from earlier entries are then stale. */
  get generation(): number {
    return this.#generation;
  }

  /** Signals a change. Methods of the registry do this by themselves. */
  changed(key?: string): void {
    this.#generation++;
    this.#onChange();
    for (const follower of this.#followers) follower.changed(key);
  }

  /** Reports a rule that failed for one of the entries. */
  ruleFailed(error: unknown): void {
    this.#onError?.(error, `visible of a ${this.#noun}`);
  }

  /** Notifies a follower of all changes, until the returned function is called. */
  follow(follower: RegistryFollower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** True when anything that was ever added is not for everybody. */
  get restricted(): boolean {
    return this.#restricted;
  }

  /** Number of entries, the disabled ones included. */
  get size(): number {
    return this.#entries.size;
  }

  /** Finds an enabled entry by name, if the caller may see it. */
  find(key: string, auth?: AuthInfo): T | undefined {
    return this.entry(key, auth)?.value;
  }

  /** Finds the entry with its restrictions. Errors of a rule are thrown. */
  entry(key: string, auth?: AuthInfo): RegistryEntry<T> | undefined {
    const entry = this.#entries.get(key);
    const { visible } = entry?.restrictions ?? {};
    return entry?.enabled === true && (visible === undefined || askRule(visible, auth) === true) ? entry : undefined;
  }

  /** Tells whether the name is taken, even by a disabled or hidden entry. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Entry under a name, even a disabled or hidden one. */
  kept(key: string): RegistryEntry<T> | undefined {
    return this.#entries.get(key);
  }

  /** All names, including those of disabled entries. */
  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** @throws TypeError if a name is taken, here or at a follower. */
  claim(key: string): void {
    if (this.#entries.has(key)) throw new TypeError(`${this.#noun} ${JSON.stringify(key)} is already registered`);
    for (const follower of this.#followers) follower.claim(key);
  }

  /** Mirrors an entry of another registry, with its state. An existing entry under the name takes over that state. */
  put(key: string, { value, restrictions, enabled, origin }: Omit<RegistryEntry<T>, 'order'>): void {
    const known = this.#entries.get(key);
    if (known === undefined) this.#entries.set(key, { value, restrictions, enabled, origin, order: this.#next++ });
    else Object.assign(known, { value, restrictions, enabled });
    this.#restrict(key, restrictions);
  }

  /** Removes an entry permanently. */
  delete(key: string): void {
    if (this.#entries.delete(key)) this.changed(key);
  }

  /** Everything that is enabled, in order, with its restrictions. */
  entries(): readonly RegistryEntry<T>[] {
    return [...this.#entries.values()].filter(({ enabled }) => enabled);
  }

  /** Everything that is enabled, in order. */
  *values(): Generator<T> {
    for (const entry of this.#entries.values()) if (entry.enabled) yield entry.value;
  }

  /**
   * Adds an entry.
   *
   * @param build Makes the entry of a definition; it runs again for every update and may throw.
   * @throws TypeError when the name is taken.
   */
  add<D extends object>(key: string, definition: D, build: (definition: D) => T): Handle<D> {
    this.claim(key);
    const entry: RegistryEntry<T> = {
      value: build(definition),
      restrictions: definition,
      order: this.#next++,
      enabled: true,
    };
    let current = definition;
    this.#entries.set(key, entry);
    this.#restrict(key, definition);
    const registered = (): boolean => this.#entries.get(key) === entry;
    const set = (enabled: boolean): void => {
      if (entry.enabled === enabled || !registered()) return;
      entry.enabled = enabled;
      this.changed(key);
    };
    return {
      get enabled(): boolean {
        return entry.enabled && registered();
      },
      update: (change) => {
        if (!registered()) throw new TypeError(`${this.#noun} ${JSON.stringify(key)} was removed`);
        this.#check(key, change);
        const next = { ...current, ...change };
        entry.value = build(next);
        current = next;
        entry.restrictions = next;
        this.#restrict(key, next);
      },
      enable: () => set(true),
      disable: () => set(false),
      remove: () => {
        if (registered()) this.delete(key);
      },
    };
  }

  #restrict(key: string, { visible, scopes }: Restrictions): void {
    this.#restricted ||= visible !== undefined || scopes !== undefined;
    this.changed(key);
  }

  /**
   * One page of the enabled entries, in order. A cursor names the last entry of the previous page. So entries that come
   * or go between two pages neither repeat nor hide others.
   *
   * @param isListed Leaves out entries that a caller may not see.
   * @throws McpError invalidParams for a cursor that this registry did not make.
   */
  page(cursor: string | undefined, size: number, isListed?: (entry: RegistryEntry<T>) => boolean): ListPage<T> {
    const after = cursor === undefined ? -1 : this.#position(cursor);
    const items: T[] = [];
    let last = after;
    for (const entry of this.#entries.values()) {
      if (entry.order <= after || !entry.enabled || isListed?.(entry) === false) continue;
      if (items.length === size) return { items, nextCursor: btoa(`${this.#noun}:${last}`) };
      items.push(entry.value);
      last = entry.order;
    }
    return { items };
  }

  #position(cursor: string): number {
    const match = /^(.+):(\d{1,15})$/.exec(decoded(cursor));
    if (match === null || match[1] !== this.#noun || Number(match[2]) >= this.#next) {
      throw new McpError('invalidParams', `invalid cursor ${JSON.stringify(cursor.slice(0, 64))}`);
    }
    return Number(match[2]);
  }
}

/** The text of a cursor; empty for an invalid one. */
export function decoded(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    return '';
  }
}
