import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpTransport } from './transport.ts';

const ignore = (): void => undefined;

for (const status of [401, 403])
  test(`a server that refuses listening with ${status} on and on is asked each five minutes in the end`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const asked: number[] = [];
    const fetch = async (): Promise<Response> => {
      asked.push(Date.now());
      return new Response('', { status });
    };
    const transport = httpTransport('https://mcp.example/mcp', { fetch });
    const channel = await transport.open({ message: ignore, problem: ignore, closed: ignore });
    await channel.listen?.();
    while (asked.length < 14) {
      t.mock.timers.tick(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await channel.close();
    const pauses = asked.slice(1).map((time, at) => time - (asked[at] ?? 0));
    assert.deepEqual([pauses[0], ...pauses.slice(-3)], [2_000, 300_000, 300_000, 300_000]);
  });
