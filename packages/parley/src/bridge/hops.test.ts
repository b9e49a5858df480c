/** What belongs to one hop stays on it, and what was found out of a server lasts no longer than the server. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeTo, clientOf, lineOver, serverAt } from '../../../../test/support/bridged.ts';
import { settle } from '../../../../test/support/raw.ts';
import { speaking, type HttpSpeaker } from '../../../../test/support/http-speaker.ts';
import { createBridge } from '../bridge.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { listen } from '../transports/node/server/http.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { Server } from '../server/server.ts';

const secrets = {
  Authorization: 'Bearer of-the-client',
  Cookie: 'session=of-the-client',
  'Last-Event-ID': 'of-the-client',
  'Mcp-Param-Own': 'of-the-client',
  'X-Own': 'of-the-client',
};

function serverOf(date: RevisionDate, word: string): Server {
  const server = serverAt(date);
  server.tool('say', {}, () => word);
  return server;
}

describe('headers of a client', () => {
  for (const up of ['2025-06-18', '2026-07-28'] as const)
    for (const down of ['2025-06-18', '2026-07-28'] as const)
      it(`never reach the server: client at ${down}, server at ${up}`, async (t) => {
        const heard: string[] = [];
        const sessions = new Set<string | undefined>();
        const behind = await listen(serverOf(up, 'hello'), {
          port: 0,
          drainTimeoutMs: 0,
          authenticate: (request) => {
            for (const name of Object.keys(secrets)) heard.push(request.header(name.toLowerCase()) ?? '');
            sessions.add(request.header('mcp-session-id'));
            return { principal: 'bridge' };
          },
        });
        t.after(() => behind.close());
        const bridge = await createBridge({ upstream: behind.url, onWarning: () => undefined });
        t.after(() => bridge.close());
        const front = await listen(bridge, { port: 0, drainTimeoutMs: 0 });
        t.after(() => front.close());
        const client: HttpSpeaker = await speaking(front.url, down, secrets);
        const answer = await client.request('tools/call', { name: 'say', arguments: {} });
        assert.match(answer, /hello/);
        assert.ok(heard.length > 0);
        assert.deepEqual(new Set(heard), new Set(['']));
        if (client.session !== undefined) assert.ok(!sessions.has(client.session));
      });
});

describe('a server that comes back as another', () => {
  for (const [before, after] of [
    ['2025-06-18', '2026-07-28'],
    ['2026-07-28', '2025-06-18'],
  ] as const)
    it(`is found out again: first at ${before}, then at ${after}`, async (t) => {
      let now = memoryTransport(serverOf(before, 'old'));
      const changing: Transport = { ...now, open: (receiver) => now.open(receiver) };
      const line = lineOver(changing);
      const bridge = await bridgeTo(t, line.transport);
      const clients = await Promise.all(
        (['2024-11-05', '2026-07-28'] as const).map((down) => clientOf(t, bridge, down)),
      );
      for (const client of clients) assert.match(JSON.stringify(await client.callTool('say')), /old/);
      now = memoryTransport(serverOf(after, 'new'));
      line.cut();
      await settle();
      for (const client of clients) assert.match(JSON.stringify(await client.callTool('say')), /new/);
      assert.equal(bridge.upstream.revision, after);
    });
});
