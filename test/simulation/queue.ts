/** A queue from which the first comes out first, by an order: a heap. */
export class Queue<Member> {
  readonly #heap: Member[] = [];
  readonly #before: (one: Member, other: Member) => boolean;

  constructor(before: (one: Member, other: Member) => boolean) {
    this.#before = before;
  }

  add(member: Member): void {
    const heap = this.#heap;
    let at = heap.push(member) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#before(member, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = member;
  }

  take(): Member | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && this.#before(heap[below + 1]!, heap[below]!)) below++;
      if (!this.#before(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
