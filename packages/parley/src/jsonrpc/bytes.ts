/** A buffer above this size is given back once it has been read. */
const kept = 65_536;

/** Bytes that arrive in pieces and are wanted whole: doubling keeps the cost linear, however small the pieces are. */
export class ByteBuffer {
  #bytes: Uint8Array = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(part: Uint8Array): void {
    const length = this.#length + part.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#bytes.length * 2, 1024));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.#length);
    this.#length = length;
  }

  /** Empties the buffer. What it returns is good until the next `append`. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > kept) this.#bytes = new Uint8Array(0);
    return taken;
  }
}
