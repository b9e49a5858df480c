import type { Seal } from '../seal/seal.ts';
import type { TaskRecord } from './record.ts';

/** Record of a task that cannot be read here. */
export class UnreadableTask extends Error {
  constructor(id: string, isSealed: boolean) {
    const why = isSealed
      ? 'it is sealed, and none of tasks.keys opens it: add the key with which it was, or wait until it expired'
      : 'it is not sealed, though there are tasks.keys: begin with a queue that has no tasks';
    super(`task ${id} cannot be read: ${why}`);
    this.name = 'UnreadableTask';
  }
}

/** Makes texts of records for the store, and records of texts again; with a seal nobody reads them there, or moves one to another id. */
export class RecordTexts {
  readonly #seal: Seal | undefined;

  constructor(seal: Seal | undefined) {
    this.#seal = seal;
  }

  async textOf(record: TaskRecord): Promise<string> {
    const text = JSON.stringify(record);
    return this.#seal === undefined ? text : await this.#seal.seal(text, boundTo(record.id));
  }

  /** @throws UnreadableTask */
  async recordOf(id: string, text: string): Promise<TaskRecord> {
    const isSealed = !text.startsWith('{');
    if (isSealed !== (this.#seal !== undefined)) throw new UnreadableTask(id, isSealed);
    const plain = this.#seal === undefined ? text : await this.#seal.open(text, boundTo(id));
    if (plain === undefined) throw new UnreadableTask(id, true);
    // Only text of ours is in the store.
    return JSON.parse(plain) as TaskRecord;
  }
}

function boundTo(id: string): string {
  return `task ${id}`;
}
