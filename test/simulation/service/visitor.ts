/** A client of the service, which does what the plan says and is content in the end. */

import { connect, type Client } from '../../../src/client.ts';
import { ConnectionError } from '../../../src/jsonrpc/transport.ts';
import { httpTransport, ssePairTransport } from '../../../src/http.ts';
import type { Process, World } from '../world.ts';
import { longestMs, type Judge } from './judge.ts';
import type { Network } from './network.ts';
import { stepCount } from './node.ts';
import { isPeaceful, type Operation, type Plan } from './plan.ts';

/** Where a visitor is. */
export interface VisitorParts {
  readonly world: World;
  readonly plan: Plan;
  readonly judge: Judge;
  readonly network: Network;
  /** How long it takes over an answer, in milliseconds. */
  thinks(question: string): number;
  /** The tools that every process has by now. */
  tools(): number;
}

/**
 * How long after the last fault everybody must know the newest list, in milliseconds: a client that met with refusals for long tries again
 * after 30 s at most, and the slowest answers take 3 s.
 */
const newestMs = 40_000;

/** Runs a visitor to its end. */
export async function visit(process: Process, operations: readonly Operation[], parts: VisitorParts): Promise<void> {
  const { world, plan, judge } = parts;
  const sleepUntil = (time: number): Promise<void> =>
    new Promise((resolve) => void world.later(Math.max(0, time - world.now), process, resolve));
  const client = await arrive(process, parts, sleepUntil);
  if (client === undefined) return judge.violated(`${process.name} does not get in when all is calm`);
  const visitor = new Visitor(client, process.name, parts);
  const running: Promise<void>[] = [];
  for (const operation of operations) {
    await sleepUntil(operation.at);
    running.push(visitor.do(operation));
  }
  await Promise.all(running);
  await sleepUntil(plan.calmAt + newestMs + 100);
  await visitor.isContent(sleepUntil);
  visitor.leaves();
  await client.close();
}

/** Connects, however often it takes; the trouble is over some time. */
async function arrive(
  process: Process,
  { network, plan, world, thinks, judge }: VisitorParts,
  sleepUntil: (time: number) => Promise<void>,
): Promise<Client | undefined> {
  const fetch = network.fetchOf(process);
  const [make, path] = plan.pair ? [ssePairTransport, 'sse'] : [httpTransport, 'mcp'];
  for (let calmTries = 0; calmTries < 4;) {
    if (world.now > plan.calmAt) calmTries++;
    try {
      return await connect(make(`http://localhost/${path}?seed=${plan.seed}`, { fetch }), {
        revisions: [plan.revision],
        timeoutMs: 30_000,
        maxTotalTimeoutMs: longestMs,
        maxReconnects: 100_000,
        maxReopens: 100_000,
        onSample: async ({ messages: [message] }) => {
          const content = Array.isArray(message?.content) ? message.content[0] : message?.content;
          const question = content?.type === 'text' ? content.text : '?';
          judge.asked(question);
          await new Promise<void>((resolve) => void setTimeout(resolve, thinks(question)));
          return { role: 'assistant', model: 'm', content: { type: 'text', text: `re ${question}` } };
        },
        onWarning: () => undefined,
      });
    } catch (error) {
      world.note(`${process.name} does not get in: ${String(error)}`);
      await sleepUntil(world.now + 2_000);
    }
  }
  return undefined;
}

class Visitor {
  readonly #client: Client;
  readonly #name: string;
  readonly #parts: VisitorParts;
  #list: Promise<number> | undefined;
  #looks = 0;
  #over = false;
  #watching = false;

  constructor(client: Client, name: string, parts: VisitorParts) {
    this.#client = client;
    this.#name = name;
    this.#parts = parts;
  }

  async do({ kind, key }: Operation): Promise<void> {
    if (kind === 'list') return await this.#ignoring(() => this.#client.listTools());
    if (kind === 'level')
      return await this.#ignoring(() => this.#client.request('logging/setLevel', { level: 'error' }));
    if (kind === 'watch') return await this.#watch();
    await this.#call(kind, key);
  }

  /** All is calm: a call succeeds, and what was watched is known as it is. */
  async isContent(sleepUntil: (time: number) => Promise<void>): Promise<void> {
    const { judge, world, tools } = this.#parts;
    this.#over = true;
    if (this.#watching) {
      const [known, are] = [await this.#list, tools()];
      if (known !== are) judge.violated(`${this.#name} knows ${known} tools of ${are}`);
    }
    for (let tries = 0; tries < 4; tries++) {
      if (await this.#call('echo', 1_000 + tries)) return;
      await sleepUntil(world.now + 3_000);
    }
    judge.violated(`${this.#name} does not get through when all is calm`);
  }

  /** What is still sought is not sought any more. */
  leaves(): void {
    this.#looks++;
  }

  async #call(tool: string, key: number): Promise<boolean> {
    const { judge, plan } = this.#parts;
    const name = `${this.#name}-${key}`;
    const call = judge.begins(tool, key, this.#name);
    const given = new AbortController();
    if (tool === 'give-up') setTimeout(() => given.abort(new Error('given up')), 500 + key * 300);
    try {
      const result = await this.#client.callTool(
        tool,
        { key: numberOf(name) },
        { onProgress: ({ progress }) => judge.reports(call, progress), signal: given.signal },
      );
      const [content] = result.content;
      judge.answered(call, content?.type === 'text' ? content.text : '?', wanted(tool, numberOf(name)));
      // Streams of 2024-11-05 are not taken up.
      if (tool === 'steps')
        judge.steps(call, stepCount, !plan.pair && (plan.upstream === undefined || plan.trouble === 0));
      return true;
    } catch (error) {
      if (given.signal.aborted && error === given.signal.reason) judge.answered(call, 'given up', 'given up');
      else {
        judge.failed(call, error);
        // Nothing ran: it is sent again in a new session, or says why it is not.
        if (error instanceof ConnectionError && error.message === 'the server no longer knows the session')
          judge.violated(`${tool} ${key} of ${this.#name} is not sent again in a new session`);
        if (isPeaceful(plan))
          judge.violated(`${tool} ${key} of ${this.#name} fails though nothing went wrong: ${String(error)}`);
      }
      return false;
    }
  }

  async #watch(): Promise<void> {
    if (this.#watching) return;
    try {
      this.#watching = true;
      const subscription = await this.#client.subscribe({ tools: true }, () => this.#look());
      this.#look();
      // A server that makes room for another ends subscriptions in good order: who wants to hear more asks anew.
      void subscription.closed.then(() => {
        this.#watching = false;
        if (!this.#over) setTimeout(() => void this.#watch(), 500);
      });
    } catch (error) {
      this.#watching = false;
      this.#parts.world.note(`${this.#name} does not watch: ${String(error)}`);
    }
  }

  /** Lists what there is, until that is known; what is wanted anew is not sought any more. */
  #look(): void {
    const look = ++this.#looks;
    const list = async (): Promise<number> => {
      for (let tries = 0; tries < 1_000; tries++)
        try {
          return (await this.#client.listTools()).length;
        } catch {
          if (look !== this.#looks) break;
          await new Promise<void>((resolve) => void setTimeout(resolve, 500));
        }
      return Number.NaN;
    };
    this.#list = list();
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

function wanted(tool: string, key: number): string {
  if (tool === 'ask') return `re ask ${key} one`;
  if (tool === 'ask-both') return `re ask-both ${key} one, re ask-both ${key} other`;
  return `${tool} ${key}`;
}
