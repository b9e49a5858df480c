import type { RegistryEntry, RegistryFollower, Registry } from '../definition/registry.ts';

/** Appearance of the entries of one registry in another. */
export interface Appearance<T> {
  /** The name there of something. */
  name(key: string): string;
  /** The mirrored value of an entry. */
  value(entry: T, key: string): T;
}

/** Those that keep an entry of one origin under one name, each in its own way: it stays until the last of them leaves. */
const keepers = new WeakMap<object, Map<string, Map<object, () => void>>>();

/** The entries of a registry that another one has too, as long as it is followed. */
export class Mirror<T> implements RegistryFollower {
  readonly #from: Registry<T>;
  readonly #to: Registry<T>;
  readonly #as: Appearance<T>;
  #end: () => void = () => undefined;

  constructor(from: Registry<T>, to: Registry<T>, as: Appearance<T>) {
    this.#from = from;
    this.#to = to;
    this.#as = as;
  }

  /** @throws TypeError if the name of an entry is taken. */
  check(): void {
    const names = new Set<string>();
    for (const key of this.#from.keys()) {
      const name = this.#as.name(key);
      if (names.has(name)) throw new TypeError(`two names of it would both be ${JSON.stringify(name)}`);
      names.add(name);
      const there = this.#to.kept(name);
      if (there === undefined || originOf(there) !== originOf(this.#from.kept(key))) this.claim(key);
    }
  }

  /** Begins to mirror. Call it after `check` succeeded. */
  begin(): void {
    this.#end = this.#from.follow(this);
    for (const key of this.#from.keys()) this.changed(key);
  }

  /** Takes out all that came from there. */
  end(): void {
    this.#end();
    for (const key of this.#from.keys()) this.#leave(this.#as.name(key));
  }

  claim(key: string): void {
    this.#to.claim(this.#as.name(key));
  }

  changed(key: string | undefined): void {
    if (key === undefined) {
      for (const each of this.#from.keys()) this.changed(each);
      return;
    }
    const name = this.#as.name(key);
    const entry = this.#from.kept(key);
    if (entry === undefined) this.#leave(name);
    else this.#put(name, key, entry);
  }

  #put(name: string, key: string, entry: RegistryEntry<T>): void {
    const put = (): void =>
      this.#to.put(name, { ...entry, value: this.#as.value(entry.value, key), origin: originOf(entry) });
    this.#keepers(name).set(this, put);
    put();
  }

  #leave(name: string): void {
    const all = keepers.get(this.#to)?.get(name);
    if (all?.delete(this) !== true) return;
    const [other] = all.values();
    if (other !== undefined) return other();
    keepers.get(this.#to)?.delete(name);
    this.#to.delete(name);
  }

  #keepers(name: string): Map<object, () => void> {
    const names = keepers.get(this.#to) ?? new Map<string, Map<object, () => void>>();
    keepers.set(this.#to, names);
    const all = names.get(name) ?? new Map<object, () => void>();
    names.set(name, all);
    return all;
  }
}

function originOf(entry: RegistryEntry<unknown> | undefined): object | undefined {
  return entry?.origin ?? entry;
}
