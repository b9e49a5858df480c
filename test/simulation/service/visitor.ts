/** A client of the service, which does what the plan says and is content in the end. */

import { connect, type Client } from '../../../packages/parley/src/client.ts';
import { McpError } from '../../../packages/parley/src/protocol/error.ts';
import type { ReadResourceResult } from '../../../packages/parley/src/protocol/features/resources.ts';
import { ConnectionError } from '../../../packages/parley/src/jsonrpc/transport.ts';
import { httpTransport, ssePairTransport } from '../../../packages/parley/src/http.ts';
import type { Process, World } from '../world.ts';
import { maxMs, type Judge } from './judge.ts';
import type { Network } from './network.ts';
import { burstCount, clientHeader, newsUri, stepCount } from './node.ts';
import type { Peace } from './peace.ts';
import { isLossless, isNarrow, isOrdered, newestMsOf, type Operation, type Plan } from './plan.ts';
import { doOdd } from './odd.ts';
import { restsOf } from './resting.ts';
import type { Tokens } from './tokens.ts';
import { Watching } from './watching.ts';
import { misplaced, wrongLimit } from './wrong.ts';

/** Where a visitor is. */
export interface VisitorParts {
  readonly world: World;
  readonly plan: Plan;
  readonly judge: Judge;
  readonly network: Network;
  readonly tokens?: Tokens | undefined;
  readonly peace: Pick<Peace, 'since'>;
  /** How long it takes over an answer, in milliseconds. */
  thinks(question: string): number;
  /** The tools that every process has by a time. */
  tools(time: number): number;
  /** How often there was something new by a time. */
  news(time: number): number;
  /** True where a lie kept a bridge from hearing the server behind it. */
  isDeniedBehind(): boolean;
}

/** Runs a visitor to its end. */
export async function visit(process: Process, operations: readonly Operation[], parts: VisitorParts): Promise<void> {
  const { world, plan, judge } = parts;
  const sleepUntil = (time: number): Promise<void> =>
    new Promise((resolve) => void world.later(Math.max(0, time - world.now), process, resolve));
  let isDeaf = false;
  const client = await arrive(process, parts, sleepUntil, { refused: () => (isDeaf = true) });
  if (client === undefined) return judge.violated(`${process.name} does not get in when all is calm`);
  const visitor = new Visitor(client, process.name, parts);
  const running: Promise<void>[] = [];
  for (const operation of operations) {
    await sleepUntil(operation.at);
    running.push(visitor.do(operation));
  }
  await Promise.all(running);
  await sleepUntil(plan.calmAt + newestMsOf(plan) + 100);
  if (plan.restMs !== undefined) await visitor.rests(plan.restMs, sleepUntil);
  if (!isDeaf && !parts.isDeniedBehind()) await visitor.knowsAll();
  await visitor.getsThrough(sleepUntil);
  visitor.leaves();
  await client.close();
}

/** Connects, however often it takes; the trouble is over some time. */
async function arrive(
  process: Process,
  { network, plan, world, thinks, judge, tokens }: VisitorParts,
  sleepUntil: (time: number) => Promise<void>,
  heard: { refused(): void },
): Promise<Client | undefined> {
  const fetch = network.fetchOf(process);
  const [make, path] = plan.pair ? [ssePairTransport, 'sse'] : [httpTransport, 'mcp'];
  for (let calmTries = 0; calmTries < (isNarrow(plan.service) || plan.upstream !== undefined ? 20 : 4);) {
    if (world.now > plan.calmAt) calmTries++;
    const options = {
      fetch,
      ...(plan.wrong > 0 && { maxMessageBytes: wrongLimit }),
      ...(plan.knowsClients && { headers: { [clientHeader]: process.name } }),
      ...(tokens && { auth: tokens.sourceOf(process.name) }),
    };
    try {
      return await connect(make(`http://localhost/${path}?seed=${plan.seed}`, options), {
        revisions: [plan.revision],
        timeoutMs: 30_000,
        maxTotalTimeoutMs: maxMs,
        maxReconnects: 100_000,
        maxReopens: 100_000,
        onSample: async ({ messages: [message] }) => {
          const content = Array.isArray(message?.content) ? message.content[0] : message?.content;
          const question = content?.type === 'text' ? content.text : '?';
          judge.asked(question, process.name);
          await new Promise<void>((resolve) => void setTimeout(resolve, thinks(question)));
          return { role: 'assistant', model: 'm', content: { type: 'text', text: `re ${question}` } };
        },
        onElicit: async ({ message }) => {
          judge.asked(message, process.name);
          await new Promise<void>((resolve) => void setTimeout(resolve, thinks(message)));
          // A form that asks for what nobody gives.
          if (message.startsWith('misfit')) return { action: 'accept', content: { word: 5 } };
          const action = actionOf(message);
          return action === 'accept' ? { action, content: { word: `re ${message}` } } : { action };
        },
        onElicitUrl: async ({ message }) => {
          judge.asked(message, process.name);
          return { action: actionOf(message) };
        },
        ...(plan.hostsTasks && { clientTasks: { sampling: true, elicitation: true } }),
        // What a wrong peer says on a subscription that is over by then is a message like any other.
        onLog: ({ data }) => void (data === misplaced || judge.logged(String(data))),
        // Told that it is deaf, it knows that it may know nothing.
        onWarning: (words) => void (words.startsWith('the server refused the stream') && heard.refused()),
      });
    } catch (error) {
      world.note(`${process.name} does not get in: ${String(error)}`);
      await sleepUntil(world.now + 2_000);
    }
  }
  return undefined;
}

/** Keys of what is odd begin here. */
const oddKeys = 5_000;

class Visitor {
  readonly #client: Client;
  readonly #name: string;
  readonly #parts: VisitorParts;
  readonly #tools: Watching;
  readonly #news: Watching;

  constructor(client: Client, name: string, parts: VisitorParts) {
    this.#client = client;
    this.#name = name;
    this.#parts = parts;
    const note = (words: string): void => parts.world.note(`${name} ${words}`);
    this.#tools = new Watching({
      subscribe: (hear) => client.subscribe({ tools: true }, hear),
      read: async () => (await client.listTools()).length,
      isHonored: ({ tools }) => tools === true,
      note,
    });
    this.#news = new Watching({
      subscribe: (hear) => client.subscribe({ updates: [newsUri] }, hear),
      read: async () => numberIn(await client.readResource(newsUri)),
      isHonored: ({ updates }) => updates?.includes(newsUri) === true,
      note,
    });
  }

  async do({ kind, key }: Operation): Promise<void> {
    if (kind === 'list') return await this.#ignoring(() => this.#client.listTools());
    if (kind === 'level')
      return await this.#ignoring(() => this.#client.request('logging/setLevel', { level: 'error' }));
    if (kind === 'watch') return await this.#tools.begin();
    if (kind === 'watch-news') return await this.#news.begin();
    if (kind === 'unwatch') return await this.#ignoring(() => this.#tools.end());
    if (kind === 'odd') return await this.#odd(key);
    await this.#call(kind, key);
  }

  async #odd(key: number): Promise<void> {
    const { world, plan } = this.#parts;
    const number = numberOf(`${this.#name}-${oddKeys + key * 100 + (plan.seed % 100)}`);
    await doOdd({
      client: this.#client,
      key: number,
      // The answer to a POST of HTTP+SSE says no more than that it was taken.
      isLiedTo: plan.pair && plan.wrong > 0,
      note: (words) => world.note(`${this.#name} ${words}`),
    });
  }

  /** All is calm: what was watched is known as it is, but for what guests that stay longer changed just now. */
  async knowsAll(): Promise<void> {
    const { judge, world, plan, tools, news } = this.#parts;
    const before = world.now - newestMsOf(plan);
    for (const [watching, countBy, what] of [
      [this.#tools, tools, 'tools'],
      [this.#news, news, 'pieces of news'],
    ] as const) {
      watching.isOver();
      const known = await watching.known();
      const [were, are] = [countBy(before), countBy(world.now)];
      if (known !== undefined && !(known >= were && known <= are))
        judge.violated(`${this.#name} knows ${known} ${what} of ${are}`);
    }
  }

  /** All is calm for more than an hour: whatever there is stays there, and nobody has to begin again. */
  async rests(restMs: number, sleepUntil: (time: number) => Promise<void>): Promise<void> {
    const { judge, plan } = this.#parts;
    const from = plan.calmAt + newestMsOf(plan);
    await this.getsThrough(sleepUntil, 1_100);
    const end = this.#client.onReconnect((after) => judge.violated(`${this.#name} lost its session: ${after.message}`));
    for (const [at, time] of restsOf(restMs).entries()) {
      await sleepUntil(from + time);
      await this.getsThrough(sleepUntil, 1_200 + 4 * at);
    }
    end();
    await sleepUntil(this.#parts.world.now + newestMsOf(plan));
  }

  /** All is calm: a call succeeds. */
  async getsThrough(sleepUntil: (time: number) => Promise<void>, key = 1_000): Promise<void> {
    const { judge, world } = this.#parts;
    for (let tries = 0; tries < 4; tries++) {
      if (await this.#call('echo', key + tries)) return await this.#changesItsSession(sleepUntil);
      await sleepUntil(world.now + 3_000);
    }
    judge.violated(`${this.#name} does not get through when all is calm`);
  }

  /** What a client changes in its session is taken when all is calm, whatever its store knows of that. */
  async #changesItsSession(sleepUntil: (time: number) => Promise<void>): Promise<void> {
    const { judge, world, plan } = this.#parts;
    if (plan.faults.every(({ kind }) => kind !== 'take over')) return;
    for (let tries = 0; tries < 4; tries++) {
      try {
        return void (await this.#client.request('logging/setLevel', { level: tries % 2 === 0 ? 'warning' : 'notice' }));
      } catch (error) {
        // There is none in the newest revision, and where nothing is kept.
        if (error instanceof McpError && error.kind === 'methodNotFound') return;
      }
      await sleepUntil(world.now + 3_000);
    }
    judge.violated(`${this.#name} cannot change its session when all is calm`);
  }

  /** What is still sought is not sought any more. */
  leaves(): void {
    this.#tools.leaves();
    this.#news.leaves();
  }

  async #call(tool: string, key: number): Promise<boolean> {
    const { judge, plan, peace, world } = this.#parts;
    const begun = world.now;
    const name = `${this.#name}-${key}`;
    const call = judge.begins(tool, key, this.#name);
    const given = new AbortController();
    if (tool === 'give-up') setTimeout(() => given.abort(new Error('given up')), 500 + key * 300);
    try {
      const result = await this.#client.callTool(
        tool,
        { key: numberOf(name) },
        {
          onProgress: ({ progress }) => judge.reports(call, progress, isOrdered(plan)),
          signal: given.signal,
        },
      );
      const [content] = result.content;
      judge.answered(call, content?.type === 'text' ? content.text : '?', wanted(tool, numberOf(name)));
      // Streams of 2024-11-05 are not taken up.
      if (tool === 'steps' || tool === 'poll') judge.steps(call, stepCount, isLossless(plan));
      if (tool === 'burst') judge.steps(call, burstCount, isLossless(plan));
      return true;
    } catch (error) {
      if (given.signal.aborted && error === given.signal.reason) judge.answered(call, 'given up', 'given up');
      else {
        judge.failed(call, error);
        // Nothing ran: it is sent again in a new session, or says why it is not.
        if (error instanceof ConnectionError && error.message === 'the server no longer knows the session')
          judge.violated(`${tool} ${key} of ${this.#name} is not sent again in a new session`);
        if (peace.since(begun))
          judge.violated(`${tool} ${key} of ${this.#name} fails though nothing went wrong: ${String(error)}`);
      }
      return false;
    }
  }

  async #ignoring(run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#parts.world.note(`${this.#name}: ${String(error)}`);
    }
  }
}

/** Keys of clients differ: a call of one is not that of another. */
function numberOf(name: string): number {
  const [, client = '0', key = '0'] = /(\d+)-(\d+)$/.exec(name) ?? [];
  return Number(client) * 10_000 + Number(key);
}

/** What a person does with a form, by what it says. */
export function actionOf(message: string): 'accept' | 'decline' | 'cancel' {
  return (['accept', 'decline', 'cancel', 'accept'] as const)[(Number(message.split(' ')[1]) || 0) % 4] ?? 'accept';
}

function numberIn({ contents: [first] }: ReadResourceResult): number {
  return first !== undefined && 'text' in first ? Number(first.text) : Number.NaN;
}

function wanted(tool: string, key: number): string {
  if (tool === 'form') {
    const asked = `form ${key}`;
    return actionOf(asked) === 'accept' ? `re ${asked}` : actionOf(asked);
  }
  if (tool === 'large' || tool === 'log') return `re ${tool} ${key} one`;
  if (tool === 'hand') return `re hand ${key} one`;
  if (tool === 'ask') return `re ask ${key} one`;
  if (tool === 'ask-both') return `re ask-both ${key} one, re ask-both ${key} other`;
  return `${tool} ${key}`;
}
