/** What clients seldom do, or had better not: it ends, however it does, and is in nobody's way. */

import type { Client } from '../../../packages/parley/src/client.ts';
import { maxMs } from './judge.ts';
import { maxWatched, newsUri } from './node.ts';
import { oddTools } from './odd-tools.ts';

/** Where it is done. */
export interface OddParts {
  readonly client: Client;
  /** A key of its own, which no other call has. */
  readonly key: number;
  /** True where somebody between may say that a message was taken which never arrived, and no client could see through it. */
  readonly isLiedTo: boolean;
  note(words: string): void;
}

type Odd = (parts: OddParts) => Promise<unknown>;

const later = async (ms: number): Promise<void> => await new Promise<void>((resolve) => void setTimeout(resolve, ms));

const echo = async (
  { client, key }: Pick<OddParts, 'client' | 'key'>,
  options: Parameters<Client['callTool']>[2],
): Promise<unknown> => await client.callTool('echo', { key }, options);

/** A call without any limit of time. Nobody but who makes it ends it where it was taken in name alone; everywhere else it ends by itself. */
const unlimited = async (parts: OddParts): Promise<unknown> => {
  const given = new AbortController();
  const timer = parts.isLiedTo ? setTimeout(() => given.abort('waited for long enough'), maxMs) : undefined;
  try {
    return await echo(parts, { timeoutMs: 0, maxTotalTimeoutMs: 0, signal: given.signal });
  } finally {
    clearTimeout(timer);
  }
};

/** What somebody hears who cannot bear it. */
const throwing = (): never => {
  throw new Error('this listener throws');
};

const deeds: readonly Odd[] = [
  async (parts) => await echo(parts, { signal: AbortSignal.abort('not wanted') }),
  async (parts) => await echo(parts, { timeoutMs: 5 }),
  async (parts) => await echo(parts, { timeoutMs: -1 }),
  async (parts) => await echo(parts, { maxTotalTimeoutMs: 8, timeoutMs: 0 }),
  async ({ client, key }) => {
    const options = { progressToken: `token-${key}`, timeoutMs: 20_000 };
    const call = async (): Promise<unknown> => await client.callTool('steps', { key }, options);
    return await Promise.allSettled([call(), call()]);
  },
  async ({ client, key }) =>
    await client.callTool('steps', { key }, { onProgress: throwing, timeoutMs: 20_000, maxTotalTimeoutMs: 0 }),
  async ({ client, key }) => {
    const given = new AbortController();
    const call = client.callTool('ask', { key }, { signal: given.signal });
    setTimeout(() => given.abort(), key % 700);
    return await call;
  },
  async ({ client, key }) => {
    const given = new AbortController();
    const subscribed = client.subscribe({ tools: true, updates: [`${newsUri}/part`] }, throwing, {
      signal: given.signal,
    });
    setTimeout(() => given.abort('enough'), key % 900);
    await subscribed;
    await later(3_000);
  },
  async ({ client }) => {
    const all = await client.subscribe({ tools: true, prompts: true, resources: true }, () => undefined);
    await later(4_000);
    await all.close();
  },
  async ({ client }) => await client.subscribe({ tools: true }, () => undefined, { signal: AbortSignal.abort() }),
  async ({ client }) => await client.subscribe({}, () => undefined),
  async ({ client }) => await client.subscribe({ tools: 5 } as never, () => undefined),
  async ({ client }) => await client.subscribe({ strange: true } as never, () => undefined),
  async ({ client }) => await client.subscribe({ updates: 'news' } as never, () => undefined),
  async ({ client }) => await client.subscribe({ tools: true }, 5 as never),
  async ({ client }) =>
    await client.subscribe(
      { updates: Array.from({ length: 5 * maxWatched }, (_, at) => `news://${at}`) },
      () => undefined,
    ),
  async ({ client }) => {
    const same = await Promise.all(
      Array.from({ length: 3 }, async () => await client.subscribe({ updates: [newsUri] }, () => undefined)),
    );
    for (const one of same) await one.close();
  },
  async ({ client }) => await client.ping(),
  async ({ client }) => await client.setLogLevel('warning'),
  async ({ client }) => await client.request('nothing/at-all', { _meta: { progressToken: 7 } }, { timeoutMs: 9_000 }),
  async ({ client }) => await client.notify('notifications/nothing', {}),
  async ({ client }) => await client.notifyRootsListChanged(),
  async ({ client }) => await client.readResource('news://nobodys'),
  async ({ client, key }) => await client.callTool('endless', { key }),
  async ({ client, key }) => await client.callTool('hand-page', { key }),
  unlimited,
  async ({ client }) => {
    const all = await client.subscribe(
      { prompts: true, resources: true, updates: [newsUri, 'news://nobodys'] },
      throwing,
    );
    await later(1_000);
    await Promise.all([all.close(), all.close()]);
  },
  async ({ client, key }) => {
    const given = new AbortController();
    const subscribed = client.subscribe({ updates: [newsUri] }, () => undefined, { signal: given.signal });
    given.abort('at once');
    await subscribed;
    await client.callTool('echo', { key });
  },
  async ({ client, key }) => {
    // All of it at once, the second for its own reasons over before the first.
    const given = new AbortController();
    const all = [echo({ client, key }, {}), client.listTools(), client.ping({ signal: given.signal })];
    given.abort(new Error('enough'));
    return await Promise.allSettled(all);
  },
  async ({ client }) => await client.request('tools/list', { cursor: 'nobodys' }),
];

/** Does one of them. */
export async function doOdd(parts: OddParts): Promise<void> {
  const { client, key } = parts;
  const at = key % (deeds.length + oddTools.length);
  const deed = deeds[at] ?? (async () => await client.callTool(oddTools[at - deeds.length] ?? 'echo', { key }));
  try {
    await deed(parts);
  } catch (error) {
    parts.note(`does something odd: ${String(error)}`);
  }
}
