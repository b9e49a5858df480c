/** One process of a service whose bars are measured: it says its URL, and does what it is told by messages of its parent. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { listen } from '../../../packages/parley/src/node.ts';
import { redis } from '../../../packages/parley/src/redis.ts';
import { createServer } from '../../../packages/parley/src/server.ts';
import type { NodeWish, NodeUsage } from './service.ts';

const { REDIS_URL, KEYS = '', RATE, AUTH } = process.env;
const keys = [KEYS];
const store = REDIS_URL === undefined ? undefined : redis(REDIS_URL, { name: 'bars', onWarning: () => {} });
await store?.check();

const requests = RATE === undefined ? undefined : (JSON.parse(RATE) as { perSecond: number; burst: number });
const server = createServer(
  { name: 'bars', version: '1.0.0' },
  {
    ...(store && { store }),
    rounds: { keys },
    ...(requests && { rateLimits: { requests } }),
    onWarning: () => {},
    onError: () => {},
    subscriptions: { listeners: 16_000 },
  },
);
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const say = (message: object): void => void process.send?.(message);

server.tool('echo', { input: text }, ({ text: said }) => `${String(said)} ${process.pid}`);

server.tool('ask', { input: text }, async ({ text: said }, ctx) => {
  const { content } = await ctx.elicit({ message: String(said), schema: text });
  return `${String(said)} ${String(content?.['text'])}`;
});

// Runs until it is given up, and says when it was.
server.tool('hold', { input: text }, async ({ text: said }, ctx) => {
  ctx.progress(1);
  await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
  say({ held: said, endedAt: Date.now() });
  return 'given up';
});

server.resource('note://1', { name: 'note' }, () => 'text');

const served = await listen(server, {
  port: 0,
  maxSessions: 100_000,
  maxStreamsPerPrincipal: 16_384,
  // All clients of a run have one address, which may take half.
  maxStreams: 32_768,
  health: { live: '/livez', ready: '/readyz' },
  ...(AUTH === undefined
    ? {}
    : { authenticate: (request) => ({ principal: request.header('authorization') ?? 'nobody' }) }),
  onError: () => {},
});

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let changes = 0;

const wishes: Readonly<Record<NodeWish, () => NodeUsage | undefined>> = {
  // A list of tools is another one each time.
  change: () => {
    const handle = server.tool(`made-${process.pid}-${++changes}`, {}, () => '');
    void handle;
    return undefined;
  },
  update: () => {
    server.resourceUpdated('note://1');
    return undefined;
  },
  usage: () => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    const found = { cpuMs: (user + system) / 1000, rss, heapUsed, lagP99: delay.percentile(99) / 1e6 };
    delay.reset();
    return found;
  },
  collect: () => {
    globalThis.gc?.();
    return undefined;
  },
};
process.on('message', ({ wish, id }: { wish: NodeWish; id: number }) => say({ id, found: wishes[wish]() ?? null }));
process.on('disconnect', () => process.exit());
say({ url: served.url });
