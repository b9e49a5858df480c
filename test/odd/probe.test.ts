/** Odd answers to the first question of a client, over HTTP; the server is right at `initialize`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreed, agrees } from './agreed.ts';
import { json, oddFetch, refusal, type Odd } from './odd-fetch.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { freshUrl, outcomes, peers, type Fetch, type Peer } from './peers.ts';

type Body = (id: unknown, status: number) => Response;

const statuses = [200, 202, 204, 400, 401, 403, 404, 405, 406, 409, 415, 422, 429, 500, 502, 503] as const;

/** A body: with 204 there is none, whatever it would be. */
const text =
  (body: string, type?: string): Body =>
  (_, status) =>
    new Response(status === 204 ? null : body, { status, headers: type === undefined ? {} : { 'content-type': type } });

const message =
  (made: (id: unknown) => object): Body =>
  (id, status) =>
    text(JSON.stringify(made(id)), 'application/json')(id, status);

const event: Body = (id, status) =>
  text(`data: ${JSON.stringify(refusal(id, -32601))}\n\n`, 'text/event-stream')(id, status);

const noAnswer = [200, 202, 204, 401, 403, 500, 502, 503];
const refused = [202, 204, 401, 403, 500, 502, 503];

/**
 * Statuses with which each client does not connect: 2.4.0 keys its fallback to the status. 1.32.2 does not ask, and always
 * connects. Parley is nowhere stricter than both: a row where it is must say why.
 */
const rows: readonly (Readonly<Record<Peer, readonly number[]>> & { readonly title: string; readonly body: Body })[] = [
  { title: 'nothing', body: text(''), '1.32.2': [], '2.4.0': noAnswer, parley: [] },
  { title: 'a text', body: text('no', 'text/plain'), '1.32.2': [], '2.4.0': noAnswer, parley: [] },
  { title: 'a page', body: text('<title>x</title>', 'text/html'), '1.32.2': [], '2.4.0': noAnswer, parley: [] },
  {
    title: 'an unknown method',
    body: message((id) => refusal(id, -32601)),
    '1.32.2': [],
    '2.4.0': refused,
    parley: [],
  },
  {
    title: 'an error, id null',
    body: message(() => refusal(null, -32601)),
    '1.32.2': [],
    '2.4.0': noAnswer,
    parley: [],
  },
  { title: 'a server error', body: message((id) => refusal(id, -32000)), '1.32.2': [], '2.4.0': refused, parley: [] },
  { title: 'other JSON', body: message(() => ({ detail: 'no' })), '1.32.2': [], '2.4.0': noAnswer, parley: [] },
  {
    title: 'another result',
    body: message((id) => ({ jsonrpc: '2.0', id, result: {} })),
    '1.32.2': [],
    '2.4.0': refused,
    parley: [],
  },
  { title: 'an event', body: event, '1.32.2': [], '2.4.0': refused, parley: [] },
  {
    title: 'a stream without an event',
    body: text('', 'text/event-stream'),
    '1.32.2': [],
    '2.4.0': noAnswer,
    parley: [],
  },
];

const probedWith = (probe: (id: unknown) => Response): Fetch =>
  oddFetch(({ method, id }) => (method === 'server/discover' ? probe(id) : undefined));

const listed = async (user: { listTools(): Promise<readonly { readonly name: string }[]> }): Promise<string> =>
  (await user.listTools()).map(({ name }) => name).join();

for (const { title, body, ...columns } of rows) {
  test(`the probe is answered with ${title}`, async () => {
    const failed: Record<Peer, number[]> = { '1.32.2': [], '2.4.0': [], parley: [] };
    await Promise.all(
      statuses.map(async (status) => {
        const made = await outcomes({ fetch: probedWith((id) => body(id, status)) }, listed);
        for (const peer of peers) if (made[peer] !== 'odd') failed[peer].push(status);
      }),
    );
    for (const peer of peers)
      assert.deepEqual(
        failed[peer].toSorted((a, b) => a - b),
        columns[peer],
        peer,
      );
  });

  test(`the probe is answered with ${title}: explain, connect, call and bridge agree`, async () => {
    for (const status of statuses) {
      const made = await agreed({ fetch: probedWith((id) => body(id, status)) });
      assert.ok(agrees(made) && made.connect.called === 'done', `${status}: ${JSON.stringify(made)}`);
    }
  });
}

test('Parley takes each answer to the probe that either official client takes', () => {
  for (const { title, parley, '1.32.2': older, '2.4.0': newer } of rows)
    assert.deepEqual(
      parley.filter((status) => !older.includes(status) || !newer.includes(status)),
      [],
      title,
    );
});

const challenge = { 'www-authenticate': 'Bearer' };

test('a challenge wins over initialize, whether the error is an answer or not', async () => {
  for (const body of [refusal(1, -32601), { error: 'invalid_token' }]) {
    const odd: Odd = ({ method }) => (method === 'server/discover' ? json(body, 401, challenge) : undefined);
    const made = await outcomes({ fetch: oddFetch(odd) }, listed);
    // SDK 1.32.2 has no probe. Parley is as strict as 2.4.0: who is to sign in would otherwise get an older version.
    assert.deepEqual([made['1.32.2'], made['2.4.0'], made.parley], ['odd', 'fails', 'fails']);
  }
});

/** Servers that refuse a revision in place of naming another. */
const strict: readonly (readonly [title: string, refuse: (id: unknown) => Response])[] = [
  ['-32602', (id) => json(refusal(id, -32602, 'Unsupported protocol version'))],
  ['-32602 and 400', (id) => json(refusal(id, -32602, 'Unsupported protocol version'), 400)],
  ['400 and a text', () => new Response('unsupported version', { status: 400 })],
];
for (const [title, refuse] of strict)
  test(`a server that refuses a newer revision with ${title} is spoken to in its own`, async () => {
    const fetch = oddFetch(({ method, id, params }) => {
      if (method === 'server/discover') return json(refusal(id, -32601));
      if (method !== 'initialize') return undefined;
      const isOlder = Object(params)['protocolVersion'] === '2025-03-26';
      return isOlder
        ? { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } }
        : refuse(id);
    });
    const { error: _, ...made } = await outcomes({ fetch }, listed);
    assert.deepEqual(made, { '1.32.2': 'fails', '2.4.0': 'fails', parley: 'odd', warnings: [] });
    const all = await agreed({ fetch });
    assert.ok(agrees(all) && all.connect.called === 'done', JSON.stringify(all));
  });

/** Ways to be silent: no response, and headers without a body. */
const silences: readonly (readonly [title: string, silence: (signal: AbortSignal) => Promise<Response> | Response])[] =
  [
    [
      'no response',
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    ],
    ...(['application/json', 'text/event-stream'] as const).map(
      (type) =>
        [`headers of ${type} alone`, () => new Response(endless(), { headers: { 'content-type': type } })] as const,
    ),
  ];

/** A body of which nothing comes. */
function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: () => new Promise(() => {}) });
}

for (const [title, silence] of silences)
  test(`a probe that gets ${title} leads to initialize`, async () => {
    const right = oddFetch(() => undefined);
    const fetch: Fetch = async (url, init) => {
      const request = new Request(url, init);
      const isProbe = request.method === 'POST' && Object(await request.json())['method'] === 'server/discover';
      return isProbe ? await silence(request.signal) : await right(url, init);
    };
    const warnings: string[] = [];
    const client = await connect(httpTransport(freshUrl(), { fetch }), {
      probeTimeoutMs: 1,
      onWarning: (warning) => warnings.push(warning),
    });
    assert.deepEqual([client.revision, (await client.listTools()).length, warnings.length], ['2025-11-25', 1, 1]);
    await client.close();
  });
