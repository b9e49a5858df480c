/** The life of one task as its client sees it, from its beginning to its end. */

import type { Random } from '../../support/random.ts';
import { textOf, type Answer, type Json } from './client.ts';
import type { Way } from './plan.ts';

/** What a life needs of its course. */
export interface World {
  /** Asks any server, once. */
  ask(method: string, params: Json): Promise<Answer>;
  pause(ms: number): Promise<void>;
  violated(words: string): void;
  readonly random: Random;
  /** Aborted when all is over. */
  readonly over: AbortSignal;
}

/** A task that some client was told of, and how it ended. */
export interface Lived {
  readonly way: Way;
  /** The name under which its runs say what they do. */
  readonly label: string;
  readonly taskId: string;
  /** As `tasks/get` gave it when it had ended. */
  readonly end: Json;
}

const ends: readonly unknown[] = ['completed', 'failed', 'cancelled'];

/** One of them. */
export class Life {
  readonly #way: Way;
  readonly #number: number;
  readonly #world: World;
  /** The answer to each question: what is given again is the same. */
  readonly #answers = new Map<string, string>();
  /** Questions whose answers the server says that it has. */
  readonly #taken = new Set<string>();
  #taskId = '';
  #label = '';
  #isCancelled = false;
  #ending: string | undefined;

  constructor(way: Way, number: number, world: World) {
    this.#way = way;
    this.#number = number;
    this.#world = world;
  }

  /** @returns `undefined` when all was over before. */
  async live(): Promise<Lived | undefined> {
    await this.#begin();
    const { over, random, pause } = this.#world;
    const cancelAfter = this.#way === 'cancelled' ? random.whole(0, 3) : Infinity;
    for (let polls = 0; !over.aborted; polls++) {
      const task = await this.#look();
      if (task !== undefined && ends.includes(task['status'])) return this.#judged(task);
      if (polls >= cancelAfter && !this.#isCancelled) await this.#cancel();
      if (task?.['status'] === 'input_required') await this.#answer(task['inputRequests'] as Json);
      if (this.#way === 'left' && polls > 1) await this.#end();
      await pause(random.whole(20, 150));
    }
    return undefined;
  }

  /** Begins it, until some server says that it did. What was begun and not heard of is nobody's. */
  async #begin(): Promise<void> {
    for (let tries = 0; !this.#world.over.aborted; tries++) {
      this.#label = `${this.#number}.${tries}`;
      const answer = await this.#world.ask('tools/call', { name: this.#way, arguments: { task: this.#label } });
      const taskId = answer?.result?.['taskId'];
      if (typeof taskId === 'string') {
        this.#taskId = taskId;
        return;
      }
      this.#expect(answer?.error, 'begin', [-32603]);
      await this.#world.pause(this.#world.random.whole(50, 300));
    }
  }

  async #look(): Promise<Json | undefined> {
    const answer = await this.#world.ask('tasks/get', { taskId: this.#taskId });
    this.#expect(answer?.error, 'tasks/get', [-32603]);
    return answer?.result;
  }

  async #cancel(): Promise<void> {
    const answer = await this.#world.ask('tasks/cancel', { taskId: this.#taskId });
    this.#expect(answer?.error, 'tasks/cancel', [-32603]);
    if (answer?.result === undefined) return;
    this.#isCancelled = true;
    const task = await this.#look();
    if (task !== undefined && !ends.includes(task['status']))
      this.#violated(`is ${String(task['status'])} after its cancel was acknowledged`);
  }

  async #answer(requests: Json): Promise<void> {
    for (const [key, request] of Object.entries(requests)) {
      if (this.#taken.has(key)) this.#violated(`asks ${key} again, which was answered`);
      const { message } = (request as { readonly params: { readonly message: string } }).params;
      const word = this.#answers.get(message) ?? `${message}-${this.#number}`;
      this.#answers.set(message, word);
      if (await this.#give(key, word)) this.#taken.add(key);
      // A second answer to the same question is ignored.
      if (this.#taken.has(key)) await this.#give(key, 'late');
    }
  }

  async #give(key: string, word: string): Promise<boolean> {
    const inputResponses = { [key]: { action: 'accept', content: { word } } };
    const answer = await this.#world.ask('tasks/update', { taskId: this.#taskId, inputResponses });
    this.#expect(answer?.error, 'tasks/update', [-32603]);
    return answer?.result !== undefined;
  }

  /** Ends from outside what was left to it; anybody may be asked to. */
  async #end(): Promise<void> {
    if (this.#ending !== undefined) return;
    const text = `ended-${this.#number}`;
    const answer = await this.#world.ask('tools/call', { name: 'end', arguments: { id: this.#taskId, text } });
    if (textOf(answer?.result) === 'true') this.#ending = text;
  }

  #judged(end: Json): Lived {
    const { status, result, error } = end;
    const text = textOf(result);
    const isCompleted = status === 'completed';
    const wanted: Readonly<Record<Way, boolean>> = {
      once: isCompleted ? text === this.#label : /may not be run again/.test(String((error as Json)?.['message'])),
      again: isCompleted && text === this.#label,
      kept: isCompleted,
      asks: isCompleted && text === `first-${this.#number} second-${this.#number}`,
      left: isCompleted && text === `ended-${this.#number}`,
      cancelled: status === 'cancelled' || (isCompleted && text === this.#label),
    };
    if (!wanted[this.#way]) this.#violated(`ends as ${JSON.stringify({ status, result, error })}`);
    return { way: this.#way, label: this.#label, taskId: this.#taskId, end };
  }

  #expect(error: Json | undefined, what: string, codes: readonly number[]): void {
    if (error !== undefined && !codes.includes(Number(error['code'])))
      this.#violated(`is answered ${JSON.stringify(error)} to ${what}`);
  }

  #violated(words: string): void {
    this.#world.violated(`task ${this.#label} (${this.#way}, ${this.#taskId}) ${words}`);
  }
}
