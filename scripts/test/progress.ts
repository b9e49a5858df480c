/** What a run prints: how far it is, each failure at once, and a summary. */

import type { TestFile } from './files.ts';
import type { RunOptions } from './run.ts';
import type { FileResult } from './worker.ts';

/** Prints the course of one run. */
export class Progress {
  readonly #options: RunOptions;
  readonly #count: number;
  readonly #began: number = performance.now();
  readonly #results: FileResult[] = [];
  readonly #isTerminal: boolean = process.stdout.isTTY === true && process.env['CI'] === undefined;
  #tenths = 0;

  constructor(files: readonly TestFile[], options: RunOptions) {
    this.#options = options;
    this.#count = files.length;
    if (options.seed !== undefined) console.log(`random order, repeat it with --seed ${options.seed}`);
  }

  /** A file is over. */
  add(result: FileResult): void {
    this.#results.push(result);
    this.#clearLine();
    if (this.#options.eachFile || result.failed > 0) console.log(lineOf(result));
    for (const { name, place, text } of result.failures) {
      console.log(`\n  ✖ ${name}\n    ${place}\n${indented(text)}`);
      const one = name.startsWith('(') ? '' : ` --name ${JSON.stringify(lastName(name))}`;
      console.log(`    again: npm run t -- ${result.path}${one}\n`);
    }
    this.#sayHowFar();
  }

  /** Prints the summary. Returns whether all is well. */
  end(faults: readonly string[]): boolean {
    this.#clearLine();
    const sum = (of: (result: FileResult) => number): number =>
      this.#results.reduce((total, result) => total + of(result), 0);
    const wall = (performance.now() - this.#began) / 1_000;
    const cpu = sum((result) => result.cpu + result.childCpu);
    for (const fault of faults) console.log(`✖ ${fault}`);
    if (sum((result) => result.tests) === 0) console.log(`no test has a name that contains "${this.#options.name}"`);
    for (const line of this.#skips()) console.log(line);
    const longest = this.#results.toSorted((one, other) => other.wall - one.wall).slice(0, 3);
    console.log(`longest: ${longest.map(({ path, wall: took }) => `${path} ${took.toFixed(1)} s`).join(', ')}`);
    console.log(`${this.#count} files in ${wall.toFixed(1)} s, with ${cpu.toFixed(0)} s of the processor`);
    const failed = sum((result) => result.failed) + faults.length;
    console.log(`# tests ${sum((result) => result.tests) + faults.length}`);
    console.log(`# pass ${sum((result) => result.passed)}`);
    console.log(`# fail ${failed}`);
    console.log('# cancelled 0');
    console.log(`# skipped ${sum((result) => result.skipped)}`);
    console.log(`# todo ${sum((result) => result.todo)}`);
    console.log(`# duration_ms ${Math.round(wall * 1_000)}`);
    return failed === 0 && sum((result) => result.tests) > 0;
  }

  /** What was left out, by reason, the commonest first. */
  #skips(): readonly string[] {
    const reasons = new Map<string, number>();
    for (const { skips } of this.#results)
      for (const [reason, count] of Object.entries(skips)) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    const sorted = [...reasons].toSorted((one, other) => other[1] - one[1]);
    const shown = sorted.slice(0, 4).map(([reason, count]) => `left out: ${count} × ${reason}`);
    return sorted.length > 4 ? [...shown, `left out: ${sorted.length - 4} reasons more`] : shown;
  }

  #sayHowFar(): void {
    if (this.#options.eachFile) return;
    const done = this.#results.length;
    const failed = this.#results.filter((result) => result.failed > 0).length;
    const line = `${done} of ${this.#count} files${failed > 0 ? `, ${failed} failed` : ''}`;
    if (this.#isTerminal) process.stdout.write(`${line}  ${this.#results.at(-1)?.path ?? ''}`.slice(0, 100));
    else if (Math.floor((done * 10) / this.#count) > this.#tenths) {
      this.#tenths = Math.floor((done * 10) / this.#count);
      console.log(`${line}, ${((performance.now() - this.#began) / 1_000).toFixed(0)} s`);
    }
  }

  #clearLine(): void {
    if (this.#isTerminal && !this.#options.eachFile) process.stdout.write('\r\u001B[K');
  }
}

function lineOf({ path, tests, failed, skipped, wall, cpu, childCpu }: FileResult): string {
  const counts = `${tests} tests${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} left out` : ''}`;
  const times = `${wall.toFixed(2)} s, processor ${(cpu + childCpu).toFixed(2)} s`;
  return `${failed > 0 ? '✖' : '✔'} ${path}  ${counts}  ${times}`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

function lastName(name: string): string {
  return name.split(' › ').at(-1) ?? name;
}
