/** What the scripts of workers share: they make round trips when they are told to, and say what those used. */
import { median } from '../harness/race.ts';
import type { Order, Report } from '../harness/worker.ts';

/** The options that the run gave, with the server to talk to as `url`. */
export function optionsOf(): Readonly<Record<string, unknown>> {
  // The run writes an object.
  return JSON.parse(process.argv[2] ?? '{}') as Readonly<Record<string, unknown>>;
}

/** The first text of a result. */
export function textOf(result: object): string {
  const [first]: readonly unknown[] = 'content' in result && Array.isArray(result.content) ? result.content : [];
  return typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : '';
}

/**
 * Says that the worker is ready, and makes round trips from then on.
 *
 * @param add Calls the tool `add` with a number and 1, and gives the text of the answer.
 */
export function offer(add: (number: number) => Promise<string>): void {
  process.on('message', (order: Order) => {
    void work(add, order)
      .catch((error: unknown): Report => ({ failure: error instanceof Error ? error.message : String(error) }))
      .then((report) => process.send?.(report));
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ ready: true });
}

async function work(add: (number: number) => Promise<string>, { total, inFlight }: Order): Promise<Report> {
  const times = new Float64Array(total);
  let begun = 0;
  const walk = async (): Promise<void> => {
    for (let number = begun++; number < total; number = begun++) {
      const start = performance.now();
      const text = await add(number);
      times[number] = performance.now() - start;
      if (text !== String(number + 1)) throw new Error(`a wrong answer: ${text.slice(0, 200)}`);
    }
  };
  const before = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: inFlight }, walk));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const sorted = [...times].toSorted((one, other) => one - other);
  return { cpu: user + system, seconds, p50: median(sorted), p99: sorted[Math.floor(total * 0.99)] ?? Number.NaN };
}
