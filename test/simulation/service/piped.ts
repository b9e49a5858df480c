/**
 * Clients that speak to processes of their own: those die under them, cannot be started for a while, and speak something else when they come back. What they
 * begin ends; when all is calm they get through, and hear at once again what they subscribed to.
 */

import { connect, type Client } from '../../../packages/parley/src/client.ts';
import type { RevisionDate } from '../../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../../packages/parley/src/server.ts';
import type { Process } from '../world.ts';
import { chance } from './chance.ts';
import { pause, sample } from './handling.ts';
import { Pipe } from './pipe.ts';
import { guestKey, type GuestParts } from './raw.ts';

/** How soon a subscription is open again once its client is connected again, in milliseconds. */
const soonMs = 3_000;

const key = { type: 'object', properties: { key: { type: 'integer' } }, required: ['key'] } as const;

/** Runs them to their end. */
export async function bePiped(process: Process, parts: GuestParts): Promise<void> {
  await new Piped(process, parts).steadfast();
  await new Piped(process, parts).changeable();
  await new Piped(process, parts).impatient();
}

class Piped {
  readonly #process: Process;
  readonly #parts: GuestParts;
  readonly #pipe: Pipe;
  /** What the processes speak, each in its turn. */
  #speaks: readonly (readonly RevisionDate[])[] = [];
  #key = guestKey + 500;
  #reopenedAt = -1;
  #heard = 0;

  constructor(process: Process, parts: GuestParts) {
    this.#process = process;
    this.#parts = parts;
    const { world, plan } = parts;
    this.#pipe = new Pipe(process, { world, seed: plan.seed, make: (started) => this.#serverOf(started) });
  }

  /** It speaks one revision, and goes on through everything. */
  async steadfast(): Promise<void> {
    const { plan, world } = this.#parts;
    const client = await this.#connect({ revisions: [plan.revision] });
    if (client === undefined) return this.#violated('does not begin');
    const subscription = await client.subscribe({ tools: true }, ({ type }) => {
      if (type === 'reopened') this.#reopenedAt = world.now;
      else this.#heard++;
    });
    for (let death = 0; death < 3; death++) {
      const calls = [this.#call(client, 'echo'), this.#call(client, 'ask'), this.#call(client, 'slow')];
      await this.#sleep(chance(plan.seed, 'dies', death) * 700);
      this.#parts.judge.state('a process of a client dies');
      this.#pipe.kill();
      client.notifyRootsListChanged().catch(() => undefined);
      client.setLogLevel('warning').catch(() => undefined);
      await Promise.all(calls);
    }
    this.#pipe.isAway = true;
    this.#parts.judge.state('a process of a client cannot be started');
    this.#pipe.kill();
    for (let tries = 0; tries < 4; tries++) {
      await this.#sleep(2_000 + chance(plan.seed, 'away', tries) * 25_000);
      await this.#call(client, 'echo');
    }
    this.#pipe.isAway = false;
    const backAt = world.now;
    await this.#getsThrough(client);
    await this.#sleep(soonMs);
    if (this.#reopenedAt < backAt) this.#violated('does not hear that its subscription is open again');
    const before = this.#heard;
    this.#pipe.server?.tool('added', {}, () => 'added');
    await this.#sleep(soonMs);
    if (this.#heard === before) this.#violated('does not hear what changed in a new process');
    await subscription.close();
    await client.close();
  }

  /** Processes speak one thing and then another; it speaks all of it, and believes what it found out. */
  async changeable(): Promise<void> {
    const { plan } = this.#parts;
    const both: readonly (readonly RevisionDate[])[] = [['2026-07-28'], ['2025-11-25'], ['2025-11-25', '2026-07-28']];
    const first = both[Math.floor(chance(plan.seed, 'speaks', 0) * both.length)]!;
    this.#speaks = [
      first,
      ...both.toSorted((one, other) => chance(plan.seed, one.join()) - chance(plan.seed, other.join())),
    ];
    for (let visit = 0; visit < 2; visit++) {
      const client = await this.#connect({});
      if (client === undefined) continue;
      client.subscribe({ tools: true }, () => undefined).catch(() => undefined);
      for (let death = 0; death < 2; death++) {
        await this.#call(client, 'echo');
        const calls = [this.#call(client, 'slow'), this.#call(client, 'echo')];
        await this.#sleep(chance(plan.seed, 'changes', visit, death) * 300);
        this.#pipe.kill();
        await Promise.all(calls);
      }
      await this.#call(client, 'echo');
      await client.close();
      // Somebody who was told what it speaks, and is told wrong.
      const told = await this.#connect({ negotiated: { revision: '2026-07-28' } });
      if (told === undefined) continue;
      await Promise.all([this.#call(told, 'slow'), this.#call(told, 'echo')]);
      await told.close();
    }
  }

  /** It tries again few times or never, and is told that it is over. */
  async impatient(): Promise<void> {
    const { plan } = this.#parts;
    for (const [most, facts] of [
      [1, {}],
      [0, {}],
      [5, { opensOnce: true }],
    ] as const) {
      const client = await this.#connect({ revisions: [plan.revision], maxReconnects: most, facts, timeoutMs: 0 });
      if (client === undefined) continue;
      let isOver = false;
      client.onClose(() => (isOver = true));
      const subscribed = client.subscribe({ tools: true }, () => undefined).catch(() => undefined);
      for (let death = 0; death < 4; death++) {
        await this.#call(client, 'echo');
        this.#pipe.kill();
        await this.#sleep(200);
        await this.#call(client, 'ask');
      }
      if (!isOver) this.#violated(`is not told that it is over after ${most} times`);
      const end = await Promise.race([subscribed.then((one) => one?.closed), this.#sleep(60_000).then(() => 'open')]);
      if (end === 'open') this.#violated('has a subscription that outlives its connection');
      await client.close();
      if (await this.#call(client, 'echo')) this.#violated('gets through when it is over');
    }
  }

  async #connect({
    facts,
    ...options
  }: Partial<Parameters<typeof connect>[1]> & { readonly facts?: object }): Promise<Client | undefined> {
    try {
      return await connect(this.#pipe.transport(facts), {
        timeoutMs: 20_000,
        maxReconnects: 1_000,
        maxReopens: 1_000,
        onSample: async () => {
          await this.#sleep(100);
          return { role: 'assistant', model: 'm', content: { type: 'text', text: 'yes' } };
        },
        ...options,
      });
    } catch (error) {
      this.#parts.world.note(`${this.#process.name} does not begin: ${String(error)}`);
      return undefined;
    }
  }

  async #getsThrough(client: Client): Promise<void> {
    for (let tries = 0; tries < 3; tries++) if (await this.#call(client, 'echo')) return;
    this.#violated('does not get through when all is calm');
  }

  async #call(client: Client, tool: string): Promise<boolean> {
    const { judge } = this.#parts;
    const of = ++this.#key;
    const call = judge.begins(`piped-${tool}`, of, this.#process.name);
    try {
      const { content, isError } = await client.callTool(tool, { key: of });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '?';
      judge.answered(call, isError === true ? `failed ${text}` : text, tool === 'ask' ? 'yes' : `${tool} ${of}`);
      return true;
    } catch (error) {
      judge.failed(call, error);
      return false;
    }
  }

  #serverOf(started: number): Server {
    const { judge } = this.#parts;
    const revisions = this.#speaks[started % Math.max(1, this.#speaks.length)];
    const server = createServer({ name: 'piped', version: '1' }, revisions === undefined ? {} : { revisions });
    const ran = new Set<string>();
    const runs = (what: string): void => {
      if (ran.has(what)) judge.violated(`${what} runs twice in a process`);
      ran.add(what);
    };
    server.tool('echo', { input: key }, (given) => {
      runs(`echo ${given.key}`);
      return `echo ${given.key}`;
    });
    server.tool('slow', { input: key }, async (given, ctx) => {
      runs(`slow ${given.key}`);
      for (let step = 1; step <= 3; step++) {
        await pause(100, ctx.signal);
        ctx.progress(step);
      }
      return `slow ${given.key}`;
    });
    server.tool('ask', { input: key }, async (given, ctx) => await sample(ctx, `ask ${given.key}`));
    return server;
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.world.later(Math.ceil(ms), this.#process, resolve));
  }

  #violated(words: string): void {
    this.#parts.judge.violated(`${this.#process.name} ${words}`);
  }
}
