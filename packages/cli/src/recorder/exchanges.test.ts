import type { Fetch } from '../../../parley/src/jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Receiver, Transport } from '../../../parley/src/jsonrpc/transport.ts';
import type { RecordingEntry } from './entry.ts';
import { createLog } from './log.ts';
import { tapHttp } from './tap-http.ts';
import { tapLines } from './tap-lines.ts';

type Answer = () => Response | Promise<Response>;

const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}';
const answer = '{"jsonrpc":"2.0","id":1,"result":{}}';

const headersOf = (type: string): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: { 'Content-Type': type },
});
const json = (text: string, status = 200): Answer => {
  return () => new Response(text, { status, ...headersOf('application/json') });
};
const events = (text: string): Answer => {
  return () => new Response(text, headersOf('text/event-stream'));
};

/** Entries of exchanges, one after the other, of the same connection. */
async function exchanged(
  exchanges: readonly (readonly [body: string | undefined, answer: Answer])[],
  signal = new AbortController().signal,
): Promise<readonly RecordingEntry[]> {
  const log = createLog({ server: 'a', now: () => 0 });
  for (const [body, answers] of exchanges) {
    const fetch: Fetch = async () => answers();
    const asked = { method: 'POST', headers: {}, redirect: 'manual', signal, ...(body && { body }) } as const;
    try {
      const response = await tapHttp(fetch, { recorder: log, connection: 1 })('https://a.example/mcp', asked);
      const reader = response.body?.getReader();
      while ((await reader?.read())?.done === false);
    } catch {
      // What broke off is recorded.
    }
  }
  return log.since(0);
}

const failing: Answer = () => Promise.reject(new Error('connect ECONNREFUSED'));

describe('a request over HTTP whose exchange is over', () => {
  for (const [what, answers] of [
    ['nothing came', failing],
    ['no JSON came', () => new Response('<h1>Hello</h1>', headersOf('text/html'))],
    ['broken JSON came', json('{"jsonrpc":"2.0",')],
    ['an answer to another request came', json('{"jsonrpc":"2.0","id":999,"result":{}}')],
    ['an error of no request came', json('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}', 400)],
    ['it was taken without an answer', () => new Response(undefined, { status: 202 })],
    ['the server failed', () => new Response('Bad Gateway', { status: 502 })],
  ] as const)
    test(`has no answer where ${what}, and is told apart from one that waits`, async () => {
      const [request, came] = await exchanged([[call, answers]]);
      assert.deepEqual([request?.pair, request?.over, request?.ms], [undefined, 2, 0]);
      assert.deepEqual([came?.over, came?.sequence], [1, 2]);
    });

  test('has no answer where its stream ended before, until one comes in another exchange', async () => {
    const cut = events('id: 7\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n');
    const before = await exchanged([[call, cut]]);
    assert.deepEqual([before[0]?.over, before.at(-1)?.event?.type], [4, 'end']);
    const [request, , , , , , late] = await exchanged([
      [call, cut],
      [undefined, events(`data: ${answer}\n\n`)],
    ]);
    assert.deepEqual([request?.pair, request?.over, late?.pair], [late?.sequence, undefined, 1]);
  });

  test('was given up where whoever asked ended the exchange', async () => {
    const controller = new AbortController();
    const answers: Answer = () => {
      controller.abort();
      return failing();
    };
    const [request] = await exchanged([[call, answers]], controller.signal);
    assert.deepEqual([request?.over, request?.cancelled], [2, 2]);
  });

  test('has its answer where that came, and what asks nothing waits for none', async () => {
    const [request] = await exchanged([[call, json(answer)]]);
    assert.deepEqual([request?.pair, request?.over], [2, undefined]);
    const [streamed] = await exchanged([[call, events(`data: ${answer}\n\n`)]]);
    assert.deepEqual([streamed?.pair, streamed?.over], [3, undefined]);
    const [notice] = await exchanged([['{"jsonrpc":"2.0","method":"notifications/initialized"}', failing]]);
    assert.equal(notice?.over, undefined);
  });

  test('still waits where answers come on another stream, unless it was refused', async () => {
    const endpoint = events('event: endpoint\ndata: /messages\n\n');
    const taken: Answer = () => new Response('Accepted', { status: 202 });
    const over = async (answers: Answer): Promise<number | undefined> =>
      (
        await exchanged([
          [undefined, endpoint],
          [call, answers],
        ])
      ).find(({ method }) => method === 'tools/call')?.over;
    assert.equal(await over(taken), undefined);
    assert.equal(await over(() => new Response('gone', { status: 404 })), 6);
  });
});

describe('a line that is not JSON', () => {
  test('answers the request that it was to answer, as far as its ends say so', async () => {
    const log = createLog({ server: 'a', now: () => 0 });
    let receiver: Receiver | undefined;
    const inner: Transport = {
      description: 'inner',
      async open(given) {
        receiver = given;
        return { send: async () => {}, close: async () => {} };
      },
    };
    const nobody = { message: () => {}, problem: () => {}, closed: () => {} };
    const channel = await tapLines(log).listen(inner).open(nobody);
    for (const id of [1, 2, 3]) await channel.send({ jsonrpc: '2.0', id, method: 'tools/call' });
    const text = '{"jsonrpc":"2.0","id":1,"result":{"content":[NaN]}}';
    receiver?.line?.(text);
    receiver?.problem(new Error('no JSON'), { text, answered: 1 });
    // Of one that is longer than it may be, nothing else is known.
    receiver?.problem(new Error('too long'), { answered: 2 });
    receiver?.problem(new Error('no JSON'), { text: 'Listening', answered: undefined });
    const entries = log.since(0);
    assert.deepEqual(
      entries.map(({ pair }) => pair),
      [4, 5, undefined, 1, 2, undefined],
    );
    assert.deepEqual(
      entries.map(({ method }) => method),
      [...Array.from({ length: 5 }, () => 'tools/call'), undefined],
    );
  });
});
