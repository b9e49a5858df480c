/** Things in the order of a number of each: the least is found at once, and any can be moved or removed. */
export class Heap<Thing> {
  readonly #things: { readonly thing: Thing; readonly at: number }[] = [];
  readonly #places = new Map<Thing, number>();

  get size(): number {
    return this.#things.length;
  }

  /** The item with the least number; `undefined` if there is none. */
  first(): { readonly thing: Thing; readonly at: number } | undefined {
    return this.#things[0];
  }

  /** Adds a thing, or gives it another number. */
  set(thing: Thing, at: number): void {
    this.delete(thing);
    this.#things.push({ thing, at });
    this.#rise(this.#things.length - 1);
  }

  /** Removes a thing, if it is there. */
  delete(thing: Thing): void {
    const place = this.#places.get(thing);
    const last = this.#things.pop();
    if (last === undefined) return;
    if (place === undefined || place === this.#things.length) {
      // The last item was itself the one to remove, or there was nothing to remove.
      if (place === undefined) this.#things.push(last);
      else this.#places.delete(thing);
      return;
    }
    this.#places.delete(thing);
    this.#things[place] = last;
    this.#rise(place);
    this.#sink(this.#places.get(last.thing) ?? place);
  }

  #rise(from: number): void {
    let place = from;
    for (const moved = this.#things[from]; moved !== undefined;) {
      const above = (place - 1) >> 1;
      const parent = place === 0 ? undefined : this.#things[above];
      if (parent === undefined || parent.at <= moved.at) return this.#put(moved, place);
      this.#put(parent, place);
      place = above;
    }
  }

  #sink(from: number): void {
    let place = from;
    for (const moved = this.#things[from]; moved !== undefined;) {
      const [left, right] = [this.#things[2 * place + 1], this.#things[2 * place + 2]];
      const child = right !== undefined && left !== undefined && right.at < left.at ? right : left;
      if (child === undefined || child.at >= moved.at) return this.#put(moved, place);
      const below = 2 * place + (child === left ? 1 : 2);
      this.#put(child, place);
      place = below;
    }
  }

  #put(entry: { readonly thing: Thing; readonly at: number }, place: number): void {
    this.#things[place] = entry;
    this.#places.set(entry.thing, place);
  }
}
