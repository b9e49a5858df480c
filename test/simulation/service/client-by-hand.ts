/**
 * A client by hand before a server of ours, over a line of messages: it asks for too much at once, is asked for more than it can bear, answers late, hosts a task
 * that nobody waits for any more, and goes in the middle of it.
 */

import { FinishedCalls } from '../../../packages/parley/src/bridge/upstream/suspended/finished.ts';
import { NoticeBacklog } from '../../../packages/parley/src/bridge/upstream/suspended/notice-backlog.ts';
import { answerReceived } from '../../../packages/parley/src/server/runtime/batch.ts';
import type { ClientConnection } from '../../../packages/parley/src/server/runtime/request-handler.ts';
import { memoryRoundStore } from '../../../packages/parley/src/server/runtime/input/state-store.ts';
import { createServer, type Server } from '../../../packages/parley/src/server.ts';
import { MemoryLimits } from '../../../packages/parley/src/storage/memory/limits.ts';
import { Heap } from '../../../packages/parley/src/storage/memory/heap.ts';
import { unlessAborted } from '../../../packages/parley/src/storage/turns.ts';
import type { Process } from '../world.ts';
import { chance } from './chance.ts';
import { pause, sample } from './handling.ts';
import type { GuestParts } from './raw.ts';

/** A message as it goes over the line. */
type Words = Readonly<Record<string, unknown>>;

/** How many requests a conversation runs at once, and how many questions of it may wait. */
const maxRunning = 1024;
const maxQuestions = 1000;

const askMs = 400;

/** Runs one to its end. */
export async function beClientByHand(process: Process, parts: GuestParts): Promise<void> {
  const hand = new ClientByHand(process, parts);
  await hand.asksTooMuch();
  await hand.isAskedTooMuch();
  await hand.answersLate();
  await hand.cannotBeReached();
  await hand.close();
  await hand.statesOfRounds();
  hand.measures();
  hand.heap();
  hand.notices();
  hand.outcomes();
  await hand.isGivenUp();
}

class ClientByHand {
  readonly #process: Process;
  readonly #parts: GuestParts;
  readonly #server: Server;
  #ids = 0;

  constructor(process: Process, parts: GuestParts) {
    this.#process = process;
    this.#parts = parts;
    this.#server = serverOf();
  }

  /** What is too much at once is refused at once, and the rest runs. */
  async asksTooMuch(): Promise<void> {
    const { conversation, said } = await this.#begin();
    for (let at = 0; at < maxRunning + 3; at++) this.#call(conversation, said, 'slow');
    await this.#sleep(1_000);
    const refused = said.filter(({ error }) => error !== undefined).length;
    const answered = said.filter(({ result }) => result !== undefined).length;
    if (refused !== 3 || answered !== maxRunning) this.#violated(`has ${answered} answers and ${refused} refusals`);
    this.#tell(conversation, { method: 'notifications/progress', params: { progressToken: 5, progress: 1 } });
    this.#tell(conversation, { id: 5, result: {} });
    conversation.close();
  }

  /** One handler asks without end: what is too much fails, and is not asked. */
  async isAskedTooMuch(): Promise<void> {
    const { conversation, said } = await this.#begin();
    this.#call(conversation, said, 'curious');
    await this.#sleep(100);
    const questions = said.filter(({ method }) => method === 'sampling/createMessage');
    if (questions.length !== maxQuestions) this.#violated(`is asked ${questions.length} questions at once`);
    for (const { id } of questions) this.#tell(conversation, { id, result: answerOf('yes') });
    await this.#sleep(100);
    if (!JSON.stringify(said.at(-1)).includes(`${maxQuestions} of ${maxQuestions + 1}`))
      this.#violated(`is told ${JSON.stringify(said.at(-1))} of what it was asked`);
    conversation.close();
  }

  /** A task that it makes of a question for which nobody waits any more is cancelled. */
  async answersLate(): Promise<void> {
    const { conversation, said } = await this.#begin();
    this.#call(conversation, said, 'hosted');
    this.#call(conversation, said, 'plain');
    await this.#sleep(askMs + 200);
    const [first, second] = ['hosted', 'plain'].map((words) =>
      said.find(({ method, params }) => method === 'sampling/createMessage' && JSON.stringify(params).includes(words)),
    );
    const now = '2026-11-24T00:00:00Z';
    const task = { taskId: 'late', status: 'working', createdAt: now, lastUpdatedAt: now, ttl: 5_000 };
    this.#tell(conversation, { id: first?.['id'], result: { task } });
    this.#tell(conversation, { id: first?.['id'], result: { task } });
    this.#tell(conversation, { id: second?.['id'], error: { code: -32_603, message: 'too late' } });
    await this.#sleep(100);
    const cancels = said.filter(({ method }) => method === 'tasks/cancel');
    if (cancels.length !== 1) this.#violated(`is told ${cancels.length} times that nobody wants its task`);
    conversation.close();
  }

  /** What cannot be handed to it fails who asks, and nobody else. */
  async cannotBeReached(): Promise<void> {
    const { conversation, said, line } = await this.#begin();
    line.isBroken = true;
    this.#call(conversation, said, 'plain');
    await this.#sleep(askMs + 200);
    if (said.at(-1)?.['result'] === undefined) this.#violated(`is told ${JSON.stringify(said.at(-1))}`);
    line.isBroken = false;
    // What is begun when it goes ends with it.
    this.#call(conversation, said, 'plain');
    this.#call(conversation, said, 'slow');
    conversation.close();
    this.#call(conversation, said, 'plain');
    await this.#sleep(100);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /** States of rounds in memory: no mark goes before its time, and the oldest states go first. */
  async statesOfRounds(): Promise<void> {
    let now = 0;
    const store = memoryRoundStore({ maxEntries: 3, maxCharacters: 25, maxMarks: 2, now: () => now });
    for (let at = 0; at < 5; at++) await store.add(`state ${at}`, '.'.repeat(at === 4 ? 20 : 5), 1_000);
    const kept = await Promise.all([0, 1, 2, 3, 4].map(async (at) => (await store.get(`state ${at}`)) !== undefined));
    if (kept.join() !== 'false,false,false,true,true') this.#violated(`finds states ${kept.join()}`);
    if (await store.add('state 4', 'again', 1_000)) this.#violated('keeps two states under one handle');
    for (const mark of ['a', 'b']) if (!(await store.add(mark, '', 15_000))) this.#violated('cannot use a state once');
    if (await store.add('a', '', 15_000)) this.#violated('uses a state twice');
    if ((await store.get('a')) !== '') this.#violated('does not find a mark');
    const full = await store.add('c', '', 15_000).catch((error: unknown) => String(error));
    if (!String(full).includes('too many')) this.#violated(`marks more than there is room for: ${String(full)}`);
    now = 2_000;
    if ((await store.get('state 4')) !== undefined) this.#violated('finds a state that is over');
    now = 40_000;
    if (!(await store.add('c', '', 15_000))) this.#violated('has no room when marks are over');
    if ((await store.get('a')) !== undefined) this.#violated('finds a mark that is over');
    await this.#marks();
  }

  /** Marks that are forgotten together are each good for their own time. */
  async #marks(): Promise<void> {
    let now = 0;
    const store = memoryRoundStore({ maxMarks: 2, now: () => now });
    await store.add('shorter', '', 11_000);
    await store.add('longer', '', 19_000);
    now = 15_000;
    if (!(await store.add('next', '', 15_000))) this.#violated('has no room where a mark is over');
    if (await store.add('longer', '', 15_000)) this.#violated('uses a state twice, whose mark is not over');
  }

  /** A clock that is set back gives nobody less than a burst, and what is as new is forgotten. */
  measures(): void {
    let now = 100_000;
    const limits = new MemoryLimits({ maxMeasures: 50, now: () => now });
    const rate = { perSecond: 1, burst: 2 };
    for (let taken = 0; taken < 2; taken++) if (!limits.take('a', rate).ok) this.#violated('is refused in its burst');
    if (limits.take('a', rate).ok) this.#violated('takes more than a burst');
    now = 10_000;
    const refused = limits.take('a', rate);
    if (refused.ok || refused.retryAfterMs > 2_000) this.#violated('waits for a clock that was set back');
    now = 50_000;
    for (let at = 0; at < 6; at++) limits.take(`other ${at}`, rate);
    now = 60_000;
    for (const name of ['b', 'c', 'd']) if (!limits.take(name, rate).ok) this.#violated(`refuses ${name}`);
  }

  /** Whatever is added, moved and removed, the first is the least. */
  heap(): void {
    const heap = new Heap<number>();
    const known = new Map<number, number>();
    for (let step = 0; step < 200; step++) {
      const thing = Math.floor(this.#draw('thing', step) * 20);
      if (this.#draw('what', step) < 0.6) {
        const at = Math.floor(this.#draw('at', step) * 1_000);
        heap.set(thing, at);
        known.set(thing, at);
      } else {
        heap.delete(thing);
        known.delete(thing);
      }
      const least = known.size === 0 ? undefined : Math.min(...known.values());
      if (heap.first()?.at !== least || heap.size !== known.size) this.#violated('finds another first of a heap');
    }
  }

  /** Of what is said while a client thinks the last is kept, and nothing that is larger than all of it may be. */
  notices(): void {
    const kept = new NoticeBacklog();
    for (let at = 0; at < 150; at++) kept.add({ method: 'x', params: { at } });
    kept.add({ method: 'x', params: { text: '.'.repeat(300_000) } });
    const taken = kept.take().map(({ params }) => params['at']);
    if (taken.length !== 100 || taken[0] !== 50 || taken.at(-1) !== 149) this.#violated(`is told ${taken.join()}`);
    for (let at = 0; at < 5; at++) kept.add({ method: 'x', params: { text: '.'.repeat(100_000) } });
    if (kept.size > 256 * 1024 || kept.take().length !== 2) this.#violated('has more kept for it than there is room');
  }

  /** Outcomes that nobody fetches make way for others: those of who has most, the oldest first. */
  outcomes(): void {
    const finished = new FinishedCalls();
    const gone: number[] = [];
    const calls = Array.from({ length: 1_005 }, (_, at) => ({
      owner: at < 100 ? 'few' : 'many',
      size: 5,
      giveUp: () => void gone.push(at),
    }));
    for (const call of calls) finished.add(call);
    if (gone.join() !== '100,101,102,103,104,105') this.#violated(`loses the outcomes ${gone.join()}`);
    for (const call of calls) finished.delete(call);
    finished.add({ owner: 'few', size: 500 * 1024 * 1024, giveUp: () => void gone.push(-1) });
    if (gone.includes(-1)) this.#violated('loses the only outcome that there is');
  }

  /** What nobody waits for any more is given up at once, with the reason. */
  async isGivenUp(): Promise<void> {
    const reason = new Error('enough');
    const never = new Promise<never>(() => undefined);
    const said: unknown = await unlessAborted(never, AbortSignal.abort(reason)).catch((error: unknown) => error);
    if (said !== reason) this.#violated(`is told ${String(said)} of what was given up`);
  }

  #draw(what: string, step: number): number {
    return chance(this.#parts.plan.seed, 'by hand', what, step);
  }

  async #begin(): Promise<{
    readonly conversation: ClientConnection;
    readonly said: Words[];
    readonly line: { isBroken: boolean };
  }> {
    const said: Words[] = [];
    const line = { isBroken: false };
    const conversation = this.#server.endpoint.openConnection({
      network: 'pipe',
      lasting: true,
      send: (message) => {
        if (line.isBroken) throw new Error('the line is cut');
        said.push(message as unknown as Words);
      },
    });
    const capabilities = { sampling: {}, tasks: { cancel: {}, requests: { sampling: { createMessage: {} } } } };
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'by hand', version: '1' } };
    this.#ask(conversation, said, { method: 'initialize', params });
    await this.#sleep(10);
    this.#tell(conversation, { method: 'notifications/initialized' });
    said.splice(0);
    return { conversation, said, line };
  }

  #call(conversation: ClientConnection, said: Words[], name: string): void {
    this.#ask(conversation, said, { method: 'tools/call', params: { name, arguments: {} } });
  }

  #ask(conversation: ClientConnection, said: Words[], message: Words): void {
    answerReceived(conversation, { jsonrpc: '2.0', id: `h${++this.#ids}`, ...message }, (answer) => {
      if (answer !== undefined) said.push(answer as unknown as Words);
    });
  }

  #tell(conversation: ClientConnection, message: Words): void {
    answerReceived(conversation, { jsonrpc: '2.0', ...message }, () => undefined);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.world.later(ms, this.#process, resolve));
  }

  #violated(words: string): void {
    this.#parts.judge.violated(`${this.#process.name} ${words}`);
  }
}

function answerOf(text: string): object {
  return { role: 'assistant', model: 'm', content: { type: 'text', text } };
}

function serverOf(): Server {
  const server = createServer(
    { name: 'hand', version: '1' },
    { rounds: { requestTimeoutMs: askMs }, onError: () => undefined },
  );
  server.tool('slow', {}, async (_, ctx) => {
    await pause(500, ctx.signal);
    return 'slow';
  });
  server.tool('plain', {}, async (_, ctx) => await sample(ctx, 'plain').catch((error: unknown) => String(error)));
  server.tool('hosted', {}, async (_, ctx) => {
    const options = { task: { ttlMs: 60_000 } };
    return await sample(ctx, 'hosted', options).catch((error: unknown) => String(error));
  });
  server.tool('curious', {}, async (_, ctx) => {
    const all = await Promise.allSettled(
      Array.from({ length: maxQuestions + 1 }, async (__, at) => await sample(ctx, `curious ${at}`)),
    );
    return `${all.filter(({ status }) => status === 'fulfilled').length} of ${all.length}`;
  });
  return server;
}
