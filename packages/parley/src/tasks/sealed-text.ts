import { jsonText } from '../json/exact-number.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Seal } from '../sealing/seal.ts';
import type { TaskRecord } from './record.ts';

/** Reasons why a record cannot be read, with what to do. */
const whys = {
  sealed: 'it is sealed, and none of tasks.keys opens it: add the key that sealed it, or wait until it expires',
  plain: 'it is not sealed, though there are tasks.keys: begin with a queue that has no tasks',
  broken: 'the stored text is damaged: check whether another program writes to the store, or wait until it expires',
} as const;

/** Record of a task that cannot be read here. */
export class UnreadableTask extends Error {
  constructor(id: string, why: keyof typeof whys) {
    super(`task ${id} cannot be read: ${whys[why]}`);
    this.name = 'UnreadableTask';
  }
}

/** Number of records that are remembered for those who look again, and the most characters that the text of one has. */
const maxSeen = 64;
const maxSeenLength = 16 * 1024;

/**
 * Converts records to texts for the store, and back. With a seal, the store's operator cannot read a text or move it to
 * another id.
 */
export class RecordTexts {
  readonly #seal: Seal | undefined;
  readonly #parse: (text: string) => unknown;
  /** The most recently inspected records, by id. */
  readonly #seen = new Map<string, { readonly text: string; readonly record: TaskRecord }>();

  /** @param parse Reads JSON. */
  constructor(seal: Seal | undefined, parse: (text: string) => unknown = JSON.parse) {
    this.#seal = seal;
    this.#parse = parse;
  }

  async textOf(record: TaskRecord): Promise<string> {
    const text = jsonText(record);
    return this.#seal === undefined ? text : await this.#seal.seal(text, boundTo(record.id));
  }

  /**
   * The name of a share for the store: the same each time, so that the store can count. With a seal, its operator cannot
   * read the address in it.
   */
  async shareOf(share: string): Promise<string> {
    return this.#seal === undefined ? share : await this.#seal.sealAlike(share, 'share');
  }

  /**
   * Returns the same record again while its text is unchanged, for callers that only inspect it: clients request one
   * task again and again. It must not reach code that may change it, such as handlers.
   *
   * @throws UnreadableTask
   */
  async seenAs(id: string, text: string): Promise<TaskRecord> {
    const last = this.#seen.get(id);
    if (last?.text === text) return last.record;
    const record = await this.recordOf(id, text);
    this.#seen.delete(id);
    if (text.length <= maxSeenLength) this.#seen.set(id, { text, record });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > maxSeen && oldest !== undefined) this.#seen.delete(oldest);
    return record;
  }

  /** @throws UnreadableTask */
  async recordOf(id: string, text: string): Promise<TaskRecord> {
    const isSealed = !text.startsWith('{');
    if (isSealed !== (this.#seal !== undefined)) throw new UnreadableTask(id, isSealed ? 'sealed' : 'plain');
    const plain = this.#seal === undefined ? text : await this.#seal.open(text, boundTo(id));
    if (plain === undefined) throw new UnreadableTask(id, 'sealed');
    const record = this.#parsed(plain);
    if (!isObject(record) || record['id'] !== id || !isObject(record['request']))
      throw new UnreadableTask(id, 'broken');
    // The store only holds our own texts, unless one was damaged.
    return record as unknown as TaskRecord;
  }

  #parsed(text: string): unknown {
    try {
      return this.#parse(text);
    } catch {
      return undefined;
    }
  }
}

function boundTo(id: string): string {
  return `task ${id}`;
}
