/** Conversations with a service while something befalls it, and what is wrong with them. */

import { inspect } from 'node:util';
import { callerKinds, type Caller } from './callers.ts';
import { startService, type EngineKind, type Service } from './service.ts';

/** What befell a service, and what came of it. */
export interface Outcome {
  readonly calls: number;
  /** Calls that failed, which is not wrong while a process or a primary was killed. */
  readonly failures: readonly string[];
  /** Whatever must not be. */
  readonly violations: readonly string[];
  /** Processes that answered. */
  readonly processes: number;
  /** Milliseconds of half of the calls, and of 99 of 100. */
  readonly p50: number;
  readonly p99: number;
}

/** Something that befalls a service. */
export type Fault = 'nothing' | 'replacing' | 'killing' | 'failing over';

/** Options of a play. */
export interface PlayOptions {
  readonly engine: EngineKind;
  readonly fault: Fault;
  /** How often it befalls the service. */
  readonly times: number;
  /** The most clients of each kind; 1 by default. */
  readonly clients?: number;
}

/** Has clients of every kind talk to three processes, each call answered by any of them. */
export async function play({ engine, fault, times, clients = 1 }: PlayOptions): Promise<Outcome> {
  const service = await startService(engine);
  const record = new Calls();
  try {
    const callers: { readonly name: string; readonly caller: Caller }[] = [];
    for (const kind of callerKinds) {
      for (let count = 0; count < clients; count++) {
        const name = `${kind.name} ${count}`;
        try {
          callers.push({ name, caller: await kind.open(service.url, `own ${name}`) });
        } catch (error) {
          record.violations.push(`${name} could not be opened: ${String(error)}`);
        }
      }
    }
    let isOver = false;
    const talking = callers.map(async ({ name, caller }) => {
      do await conversation(record, name, caller, fault === 'nothing' || fault === 'replacing');
      while (!isOver);
    });
    for (let count = 0; count < times; count++) await befall(service, fault);
    isOver = true;
    await Promise.all(talking);
    // Whoever was there before goes on in the same session.
    for (const { name, caller } of callers) await conversation(record, name, caller, true);
    for (const { caller } of callers) await caller.close();
    return record.outcome();
  } finally {
    await service.stop();
  }
}

async function befall(service: Service, fault: Fault): Promise<void> {
  if (fault === 'replacing') await service.replace();
  else if (fault === 'killing') await service.kill();
  else if (fault === 'failing over') await service.failOver();
}

/** Each tool once, with a text that no other call has. */
async function conversation(record: Calls, name: string, caller: Caller, mustWork: boolean): Promise<void> {
  for (const tool of ['echo', 'ask', 'steps']) {
    const text = `${tool} ${record.next()}`;
    try {
      const answer = await record.timed(() => caller.call(tool, text));
      const expected = tool === 'echo' ? /^\d+$/ : tool === 'ask' ? new RegExp(`^own ${escaped(name)}$`) : /^done$/;
      if (!answer.startsWith(`${text} `) || !expected.test(answer.slice(text.length + 1)))
        record.violations.push(`${name}: ${text} was answered ${answer}`);
      if (tool === 'echo') record.processes.add(answer.slice(text.length + 1));
      const steps = caller.steps();
      if (tool === 'steps' && steps !== undefined && steps.join() !== '1,2,3')
        record.violations.push(`${name}: the steps were ${steps.join()}`);
    } catch (error) {
      const said = `${name}: ${text} failed: ${inspect(error)}`;
      record.failures.push(said);
      if (mustWork) record.violations.push(said);
    }
  }
}

class Calls {
  readonly violations: string[] = [];
  readonly failures: string[] = [];
  readonly processes = new Set<string>();
  readonly #taken: number[] = [];
  #count = 0;

  next(): number {
    return ++this.#count;
  }

  async timed<Result>(run: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const result = await run();
    this.#taken.push(performance.now() - began);
    return result;
  }

  outcome(): Outcome {
    const taken = this.#taken.toSorted((a, b) => a - b);
    const at = (part: number): number => Math.round(taken[Math.floor(taken.length * part)] ?? 0);
    const { violations, failures, processes } = this;
    return { calls: this.#count, failures, violations, processes: processes.size, p50: at(0.5), p99: at(0.99) };
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
