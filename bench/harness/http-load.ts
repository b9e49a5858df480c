import { Line, type Answer } from './http-line.ts';
import { median } from './race.ts';

/** One request to send, as it goes over the wire. */
export interface Shot {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the body of a right answer holds. */
  readonly expected: string | RegExp;
}

/** How a load went. */
export interface Load {
  /** Requests per second. */
  readonly rate: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** How many requests are sent, over how many kept connections. */
export interface LoadOptions {
  readonly total: number;
  readonly connections: number;
}

/**
 * Sends POST requests over kept connections, one at a time on each, with as little work here as there can be.
 *
 * @throws Error for an answer that is not what was expected.
 */
export async function load(url: URL, shot: (number: number) => Shot, options: LoadOptions): Promise<Load> {
  const { total, connections } = options;
  const times: number[] = [];
  let sent = 0;
  let failure: Error | undefined;
  const gun = async (line: Line): Promise<void> => {
    // The first failure stops them all, so that nothing is still on its way when the next contender takes its turn.
    while (sent < total && failure === undefined) {
      const one = shot(++sent);
      const start = performance.now();
      const answer = await line.post(one.headers, one.body);
      times.push(performance.now() - start);
      checkAnswer(one, answer);
    }
  };
  const lines = await Promise.all(Array.from({ length: Math.min(connections, total) }, () => Line.open(url)));
  const began = performance.now();
  const fail = (error: unknown): void => void (failure ??= error instanceof Error ? error : new Error(String(error)));
  await Promise.all(lines.map((line) => gun(line).catch(fail)));
  const seconds = (performance.now() - began) / 1000;
  for (const line of lines) line.close();
  if (failure !== undefined) throw failure;
  const sorted = times.toSorted((one, other) => one - other);
  return { rate: total / seconds, p50: median(sorted), p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN };
}

/**
 * Sends one request and looks at its answer.
 *
 * @throws Error for an answer that is not what was expected.
 */
export async function ask(url: URL, shot: Shot): Promise<Answer> {
  const line = await Line.open(url);
  try {
    const answer = await line.post(shot.headers, shot.body);
    checkAnswer(shot, answer);
    return answer;
  } finally {
    line.close();
  }
}

function checkAnswer({ expected }: Shot, { status, body }: Answer): void {
  const right = typeof expected === 'string' ? status === 200 && body.includes(expected) : expected.test(body);
  if (!right) throw new Error(`a wrong answer: ${status} ${body.slice(0, 150)}`);
}
