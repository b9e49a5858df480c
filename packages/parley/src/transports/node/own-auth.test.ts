/** `ctx.auth` is the request's own, on POST, GET, resumption, DELETE, the pair of HTTP+SSE and in a batch. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { meta } from '../../../../../test/support/stateless-call.ts';
import type { Authenticate } from '../http/server/exchanges/options.ts';
import { createServer } from '../../server/server.ts';
import {
  entries,
  type Entrance,
  type Entry,
  type Received,
  type Wire,
} from '../../../../../test/support/http-entries.ts';

/** Believes what `Authorization` says: a name, then scopes. */
const authenticate: Authenticate = (request) => {
  const [principal = '', ...scopes] = (request.header('authorization') ?? '').split(' ');
  return { principal, scopes };
};

function serve(t: TestContext, open: Entry): Promise<Entrance> {
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
  server.tool('who', {}, (_, { auth }) => auth?.scopes?.join(' ') ?? 'nobody');
  server.tool('later', {}, async (_, ctx) => {
    ctx.closeStream();
    await new Promise((resolve) => setImmediate(resolve));
    return ctx.auth?.scopes?.join(' ') ?? 'nobody';
  });
  const options = { authenticate, ssePair: { sse: '/sse', messages: '/messages' }, retryMs: 1 };
  const entrance = open(server, options);
  t.after(async () => (await entrance).close());
  return entrance;
}

function message(method: string, params: Record<string, unknown> = {}, id: number = 1): Record<string, unknown> {
  return { jsonrpc: '2.0', id, method, params };
}

const who = (id?: number): Record<string, unknown> => message('tools/call', { name: 'who' }, id);

/** What tools said, in whichever frame it came. */
function said({ text }: Received): string[] {
  return [...text.matchAll(/"text":"([^"]*)"/g)].map(([, words = '']) => words);
}

/** A session of `anna`, who may read and write when it begins. */
async function begin(entrance: Entrance, revision: string): Promise<(authorization: string, wire?: Wire) => Wire> {
  const initialize = message('initialize', {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  });
  const opened = await entrance.send({
    headers: { authorization: 'anna read write' },
    body: JSON.stringify(initialize),
  });
  const id = opened.headers['mcp-session-id'];
  assert.ok(id);
  return (authorization, { headers, ...wire } = {}) => ({
    ...wire,
    headers: { authorization, 'mcp-session-id': id, ...headers },
  });
}

for (const [name, open] of Object.entries(entries)) {
  describe(name, () => {
    test('a request in a session has its own scopes, be they fewer or more', async (t) => {
      const entrance = await serve(t, open);
      const as = await begin(entrance, '2025-11-25');
      for (const scopes of ['read', 'read write admin', '', 'read write']) {
        const answer = await entrance.send(as(`anna ${scopes}`.trim(), { body: JSON.stringify(who()) }));
        assert.deepEqual(said(answer), [scopes]);
      }
    });

    test('requests at the same time do not share theirs', async (t) => {
      const entrance = await serve(t, open);
      const as = await begin(entrance, '2025-11-25');
      const scopes = ['read', 'admin', 'write'];
      const answers = scopes.map((scope, id) =>
        entrance.send(as(`anna ${scope}`, { body: JSON.stringify(who(id + 1)) })),
      );
      assert.deepEqual((await Promise.all(answers)).flatMap(said), scopes);
    });

    test('a batch has the scopes of its POST', async (t) => {
      const entrance = await serve(t, open);
      const as = await begin(entrance, '2025-03-26');
      const answer = await entrance.send(as('anna read', { body: JSON.stringify([who(1), who(2)]) }));
      assert.deepEqual(said(answer), ['read', 'read']);
    });

    test('a stateless request has its own', async (t) => {
      const entrance = await serve(t, open);
      const headers = {
        authorization: 'anna read',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'who',
      };
      const body = JSON.stringify(message('tools/call', { name: 'who', _meta: meta() }));
      assert.deepEqual(said(await entrance.send({ headers, body })), ['read']);
    });

    test('a call whose answer is taken up by a GET keeps the scopes of its POST', async (t) => {
      const entrance = await serve(t, open);
      const as = await begin(entrance, '2025-11-25');
      const later = message('tools/call', { name: 'later' });
      const broken = await entrance.send(as('anna write', { body: JSON.stringify(later) }));
      const [, id = ''] = /^id: (.*)$/m.exec(broken.text) ?? [];
      const again = { method: 'GET', headers: { 'last-event-id': id } };
      assert.deepEqual(said(await entrance.send(as('anna read', again))), ['write']);
    });

    test('a session is nobody else’s on POST, GET, resumption and DELETE', async (t) => {
      const entrance = await serve(t, open);
      const as = await begin(entrance, '2025-11-25');
      const wires: readonly Wire[] = [
        { body: JSON.stringify(who()) },
        { method: 'GET' },
        { method: 'GET', headers: { 'last-event-id': 'x' } },
        { method: 'DELETE' },
      ];
      for (const wire of wires) assert.equal((await entrance.send(as('eve read write', wire))).status, 404);
      // Her own scopes are no reason to turn her away.
      const stream = await entrance.stream(as('anna', { method: 'GET' }));
      assert.equal(stream.status, 200);
      stream.leave();
      assert.equal((await entrance.send(as('anna', { method: 'DELETE' }))).status, 204);
    });

    test('a POST beside an event stream has its own scopes', async (t) => {
      const entrance = await serve(t, open);
      const stream = await entrance.stream({ path: '/sse', headers: { authorization: 'anna read write' } });
      t.after(() => stream.leave());
      const path = /^data: (\S+)$/m.exec(stream.first)?.[1] ?? '';
      const post = async (authorization: string, body: unknown): Promise<number> =>
        (await entrance.send({ path, headers: { authorization }, body: JSON.stringify(body) })).status;
      const initialize = message('initialize', {
        protocolVersion: '2025-03-26',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      });
      assert.equal(await post('anna read write', initialize), 202);
      assert.equal(await post('anna read', who(2)), 202);
      assert.equal(await post('anna admin', [who(3), who(4)]), 202);
      assert.equal(await post('eve admin', who(5)), 404);
      const heard = (text: string): string[] => said({ status: 200, headers: {}, text });
      const text = await stream.until((so) => heard(so).length === 3);
      assert.deepEqual(heard(text).toSorted(), ['admin', 'admin', 'read']);
    });
  });
}
