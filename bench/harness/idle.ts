import { setTimeout as pause } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { Running, Sample } from './case.ts';
import type { ServerChild } from './child.ts';
import { dial, Line, requestText } from './http-line.ts';
import { openSession, speakerOf, stateless } from './requests.ts';

const kibibyte = 1024;
const waveSize = 100;
const lineCount = 64;
const limitMs = 30_000;
const acknowledged = 'notifications/subscriptions/acknowledged';
const changed = 'notifications/tools/list_changed';

/**
 * Opens listen streams and leaves them idle, lets one change reach all of them, and closes them. The cost is the heap
 * that each takes in the server, in KB.
 */
export function idleStreams(server: ServerChild, count: number): Omit<Running, 'stop'> {
  return {
    turn: async (share) => {
      const streams = Math.max(1, Math.round(count * share));
      const before = await stateOf(server);
      const open: Stream[] = [];
      try {
        await inWaves(streams, async (number) => void open.push(await Stream.open(server.url, number)));
        await all(open.map((stream) => stream.hears(acknowledged)));
        const held = (await server.heap()) - before.heap;
        const told = all(open.map((stream) => stream.hears(changed)));
        await server.watch();
        const began = performance.now();
        await server.change();
        await told;
        const ms = performance.now() - began;
        const more = { 'change ms': ms, 'stood ms': await server.stood() };
        for (const stream of open.splice(0)) stream.close();
        return await sampleOf(server, before, { count: streams, held, more });
      } finally {
        for (const stream of open) stream.close();
      }
    },
  };
}

/** Opens sessions, leaves them idle, and ends them. The cost is the heap that each takes in the server, in KB. */
export function idleSessions(server: ServerChild, revision: string, count: number): Omit<Running, 'stop'> {
  return {
    turn: async (share) => {
      const sessions = Math.max(1, Math.round(count * share));
      const before = await stateOf(server);
      const opened: Readonly<Record<string, string>>[] = [];
      await overLines(server.url, sessions, async (line) => void opened.push(await openSession(line, revision)));
      // Their connections are no part of them.
      await resourcesBehind(server, before.resources);
      const held = (await server.heap()) - before.heap;
      await overLines(server.url, sessions, async (line) => void (await line.send('DELETE', opened.pop() ?? {}, '')));
      return await sampleOf(server, before, { count: sessions, held, more: {} });
    },
  };
}

/** One event stream that stays open. */
class Stream {
  readonly #socket: Socket;
  #heard = '';
  #awaited: { readonly word: string; readonly resolve: () => void } | undefined;
  #over: Error | undefined;
  #fail: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#heard += text;
      this.#look();
    });
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error(`the stream ended: ${this.#heard.slice(0, 150)}`)));
  }

  static async open(url: URL, id: number): Promise<Stream> {
    const socket = await dial(url);
    const speak = await speakerOf(url, stateless);
    const params = { notifications: { toolsListChanged: true } };
    const { headers, body } = speak('subscriptions/listen', params, id, acknowledged);
    socket.write(requestText(url, 'POST', headers, body));
    return new Stream(socket);
  }

  /** Waits until a word was heard, and forgets what came before it. */
  hears(word: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      this.#awaited = { word, resolve };
      this.#fail = reject;
      this.#look();
    });
  }

  close(): void {
    this.#fail = undefined;
    this.#socket.destroy();
  }

  #look(): void {
    const { word, resolve } = this.#awaited ?? {};
    if (word === undefined || !this.#heard.includes(word)) return;
    this.#heard = '';
    this.#awaited = undefined;
    resolve?.();
  }

  #end(error: Error): void {
    this.#over ??= error;
    this.#fail?.(this.#over);
  }
}

interface State {
  readonly heap: number;
  readonly resources: number;
}

async function stateOf(server: ServerChild): Promise<State> {
  return { heap: await server.heap(), resources: await server.resources() };
}

/** What it took, and what is left of it once the server has noticed that everybody is gone. */
async function sampleOf(
  server: ServerChild,
  before: State,
  { count, held, more }: { readonly count: number; readonly held: number; readonly more: Sample['more'] },
): Promise<Sample> {
  const behind = await resourcesBehind(server, before.resources);
  const left = (await server.heap()) - before.heap;
  const kilobytes = { 'left KB': left / kibibyte, 'handles left': behind };
  return { cost: held / kibibyte / count, more: { ...more, ...kilobytes } };
}

/** How many more handles and timers there are than before, once that no longer falls. */
export async function resourcesBehind(server: ServerChild, before: number): Promise<number> {
  for (let round = 0; round < 50; round++) {
    if ((await server.resources()) <= before) break;
    await pause(100);
  }
  return (await server.resources()) - before;
}

/** Does something so many times, over some kept connections at once. */
async function overLines(url: URL, count: number, run: (line: Line) => Promise<void>): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    const line = await Line.open(url);
    try {
      while (left-- > 0) await run(line);
    } finally {
      line.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(lineCount, count) }, work));
}

async function inWaves(count: number, open: (number: number) => Promise<void>): Promise<void> {
  for (let begun = 0; begun < count; begun += waveSize) {
    const wave = Array.from({ length: Math.min(waveSize, count - begun) }, (_, at) => open(begun + at + 1));
    await Promise.all(wave);
  }
}

async function all(waits: readonly Promise<void>[]): Promise<void> {
  const late = new AbortController();
  const patience = pause(limitMs, undefined, { signal: late.signal }).then(() => {
    throw new Error('not every stream heard it in time');
  });
  try {
    await Promise.race([Promise.all(waits), patience]);
  } finally {
    late.abort();
    patience.catch(() => undefined);
  }
}
