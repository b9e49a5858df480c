/** Processes of this machine that play a course of events: they are ended and stand still, others take their places, and what happens is noted. */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** One process. */
export interface Player {
  readonly name: string;
  readonly child: ChildProcess;
  /** When it was stopped, and until when; by the monotonic clock. */
  stopped: { readonly from: number; to: number } | undefined;
  ended: boolean;
}

/** What is done about a process. */
export interface Listener<One, Said> {
  heard(one: One, said: Said): void;
  /** @param how The signal or the code with which it ended. */
  gone(one: One, how: string): void;
}

/** All processes of one course, and its timers; whoever makes it closes it. */
export class Cast<Own extends object, Said, Told extends object> {
  readonly all: (Player & Own)[] = [];
  readonly violations: string[] = [];
  readonly log: string[] = [];
  readonly #worker: string;
  readonly #listener: Listener<Player & Own, Said>;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #began = performance.now();

  /** @param worker The module that each process runs. */
  constructor(worker: string, listener: Listener<Player & Own, Said>) {
    this.#worker = worker;
    this.#listener = listener;
  }

  /** Number of timers that have not come to their time. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Starts one more process. */
  start(orders: { readonly name: string }, own: Own): void {
    const { name } = orders;
    const child = fork(this.#worker, [JSON.stringify(orders)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    const one: Player & Own = { ...own, name, child, stopped: undefined, ended: false };
    this.all.push(one);
    this.note(`${name} starts`);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.note(`${name} complains: ${text.trim()}`));
    child.on('message', (said: Said) => this.#listener.heard(one, said));
    child.once('exit', (code, signal) => {
      one.ended = true;
      const how = signal ?? String(code);
      this.note(`${name} ends: ${how}`);
      this.#listener.gone(one, how);
    });
  }

  later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }

  note(words: string): void {
    this.log.push(`${((performance.now() - this.#began) / 1000).toFixed(3)} ${words}`);
  }

  violated(words: string): void {
    this.note(`VIOLATED: ${words}`);
    this.violations.push(words);
  }

  tell({ child, ended }: Player, told: Told): void {
    if (!ended && child.connected) child.send(told, () => undefined);
  }

  /** Has a process stand still for a while. */
  stop(one: Player, ms: number): void {
    if (one.ended) return;
    const from = performance.now();
    one.stopped = { from, to: from + ms };
    this.note(`${one.name} stands still for ${ms} ms`);
    one.child.kill('SIGSTOP');
    this.later(ms, () => {
      one.stopped = { from, to: performance.now() };
      one.child.kill('SIGCONT');
    });
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    const ends = this.all
      .filter(({ ended }) => !ended)
      .map(async ({ child }) => {
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await exit;
      });
    await Promise.all(ends);
  }
}
