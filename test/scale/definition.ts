/** What every process of the services of these tests offers. */

import type { ToolContext, Server } from '../../packages/parley/src/server.ts';

/** What happened in the handlers, wherever they ran, and what tells them to go on. */
export class World {
  /** The runs of each tool, by the process that ran it. */
  readonly runs: { readonly tool: string; readonly node: number }[] = [];
  readonly cancelled: string[] = [];
  readonly #gates = new Map<string, { readonly open: Promise<void>; readonly pass: () => void }>();
  #told: (() => void)[] = [];

  /** Lets a step pass, be it before or after somebody waits at it. */
  pass(step: string): void {
    this.#gate(step).pass();
  }

  async at(step: string): Promise<void> {
    await this.#gate(step).open;
  }

  /** Something happened. */
  note(what: () => void): void {
    what();
    for (const tell of this.#told.splice(0)) tell();
  }

  /** Resolves as soon as something is so. */
  async until(what: () => boolean): Promise<void> {
    while (!what()) await new Promise<void>((resolve) => this.#told.push(resolve));
  }

  #gate(step: string): { readonly open: Promise<void>; readonly pass: () => void } {
    const known = this.#gates.get(step);
    if (known !== undefined) return known;
    let pass = (): void => undefined;
    const gate = { open: new Promise<void>((resolve) => (pass = resolve)), pass: () => pass() };
    this.#gates.set(step, gate);
    return gate;
  }
}

const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** Makes the definition of one process. */
export function define(world: World): (server: Server, node: number) => void {
  return (server, node) => {
    const run =
      (tool: string, handler: (ctx: ToolContext) => Promise<string>) =>
      async (_: unknown, ctx: ToolContext): Promise<string> => {
        world.note(() => world.runs.push({ tool, node }));
        ctx.signal.addEventListener('abort', () => world.note(() => world.cancelled.push(tool)));
        return await handler(ctx);
      };
    server.tool(
      'where',
      {},
      run('where', async () => `node ${node}`),
    );
    server.tool(
      'ask',
      {},
      run('ask', async (ctx) => {
        if (ctx.revision < '2025-06-18') return `hello, ${(await ctx.roots())[0]?.name}`;
        const { content } = await ctx.elicit({ message: 'who is there?', schema: name });
        return `hello, ${content?.name}`;
      }),
    );
    server.tool(
      'steps',
      {},
      run('steps', async (ctx) => {
        for (let step = 1; step <= 3; step++) {
          await world.at(`step ${step}`);
          ctx.progress(step, 3);
        }
        await world.at('end');
        return 'done';
      }),
    );
    server.tool(
      'chatty',
      {},
      run('chatty', async (ctx) => {
        ctx.log('info', 'a detail');
        ctx.log('error', 'a failure');
        return 'said';
      }),
    );
    server.resource('note://1', { name: 'note' }, () => 'text');
    server.prompt('greet', {}, () => 'hello');
  };
}
