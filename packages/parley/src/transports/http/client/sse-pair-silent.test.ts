/** Servers over HTTP+SSE that stop answering while a client connects: it ends at its limit, wherever they stop. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../../../test/support/turns.ts';
import { connect, type ConnectOptions } from '../../../client.ts';
import { httpTransport } from './transport.ts';
import { ssePairTransport } from './sse-pair.ts';

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => void setImmediate(resolve));
}

/** Request after which nothing comes any more. */
const silences = ['the stream', 'its address', 'initialize', 'the answer to initialize'] as const;

type Silence = (typeof silences)[number];

/** Waits until the request is given up. */
const never = (signal: AbortSignal | null | undefined): Promise<Response> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))));

function silentFetch(silence: Silence, isFallback: boolean): typeof fetch {
  return async (input, init) => {
    const path = new URL(input instanceof Request ? input.url : input).pathname;
    if (init?.method === 'GET') {
      if (silence === 'the stream') return await never(init.signal);
      const address = silence === 'its address' ? ': nothing\n\n' : 'event: endpoint\ndata: /messages\n\n';
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode(address));
          init.signal?.addEventListener('abort', () => controller.error(new DOMException('', 'AbortError')));
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    }
    if (isFallback && path !== '/messages') return new Response('', { status: 404 });
    return silence === 'initialize' ? await never(init?.signal) : new Response('', { status: 202 });
  };
}

const limits: Readonly<Record<string, () => ConnectOptions & { readonly abort?: () => void }>> = {
  timeoutMs: () => ({ timeoutMs: 3_000 }),
  maxTotalTimeoutMs: () => ({ maxTotalTimeoutMs: 3_000 }),
  connectTimeoutMs: () => ({ connectTimeoutMs: 3_000 }),
  signal: () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 3_000);
    return { signal: controller.signal };
  },
};

for (const isFallback of [false, true])
  for (const [name, optionsOf] of Object.entries(limits))
    for (const silence of silences)
      test(`${isFallback ? 'a fallback to HTTP+SSE' : 'HTTP+SSE'} that waits for ${silence} ends at ${name}`, async (t) => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const fetch = silentFetch(silence, isFallback);
        const url = 'http://silent.example/sse';
        const way = isFallback ? httpTransport(url, { fetch }) : ssePairTransport(url, { fetch });
        let end: unknown;
        connect(way, { ...optionsOf(), onWarning: () => undefined }).then(
          () => (end = 'connected'),
          (error: unknown) => (end = error),
        );
        await settle();
        // The limits also count the real time since the call, which may be 100 ms on a busy machine.
        t.mock.timers.tick(2_000);
        await settle();
        assert.equal(end, undefined);
        t.mock.timers.tick(1_001);
        await until(() => end !== undefined);
        // An aborted signal rejects with its own reason.
        const { reason, name: kind } = Object(end) as { readonly reason?: string; readonly name: string };
        assert.equal(reason ?? kind, name === 'signal' ? 'AbortError' : 'timeout', String(end));
      });
