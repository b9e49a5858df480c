/** A server that says as much as it is told to, over stdio: notifications at a rate, a large result, and many tools. */

import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { createServer } from '../../packages/parley/src/server.ts';
import { serveStdio } from '../../packages/parley/src/stdio.ts';

const server = createServer({ name: 'talker', version: '1.0.0' }, { capabilities: { logging: {} } });

const rate = z.object({ count: z.int(), perSecond: z.int() });

server.tool('flood', { input: rate }, async ({ count, perSecond }, ctx) => {
  const began = performance.now();
  for (let at = 0; at < count;) {
    await wait(10);
    const due = Math.min(count, Math.floor(((performance.now() - began) * perSecond) / 1_000));
    for (; at < due; at += 1) ctx.log('info', `${at} ${'weather '.repeat(12)}`);
  }
  return `${count} in ${Math.round(performance.now() - began)} ms`;
});

server.tool('large', { input: z.object({ bytes: z.int() }) }, ({ bytes }) =>
  JSON.stringify(Array.from({ length: bytes / 100 }, (_, at) => ({ at, text: 'x'.repeat(80) }))),
);

for (let at = 0; at < 1_000; at += 1) server.tool(`tool_${at}`, { description: `Tool number ${at}.` }, () => 'x');

serveStdio(server);
