/** Membership of one that is in a crowd, until it leaves. */
export interface InFlightEntry {
  /** Leaving twice is fine. */
  leave(): void;
}

/**
 * List of those that are under way, in the order of their coming. It has no limit of its own; who adds has one.
 *
 * Nothing keeps what has left. A `Set` or a `Map` that many pass through makes a new table again and again, and in V8 each old one
 * leads to the next: where one of them got old, so does all that passed since, until the next full collection.
 */
export class InFlightList<T> {
  #first: Member<T> | undefined;
  #last: Member<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(value: T): InFlightEntry {
    const member = new Member(value, this.#last, this.#leave);
    if (this.#last === undefined) this.#first = member;
    else this.#last.after = member;
    this.#last = member;
    this.#size++;
    return member;
  }

  /** Members that are in it now, the oldest first. */
  all(): T[] {
    const values: T[] = [];
    for (let member = this.#first; member !== undefined; member = member.after) values.push(member.value);
    return values;
  }

  readonly #leave = (member: Member<T>): void => {
    const { before, after } = member;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    this.#size--;
  };
}

class Member<T> implements InFlightEntry {
  readonly value: T;
  before: Member<T> | undefined;
  after: Member<T> | undefined;
  #left: ((member: Member<T>) => void) | undefined;

  constructor(value: T, before: Member<T> | undefined, left: (member: Member<T>) => void) {
    this.value = value;
    this.before = before;
    this.#left = left;
  }

  leave(): void {
    const left = this.#left;
    this.#left = undefined;
    left?.(this);
    // One that got old must not lead to those that came after it.
    this.before = undefined;
    this.after = undefined;
  }
}
