/** What failures of the way upstream hold is for who runs the bridge, not for its clients. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo, lineOver, serverAt } from '../../../../test/support/bridged.ts';
import { open } from '../../../../test/support/raw.ts';
import { createBridge } from '../bridge.ts';
import { httpTransport } from '../transports/http/client/transport.ts';
import { createHandler } from '../transports/http/server/fetch.ts';
import { ConnectionError, type Transport } from '../jsonrpc/transport.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { Server } from '../server/server.ts';
import { memoryTransport } from '../testing/memory-transport.ts';

const key = 'k-5ecret';
const url = `http://127.0.0.1/s/${key}/mcp`;

/** How a server fails that repeats what it was sent. */
const failures: Readonly<Record<string, { readonly answer: () => Response; readonly heard: string }>> = {
  'answers 500': {
    answer: () => new Response(`no such key: ${key}`, { status: 500 }),
    heard: 'the upstream server failed: the server answered with a failure (HTTP 500)',
  },
  'answers 401': {
    answer: () => new Response(`no such key: ${key}`, { status: 401 }),
    heard: 'the upstream server failed: the server refused the bridge (HTTP 401)',
  },
  'has no room': {
    answer: () => Response.json({ error: { message: `too many of ${key}` } }, { status: 503 }),
    heard: 'the upstream server has no room now',
  },
  redirects: {
    answer: () => new Response(null, { status: 307, headers: { location: `https://other.example/${key}` } }),
    heard: 'the upstream server failed: the server answered with a failure (HTTP 307)',
  },
  'answers with a page': {
    answer: () => new Response(`<title>${key}</title>`, { headers: { 'content-type': 'text/html' } }),
    heard: 'the upstream server failed: the server sent what cannot be read (HTTP 200)',
  },
  'answers with what is no JSON': {
    answer: () => new Response(`{${key}`, { headers: { 'content-type': 'application/json' } }),
    heard: 'the upstream server failed: the server sent what cannot be read (HTTP 200)',
  },
  'is not reached': {
    answer: () => {
      // As Node says it, so that nothing can have been sent.
      const cause = Object.assign(new Error(`no way to ${url}`), { code: 'ECONNREFUSED', syscall: 'connect' });
      throw new TypeError('fetch failed', { cause });
    },
    heard: 'the upstream server failed: the server cannot be reached',
  },
};

function withTool(date: RevisionDate): Server {
  const server = serverAt(date);
  server.tool('any', {}, () => 'done');
  return server;
}

function hasTold(warnings: readonly string[]): void {
  assert.ok(
    warnings.some((warning) => warning.includes(key)),
    warnings.join('\n'),
  );
}

for (const up of ['2025-06-18', '2026-07-28'] as const)
  for (const down of ['2025-06-18', '2026-07-28'] as const)
    for (const [what, { answer, heard }] of Object.entries(failures))
      it(`a server at ${up} that ${what} tells a client at ${down} no key of the bridge`, async (t) => {
        const handler = createHandler(withTool(up));
        const fetch = async (to: string, init: object): Promise<Response> =>
          'body' in init && String(init.body).includes('"tools/call"')
            ? answer()
            : await handler(new Request(to, init));
        const warnings: string[] = [];
        const raw = await open(await bridgeTo(t, httpTransport(url, { fetch }), { warnings }), down);
        const error = await raw.error('tools/call', { name: 'any' });
        assert.equal(error.message, heard);
        assert.ok(!JSON.stringify(error).includes(key));
        assert.ok(warnings.some((warning) => warning.startsWith('"tools/call" failed upstream: ')));
      });

/** A process that prints its key as it dies. */
function dying(up: RevisionDate): { readonly way: Transport; readonly die: () => void } {
  const line = lineOver(memoryTransport(withTool(up)));
  const said = new ConnectionError('exited', `the server exited with code 1: Error: no such key: ${key}`);
  let die = (): void => undefined;
  const way: Transport = {
    ownsProcess: true,
    description: `server --key ${key}`,
    open: async (receiver) => {
      die = () => {
        line.down = true;
        receiver.closed(said);
      };
      if (line.down) throw said;
      return await line.transport.open(receiver);
    },
  };
  return { way, die: () => die() };
}

for (const up of ['2025-06-18', '2026-07-28'] as const)
  it(`the last words of a process at ${up} reach no client, and whoever runs the bridge once`, async (t) => {
    const { way, die } = dying(up);
    const warnings: string[] = [];
    const raw = await open(await bridgeTo(t, way, { warnings }), '2026-07-28');
    die();
    for (let call = 0; call < 3; call++) {
      const error = await raw.error('tools/call', { name: 'any' });
      assert.ok(!JSON.stringify(error).includes(key), error.message);
    }
    hasTold(warnings);
    const told = warnings.filter((warning) => warning.startsWith('"tools/call" failed upstream: '));
    assert.equal(new Set(told).size, told.length);
  });

it('a front tells its clients which server is missing by its name alone, and its operator why', async (t) => {
  const { way, die } = dying('2025-06-18');
  await way.open({ message: () => undefined, closed: () => undefined, problem: () => undefined });
  die();
  const warnings: string[] = [];
  const bridge = await createBridge({
    upstreams: { there: { upstream: memoryTransport(serverAt('2026-07-28')) }, gone: { upstream: way } },
    onWarning: (warning) => void warnings.push(warning),
  });
  t.after(() => bridge.close());
  const raw = await open(bridge, '2026-07-28');
  const { message } = await raw.error('tools/call', { name: 'gone__any' });
  assert.equal(message, 'the upstream server "gone" cannot be reached: the server exited');
  hasTold(warnings);
  assert.ok(bridge.upstreams[1]?.failure?.includes(key));
});
