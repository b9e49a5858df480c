/** One process of the service: a server that does what clients of it may count on. */

import { createHttpHandler, type HttpHandler } from '../../../src/http/server/handler.ts';
import { createServer, type Server, type ServerOptions } from '../../../src/server.ts';
import type { Process } from '../world.ts';
import type { Ctx } from '../../../src/server/ctx.ts';
import type { HttpOptions } from '../../../src/http.ts';
import { memoryEvents } from '../../../src/store/events.ts';
import type { Judge } from './judge.ts';
import type { ServiceKind } from './plan.ts';

const key = { type: 'object', properties: { key: { type: 'integer' } }, required: ['key'] } as const;

/** How many tools a process has to begin with. */
export const toolCount = 11;

/** How many steps the tool of steps has. */
export const stepCount = 4;

/** How many steps the tool has that makes them in little time. */
export const burstCount = 20;

/** How many steps the tool has that takes longer than a client waits for a word of it. */
const longSteps = 4;

/** The parts of a service that outlive its processes. */
export interface ServiceParts {
  readonly judge: Judge;
  optionsOf(process: Process): ServerOptions;
  /** True where nothing goes wrong. */
  readonly peaceful: boolean;
  /** How long a tool waits at a place, in milliseconds. */
  wait(key: number, place: number): number;
  /** How often there was something new. */
  news(): number;
  /** What is particular about the service. */
  readonly service: ServiceKind;
  /** The names of the tools that were added since. */
  readonly added: readonly string[];
}

/** The resource that changes. */
export const newsUri = 'news://today';

/** @param isShared True where the store keeps the events. */
function httpOptionsOf(service: ServiceKind, isShared: boolean): HttpOptions {
  if (service === 'idle') return { sessionIdleMs: 4_000 };
  if (service === 'crowded') return { sessionIdleMs: 4_000, maxSessions: 3 };
  if (service === 'eventless') return { events: 'none' };
  if (service === 'forgetful' && !isShared) return { events: memoryEvents({ maxEvents: 2 }) };
  return service === 'sessionless' ? { sessions: 'none' } : {};
}

/** A process that serves. */
export class Node {
  readonly process: Process;
  readonly server: Server;
  readonly handler: HttpHandler;
  draining = false;

  constructor(process: Process, parts: ServiceParts) {
    this.process = process;
    this.server = serverOf(parts, parts.optionsOf(process));
    for (const name of parts.added) this.change(name);
    this.handler = createHttpHandler(this.server, {
      path: '/mcp',
      ...(parts.service !== 'sessionless' && { ssePair: { sse: '/sse', messages: '/messages' } }),
      retryMs: 100,
      ...httpOptionsOf(parts.service, this.server.endpoint.store?.shared === true),
      onError: () => undefined,
    });
  }

  /** Tells that there is something new. */
  hasNews(): void {
    this.server.resourceUpdated(newsUri);
  }

  change(name: string): void {
    this.server.tool(name, {}, () => name);
  }

  async close(drainMs: number): Promise<void> {
    this.draining = true;
    await this.handler.close({ drainMs });
    await this.server.close();
  }
}

function serverOf({ judge, wait, peaceful, news }: ServiceParts, options: ServerOptions): Server {
  const server = createServer({ name: 'service', version: '1' }, options);
  server.tool('echo', { input: key }, (given) => {
    judge.runs(`echo ${given.key}`);
    return `echo ${given.key}`;
  });
  server.tool('steps', { input: key }, async (given, ctx) => {
    judge.runs(`steps ${given.key}`);
    for (let step = 1; step <= stepCount; step++) {
      await pause(wait(given.key, step), ctx.signal);
      ctx.progress(step, stepCount);
    }
    return `steps ${given.key}`;
  });
  server.tool('long', { input: key }, async (given, ctx) => {
    judge.runs(`long ${given.key}`);
    for (let step = 1; step <= longSteps; step++) {
      await pause(9_000, ctx.signal);
      ctx.progress(step, longSteps);
    }
    return `long ${given.key}`;
  });
  server.tool('give-up', { input: key }, async (given, ctx) => {
    judge.runs(`give-up ${given.key}`);
    await pause(20_000, ctx.signal);
    if (peaceful && !ctx.signal.aborted) judge.violated(`give-up ${given.key} does not hear that it was given up`);
    return `give-up ${given.key}`;
  });
  server.tool('poll', { input: key }, async (given, ctx) => {
    judge.runs(`poll ${given.key}`);
    for (let step = 1; step <= stepCount; step++) {
      ctx.closeStream(wait(given.key, 0) % 300);
      await pause(wait(given.key, step), ctx.signal);
      ctx.progress(step, stepCount);
    }
    return `poll ${given.key}`;
  });
  server.tool('burst', { input: key }, async (given, ctx) => {
    judge.runs(`burst ${given.key}`);
    // Its client comes back in the middle of it.
    ctx.closeStream(100);
    for (let step = 1; step <= burstCount; step++) {
      await pause(wait(given.key, step) % 40, ctx.signal);
      ctx.progress(step, burstCount);
    }
    return `burst ${given.key}`;
  });
  server.tool('form', { input: key }, async (given, ctx) => {
    judge.runs(`form ${given.key}`);
    const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } as const;
    const { action, content } = await ctx.elicit({ message: `form ${given.key}`, schema });
    return content?.word ?? action;
  });
  server.tool('large', { input: key }, async (given, ctx) => {
    judge.runs(`large ${given.key}`);
    const kept = await ctx.once('large', () => {
      judge.effect(`large ${given.key}`);
      return '.'.repeat(1_000);
    });
    const answer = await sample(ctx, `large ${given.key} one`);
    return kept.length === 1_000 ? answer : `${kept.length} are kept`;
  });
  server.tool('log', { input: key }, async (given, ctx) => {
    judge.runs(`log ${given.key}`);
    ctx.log('error', `log ${given.key} before`);
    const answer = await sample(ctx, `log ${given.key} one`);
    ctx.log('error', `log ${given.key} after`);
    return answer;
  });
  server.resource(newsUri, { name: 'news' }, () => String(news()));
  for (const [tool, questions] of [
    ['ask', ['one']],
    ['ask-both', ['one', 'other']],
  ] as const)
    server.tool(tool, { input: key }, async (given, ctx) => {
      judge.runs(`${tool} ${given.key}`);
      await ctx.once('effect', () => judge.effect(`${tool} ${given.key}`));
      ctx.progress(1, 2);
      const answers = await Promise.all(
        questions.map(async (question) => await sample(ctx, `${tool} ${given.key} ${question}`)),
      );
      await pause(wait(given.key, 0), ctx.signal);
      ctx.progress(2, 2);
      return answers.join(', ');
    });
  return server;
}

/** Asks the client, and gives its words. */
async function sample(ctx: Pick<Ctx, 'sample'>, text: string): Promise<string> {
  const { content } = await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 9 });
  const [first] = [content].flat();
  return first?.type === 'text' ? first.text : '?';
}

/** Waits, unless nobody wants it any more. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
