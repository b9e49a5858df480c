/** Tools of a service whose handlers do what handlers had better not, or seldom do: their answers are whatever they are, but each ends. */

import { urlElicitationRequired, type Server } from '../../../packages/parley/src/server.ts';
import type { ToolContext } from '../../../packages/parley/src/server/definition/tool-context.ts';
import { lasting, sample } from './handling.ts';

const key = { type: 'object', properties: { key: { type: 'integer' } }, required: ['key'] } as const;

/** The names of the tools. */
export const oddTools = [
  'careless',
  'same-key',
  'keyed',
  'misfit',
  'wordy',
  'huge',
  'hosted',
  'unasked',
  'fickle',
  'restless',
  'talkative',
  'breaking',
  'page',
] as const;

/** How much it says; a store in memory keeps 1000 events of a session. */
const reportCount = 10;

const handlers: Readonly<Record<(typeof oddTools)[number], (of: number, ctx: ToolContext) => Promise<string>>> = {
  // It goes without its answer, and asks when it is over.
  careless: async (of, ctx) => {
    sample(ctx, `careless ${of} one`).catch(() => undefined);
    const late = async (): Promise<void> => {
      await lasting(200);
      await ctx.once('late', () => 'late');
      await sample(ctx, `careless ${of} late`);
    };
    late().catch(() => undefined);
    return 'gone';
  },
  'same-key': async (of, ctx) => {
    const ask = async (): Promise<string> => await sample(ctx, `same-key ${of} one`, { key: 'same' });
    return (await Promise.all([ask(), ask()])).join(', ');
  },
  keyed: async (of, ctx) => await sample(ctx, `keyed ${of} one`, { key: 'word' }),
  misfit: async (of, ctx) => {
    const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } as const;
    const { action } = await ctx.elicit({ message: `misfit ${of}`, schema });
    return action;
  },
  wordy: async (of, ctx) => {
    await ctx.once('words', () => {
      ctx.log('error', `wordy ${of} effect`);
      ctx.progress(1);
    });
    for (let at = 0; at < reportCount; at++) ctx.log('error', `wordy ${of} word${at}`);
    const answer = await sample(ctx, `wordy ${of} one`);
    for (let at = 0; at < 3; at++) ctx.log('error', `wordy ${of} later${at}`);
    return answer;
  },
  huge: async (of, ctx) => await sample(ctx, `huge ${of} ${'.'.repeat(of % 2 === 0 ? 40_000 : 400_000)}`),
  hosted: async (of, ctx) => await sample(ctx, `hosted ${of} one`, { task: { ttlMs: 20_000 } }),
  // It asks something else whenever it runs.
  fickle: async (of, ctx) => await sample(ctx, `fickle ${of} ${Math.random()}`, { key: 'word' }),
  // It goes on while it waits, with an effect that takes its time, and with what it wants when its run may be over.
  restless: async (of, ctx) => {
    const effect = async (): Promise<string> => {
      await lasting(60);
      ctx.log('error', `restless ${of} effect`);
      return 'done';
    };
    ctx.once('effect', effect).catch(() => undefined);
    const late = async (): Promise<void> => {
      await lasting(150);
      await ctx.once('late', () => 'late');
    };
    late().catch(() => undefined);
    const another = async (): Promise<void> => {
      await lasting(150);
      await sample(ctx, `restless ${of} other`, { key: 'other' });
    };
    another().catch(() => undefined);
    return await sample(ctx, `restless ${of} one`);
  },
  // It goes on when its round is over, as the next one does: nobody ends it.
  talkative: async (of, ctx) => {
    const answer = sample(ctx, `talkative ${of} one`);
    answer.catch(() => undefined);
    for (let at = 1; at <= 3; at++) {
      await lasting(200);
      ctx.progress(at);
      ctx.log('error', `talkative ${of} word${at}`);
    }
    return await answer;
  },
  // It ends while somebody thinks about what it asked.
  breaking: async (of, ctx) => {
    sample(ctx, `breaking ${of} one`).catch(() => undefined);
    await lasting(600);
    throw new Error(`breaking ${of} breaks`);
  },
  // It wants a page visited first, each time.
  page: async (of, ctx) => {
    const url = `https://pages.example/${of}`;
    if (of % 2 === 0) throw urlElicitationRequired([{ message: `page ${of}`, url }]);
    const { action } = await ctx.elicitUrl({ message: `page ${of}`, url });
    return action;
  },
  // The client never said that it can.
  unasked: async (_, ctx) => JSON.stringify(await ctx.roots()),
};

/** Adds them to a server. */
export function addOddTools(server: Server, runs: (tool: string, of: number, ctx: ToolContext) => void): void {
  for (const tool of oddTools)
    server.tool(tool, { input: key }, async (given, ctx) => {
      runs(tool, given.key, ctx);
      return await handlers[tool](given.key, ctx);
    });
}
