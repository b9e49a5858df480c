/** Requests that end in every way, and what was made for each of them, held weakly. */

import type { Client } from '../../packages/parley/src/client.ts';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';
import type { ToolContext } from '../../packages/parley/src/server/definition/tool-context.ts';
import { createServer, type Server, type ServerOptions } from '../../packages/parley/src/server.ts';
import { heldOf } from './collected.ts';
import { until } from './turns.ts';

/** A server, and everything that its requests made. */
export interface HeldScene {
  readonly server: Server;
  /** Options of its client. */
  readonly client: Pick<ConnectOptions, 'onElicit'>;
  /** Sends requests that end in every way, closes the client, and returns the names of what is still held of it all. */
  heldOf(open: () => Promise<Client>): Promise<readonly string[]>;
}

const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;

export interface HeldSceneOptions extends Pick<ServerOptions, 'revisions'> {
  /** Whether a call is given up while its client is asked; true by default. */
  readonly givesUpQuestions?: boolean;
}

export function heldScene({ givesUpQuestions = true, ...options }: HeldSceneOptions = {}): HeldScene {
  const server = createServer({ name: 'held', version: '1' }, { onError: () => undefined, ...options });
  const ofCalls = new Map<string, WeakRef<object>>();
  const ofClient = new Map<string, WeakRef<object>>();
  let running = 0;
  let asked = 0;
  const note = (name: string, ctx: ToolContext): void => {
    ofCalls.set(`the context of ${name}`, new WeakRef(ctx));
    ofCalls.set(`the signal of ${name}`, new WeakRef(ctx.signal));
    ofClient.set('the capabilities of the client', new WeakRef(ctx.client.capabilities));
  };
  const handlers: Readonly<Record<string, (ctx: ToolContext) => unknown>> = {
    result: (ctx) => ctx.progress(1),
    failure: () => {
      throw new Error('no');
    },
    wait: async ({ signal }) => {
      running++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      running--;
    },
    ask: (ctx) => ctx.elicit({ message: 'answer', schema }),
    'ask in vain': (ctx) => ctx.elicit({ message: 'silence', schema }),
  };
  for (const [name, handler] of Object.entries(handlers))
    server.tool(name.replaceAll(' ', '-'), {}, async (_, ctx) => {
      note(name, ctx);
      await handler(ctx);
      return 'done';
    });
  const aborted = async (client: Client, name: string, isThere: () => boolean): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    const call = client.callTool(name, {}, { signal }).catch(() => undefined);
    await until(isThere);
    controller.abort();
    await call;
  };
  const calls = async (client: Client): Promise<void> => {
    const options = { onProgress: () => undefined };
    for (const name of ['result', 'failure', 'ask', 'none'])
      await client.callTool(name, {}, options).catch(() => undefined);
    await aborted(client, 'wait', () => running === 1);
    await until(() => running === 0);
    if (!givesUpQuestions) return;
    await aborted(client, 'ask-in-vain', () => asked === 1);
    await until(() => asked === 0);
  };
  const used = async (client: Client): Promise<readonly string[]> => {
    // The first of all calls loads modules, and the engine may hold what it ran with.
    await calls(client);
    ofCalls.clear();
    await calls(client);
    const held = await heldOf(ofCalls);
    await client.close();
    return held;
  };
  return {
    server,
    client: {
      onElicit: async ({ message }, { signal }) => {
        if (message === 'answer') return { action: 'accept', content: { name: 'Ann' } };
        asked++;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        asked--;
        return 'cancel';
      },
    },
    async heldOf(open) {
      return [...(await used(await open())), ...(await heldOf(ofClient))];
    },
  };
}
