/** One process of the service: a server that does what clients of it may count on. */

import { createHttpHandler, type HttpHandler } from '../../../packages/parley/src/transports/http/server/handler.ts';
import { createServer, inputRequired, type Server, type ServerOptions } from '../../../packages/parley/src/server.ts';
import type { Process } from '../world.ts';
import type { ToolContext } from '../../../packages/parley/src/server/definition/tool-context.ts';
import type { HttpOptions } from '../../../packages/parley/src/http.ts';
import type { InputRequest } from '../../../packages/parley/src/protocol/features/rounds.ts';
import type { OnEvent } from '../../../packages/parley/src/server/runtime/events/service-event.ts';
import type { Judge } from './judge.ts';
import { pause, sample } from './handling.ts';
import { addOddTools, oddTools } from './odd-tools.ts';
import { rareScope, type Tokens } from './tokens.ts';
import type { Peace } from './peace.ts';
import type { ServiceKind } from './plan.ts';
import type { Guarded } from '../../../packages/parley/src/auth/server/protect.ts';

const key = { type: 'object', properties: { key: { type: 'integer' } }, required: ['key'] } as const;

/** How many tools a process has to begin with. */
export const toolCount: number = 14 + oddTools.length;

/** How often a handler may ask, and how long a state of rounds is good, in milliseconds. */
export const mostRounds = 8;
export const roundMs = 120_000;

/** How many resources a client may watch: who wants more needs a request for each of these first. */
export const maxWatched = 24;

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
  readonly peace: Pick<Peace, 'since'>;
  /** How long a tool waits at a place, in milliseconds. */
  wait(key: number, place: number): number;
  /** How often there was something new. */
  news(): number;
  /** True where it knows its clients by a header. */
  readonly knowsClients: boolean;
  /** What it knows them by in place of that. */
  readonly tokens?: Tokens | undefined;
  /** What is particular about the service. */
  readonly service: ServiceKind;
  /** The names of the tools that were added since. */
  readonly added: readonly string[];
}

/** The resource that changes. */
export const newsUri = 'news://today';

/** The header by which a service knows its clients. */
export const clientHeader = 'x-client';

/** The client that a key is of. */
export function clientOf(of: number): string {
  return `c${Math.floor(of / 10_000)}`;
}

/** Knows clients by that header. */
export const knowing: HttpOptions = {
  authenticate: (request) => {
    const principal = request.header(clientHeader);
    return principal === undefined ? { status: 401 } : { principal };
  },
};

/** The longest that a question is waited for where there is room for few, in milliseconds: clients take half of it. */
const maxQuestionMs = 16_000;

/** Room for few at once. */
const tightOptions: HttpOptions = {
  sessionIdleTimeoutMs: 4_000,
  maxSessions: 6,
  maxSessionsPerPrincipal: 1,
  maxStreams: 8,
  maxStreamsPerPrincipal: 2,
  maxRequests: 3,
  maxStreamBufferBytes: 3_000,
};

/** Rounds of a service. Where there is room for few, a session whose client has gone in the middle of a question keeps others out for as long as that is waited for. */
export function roundsOf(service: ServiceKind): NonNullable<ServerOptions['rounds']> {
  return {
    keys: [new Uint8Array(32).fill(7)],
    maxRounds: mostRounds,
    ttlMs: roundMs,
    ...(service === 'once' && { singleUse: true, maxStateLength: 500 }),
    ...((service === 'tight' || service === 'crowded') && { requestTimeoutMs: maxQuestionMs }),
  };
}

function httpOptionsOf(service: ServiceKind): HttpOptions {
  if (service === 'idle') return { sessionIdleTimeoutMs: 4_000 };
  if (service === 'crowded') return { sessionIdleTimeoutMs: 4_000, maxSessions: 3 };
  if (service === 'eventless') return { events: 'none' };
  if (service === 'slow readers') return { maxStreamBufferBytes: 4_000 };
  if (service === 'full store') return { sessionIdleTimeoutMs: 4_000 };
  if (service === 'tight') return tightOptions;
  return service === 'sessionless' ? { sessions: false } : {};
}

/** A process that serves. */
export class Node {
  readonly process: Process;
  readonly server: Server;
  readonly handler: HttpHandler;
  draining = false;
  /** How many sessions and streams it said that it has. */
  readonly told = { sessions: 0, streams: 0 };
  readonly #guarded: Guarded | undefined;

  constructor(process: Process, parts: ServiceParts) {
    this.process = process;
    const onEvent: OnEvent = (event) => {
      const { type } = event;
      if (type === 'session-opened') parts.judge.state('a session is opened');
      else if (type === 'session-adopted') parts.judge.state('a session is adopted');
      else if (type === 'session-ended') parts.judge.state('a session ends');
      if (type === 'session-opened' || type === 'session-adopted') this.told.sessions++;
      else if (type === 'session-ended') this.told.sessions--;
      else if (type === 'stream-opened') this.told.streams++;
      else if (type === 'stream-ended') this.told.streams--;
    };
    const subscriptions = { resourcesPerClient: maxWatched };
    this.server = serverOf(parts, { ...parts.optionsOf(process), subscriptions, onEvent });
    for (const name of parts.added) this.change(name);
    this.#guarded = parts.tokens?.guard(process, this.server);
    this.handler = createHttpHandler(this.#guarded ?? this.server, {
      path: '/mcp',
      ...(parts.service !== 'sessionless' && { ssePair: { sse: '/sse', messages: '/messages' } }),
      retryMs: 100,
      ...(parts.knowsClients && knowing),
      ...httpOptionsOf(parts.service),
      onError: () => undefined,
    });
  }

  /** Tells that there is something new. */
  hasNews(): void {
    this.server.resourceUpdated(newsUri);
  }

  /** Hears that the tokens of clients are not good any more. */
  takesBack(clients: Iterable<string>): void {
    for (const principal of clients) this.#guarded?.revoke({ principal });
  }

  change(name: string): void {
    this.server.tool(name, {}, () => name);
  }

  async close(drainTimeoutMs: number): Promise<void> {
    this.draining = true;
    await this.handler.close({ drainTimeoutMs });
    await this.server.close();
  }
}

function serverOf({ judge, wait, peace, news, knowsClients, tokens }: ServiceParts, options: ServerOptions): Server {
  const server = createServer({ name: 'service', version: '1' }, options);
  // What passes through somebody's hands is the same as what does not.
  if (knowsClients) server.use(async (_, next) => await next());
  const runs = (tool: string, of: number, { auth }: Pick<ToolContext, 'auth'>): void => {
    judge.runs(`${tool} ${of}`);
    const caller = knowsClients || tokens !== undefined ? clientOf(of) : undefined;
    if (auth?.principal !== caller) judge.violated(`${tool} ${of} of ${caller} runs for ${auth?.principal}`);
  };
  server.tool('echo', { input: key, annotations: { readOnlyHint: true } }, (given, ctx) => {
    runs('echo', given.key, ctx);
    return `echo ${given.key}`;
  });
  server.tool('steps', { input: key }, async (given, ctx) => {
    runs('steps', given.key, ctx);
    for (let step = 1; step <= stepCount; step++) {
      await pause(wait(given.key, step), ctx.signal);
      ctx.progress(step, stepCount);
    }
    return `steps ${given.key}`;
  });
  server.tool('long', { input: key }, async (given, ctx) => {
    runs('long', given.key, ctx);
    for (let step = 1; step <= longSteps; step++) {
      await pause(9_000, ctx.signal);
      ctx.progress(step, longSteps);
    }
    return `long ${given.key}`;
  });
  server.tool('give-up', { input: key }, async (given, ctx) => {
    runs('give-up', given.key, ctx);
    const begun = performance.now();
    await pause(20_000, ctx.signal);
    if (peace.since(begun) && !ctx.signal.aborted)
      judge.violated(`give-up ${given.key} does not hear that it was given up`);
    return `give-up ${given.key}`;
  });
  server.tool('poll', { input: key }, async (given, ctx) => {
    runs('poll', given.key, ctx);
    for (let step = 1; step <= stepCount; step++) {
      ctx.closeStream(wait(given.key, 0) % 300);
      await pause(wait(given.key, step), ctx.signal);
      ctx.progress(step, stepCount);
    }
    return `poll ${given.key}`;
  });
  server.tool('burst', { input: key }, async (given, ctx) => {
    runs('burst', given.key, ctx);
    // Its client comes back in the middle of it.
    ctx.closeStream(100);
    for (let step = 1; step <= burstCount; step++) {
      await pause(wait(given.key, step) % 40, ctx.signal);
      ctx.progress(step, burstCount);
    }
    return `burst ${given.key}`;
  });
  server.tool('form', { input: key }, async (given, ctx) => {
    runs('form', given.key, ctx);
    const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } as const;
    const { action, content } = await ctx.elicit({ message: `form ${given.key}`, schema });
    return content?.word ?? action;
  });
  server.tool('large', { input: key }, async (given, ctx) => {
    runs('large', given.key, ctx);
    const kept = await ctx.once('large', () => {
      judge.effect(`large ${given.key}`);
      return '.'.repeat(1_000);
    });
    const answer = await sample(ctx, `large ${given.key} one`);
    return kept.length === 1_000 ? answer : `${kept.length} are kept`;
  });
  server.tool('hand', { input: key }, (given, ctx) => {
    const { inputResponses, requestState } = ctx;
    if (inputResponses === undefined) {
      runs('hand', given.key, ctx);
      return inputRequired({ requests: { one: manual(`hand ${given.key} one`) }, state: given.key });
    }
    if (requestState !== given.key) judge.violated(`hand ${given.key} goes on from ${JSON.stringify(requestState)}`);
    const { content } = inputResponses['one'] as { readonly content: { readonly text: string } };
    return content.text;
  });
  server.tool('endless', { input: key }, (given, ctx) => {
    if (ctx.inputResponses === undefined) runs('endless', given.key, ctx);
    return inputRequired({ state: given.key });
  });
  // A handler that goes by rounds itself, and keeps nothing.
  server.tool('hand-page', { input: key }, (given, ctx) => {
    if (ctx.inputResponses !== undefined) return Object.keys(ctx.inputResponses).join();
    runs('hand-page', given.key, ctx);
    const params = { mode: 'url', message: `hand-page ${given.key}`, url: 'https://pages.example/' } as const;
    return inputRequired({ requests: { page: { method: 'elicitation/create', params } } });
  });
  server.tool('log', { input: key }, async (given, ctx) => {
    runs('log', given.key, ctx);
    ctx.log('error', `log ${given.key} before`);
    const answer = await sample(ctx, `log ${given.key} one`);
    ctx.log('error', `log ${given.key} after`);
    return answer;
  });
  // What is not for everybody is no tool: all clients see as many of those.
  server.prompt('rare', { scopes: [rareScope] }, () => 'rare');
  addOddTools(server, runs);
  server.resource(newsUri, { name: 'news' }, () => String(news()));
  for (const [tool, questions] of [
    ['ask', ['one']],
    ['ask-both', ['one', 'other']],
  ] as const)
    server.tool(tool, { input: key }, async (given, ctx) => {
      runs(tool, given.key, ctx);
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

function manual(text: string): InputRequest {
  const content = { type: 'text', text } as const;
  return { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content }], maxTokens: 9 } };
}
