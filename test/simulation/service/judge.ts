/** What is true of every schedule, and what came of one. */

import { ConnectionError } from '../../../packages/parley/src/jsonrpc/transport.ts';
import { McpError } from '../../../packages/parley/src/protocol/error.ts';
import type { World } from '../world.ts';
import { clientOf } from './node.ts';
import type { State } from './states.ts';

/** One call of a tool, as its client sees it. */
export interface Call {
  readonly tool: string;
  readonly key: number;
  readonly client: string;
  readonly progress: number[];
  ended: boolean;
}

/** The longest that a call may take by the limits that its client has, in milliseconds. */
export const maxMs = 60_000;

/** Sees a schedule. */
export class Judge {
  readonly violations: string[] = [];
  readonly counts = {
    calls: 0,
    answered: 0,
    failed: 0,
    runs: 0,
    questions: 0,
    posts: 0,
    events: 0,
    changes: 0,
    logs: 0,
    processes: 0,
  };
  readonly #world: World;
  readonly #calls = new Set<Call>();
  /** How often something was sent to be run, and how often it was run, by what it is. */
  readonly #posts = new Map<string, number>();
  readonly #runs = new Map<string, number>();
  readonly #questions = new Map<string, number>();
  readonly #effects = new Map<string, number>();
  readonly #logs = new Map<string, number>();

  /** What it came to. */
  readonly states: Set<State> = new Set();

  /** True where what is said once is heard once. */
  readonly #isToldOnce: boolean;

  constructor(world: World, isToldOnce = true) {
    this.#world = world;
    this.#isToldOnce = isToldOnce;
  }

  state(name: State): void {
    this.states.add(name);
  }

  violated(words: string): void {
    this.#world.note(`VIOLATED: ${words}`);
    this.violations.push(words);
  }

  begins(tool: string, key: number, client: string): Call {
    const call: Call = { tool, key, client, progress: [], ended: false };
    this.counts.calls++;
    this.#calls.add(call);
    this.#world.note(`${client} calls ${tool} ${key}`);
    return call;
  }

  /** @param isOrdered False where what a broken stream lacks goes over another one, which may be faster. */
  reports(call: Call, progress: number, isOrdered: boolean): void {
    this.#world.note(`${nameOf(call)} is at ${progress}`);
    const before = call.progress.at(-1) ?? 0;
    if (call.ended) this.violated(`${nameOf(call)} has progress after its end`);
    if (isOrdered && progress <= before) this.violated(`${nameOf(call)} has progress ${progress} after ${before}`);
    call.progress.push(progress);
  }

  answered(call: Call, text: string, wanted: string): void {
    this.#ends(call, text);
    this.counts.answered++;
    if (text !== wanted) this.violated(`${nameOf(call)} is answered ${JSON.stringify(text)}`);
  }

  /** @param lossless True where a stream that broke is taken up, so that nothing of it is missing. */
  steps(call: Call, count: number, lossless: boolean): void {
    const all = Array.from({ length: count }, (_, at) => at + 1);
    const isWhole = call.progress.length === count && call.progress.every((one, at) => one === all[at]);
    if (lossless && !isWhole) this.violated(`${nameOf(call)} has progress ${call.progress.join()} of ${count}`);
  }

  failed(call: Call, error: unknown): void {
    this.#ends(call, String(error));
    this.counts.failed++;
    if (!(error instanceof ConnectionError) && !(error instanceof McpError))
      this.violated(`${nameOf(call)} fails by ${error instanceof Error ? error.stack : String(error)}`);
  }

  /** Something is sent to be run. */
  posted(what: string): void {
    this.counts.posts++;
    this.#posts.set(what, (this.#posts.get(what) ?? 0) + 1);
  }

  runs(what: string): void {
    this.counts.runs++;
    this.#world.note(`runs ${what}`);
    const runs = (this.#runs.get(what) ?? 0) + 1;
    this.#runs.set(what, runs);
    const posts = this.#posts.get(what) ?? 0;
    if (runs > posts) this.violated(`${what} runs ${runs} times for ${posts} requests`);
  }

  /** A person is asked. What runs anew asks anew; one run asks once. */
  asked(question: string, client: string): void {
    this.counts.questions++;
    const times = (this.#questions.get(question) ?? 0) + 1;
    this.#questions.set(question, times);
    const [tool, key] = question.split(' ');
    if (clientOf(Number(key)) !== client) this.violated(`${client} is asked ${question}`);
    this.#isHeard(`${tool} ${key}`, times, `${question} is asked`);
  }

  /** Something is logged: what runs anew in rounds does not say again what it said. */
  logged(words: string): void {
    this.counts.logs++;
    const times = (this.#logs.get(words) ?? 0) + 1;
    this.#logs.set(words, times);
    const [tool, key] = words.split(' ');
    this.#isHeard(`${tool} ${key}`, times, `${words} is logged`);
  }

  #isHeard(call: string, times: number, what: string): void {
    if (this.#isToldOnce && times > (this.#posts.get(call) ?? 0)) this.violated(`${what} ${times} times`);
  }

  /** A side effect that a handler wants once in all its runs for one call. */
  effect(what: string): void {
    const times = (this.#effects.get(what) ?? 0) + 1;
    this.#effects.set(what, times);
    if (times > 1) this.violated(`the effect of ${what} happens ${times} times`);
  }

  unfinished(): void {
    for (const call of this.#calls) this.violated(`${nameOf(call)} never ends`);
  }

  #ends(call: Call, words: string): void {
    this.#world.note(`${call.client} has ${call.tool} ${call.key}: ${words.slice(0, 160)}`);
    if (call.ended) this.violated(`${nameOf(call)} ends twice`);
    call.ended = true;
    this.#calls.delete(call);
  }
}

function nameOf({ client, tool, key }: Call): string {
  return `${tool} ${key} of ${client}`;
}
