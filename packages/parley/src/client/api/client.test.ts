import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  connected,
  everything,
  handshake,
  replying,
  stateless,
  text,
} from '../../../../../test/support/connected-client.ts';
import { turns } from '../../../../../test/support/turns.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { scriptedTransport, type Script, type ScriptedTransport } from '../../testing/scripted.ts';
import type { Negotiated } from './negotiated.ts';
import { createConnect } from '../connect.ts';

describe('what a client knows of its server', () => {
  it('is there once it is connected [C23] [C48] [C55] [C57]', async () => {
    const { client } = await connected(undefined, { revision: handshake });
    assert.deepEqual(
      [client.revision, client.server, client.capabilities, client.description],
      [handshake, { name: 's', version: '1' }, everything, 'scripted stdio'],
    );
    assert.equal(client.instructions, undefined);
  });

  it('may come later with any stateless result [C56]', async () => {
    const one = await connected(
      replying({ ...text, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'late', version: '1' } } }),
    );
    assert.ok(!('name' in (one.client.server ?? {})));
    await one.client.callTool('x');
    assert.equal(one.client.server?.name, 'late');
  });
});

describe('notifications of a client', () => {
  it('are sent where the revision has them [C54]', async () => {
    const one = await connected(undefined, { revision: handshake });
    await one.client.notify('notifications/roots/list_changed');
    assert.deepEqual(one.transport.sent.at(-1)?.message, {
      jsonrpc: '2.0',
      method: 'notifications/roots/list_changed',
    });
    await one.client.notify('com.example/mine', { a: 1 });
    assert.deepEqual(one.transport.sent.at(-1)?.message, {
      jsonrpc: '2.0',
      method: 'com.example/mine',
      params: { a: 1 },
    });
  });

  it('are refused where it has not [C46]', async () => {
    const one = await connected();
    await assert.rejects(one.client.notify('notifications/roots/list_changed'), { kind: 'methodNotFound' });
  });
});

describe('the end of a connection', () => {
  it('from the other side is told once, and later requests reject at once, where it is not opened again', async () => {
    const ends: string[] = [];
    const one = await connected(undefined, {
      options: { reconnect: false, onClose: ({ reason }) => void ends.push(`option ${reason}`) },
    });
    one.client.onClose(({ reason }) => void ends.push(`listener ${reason}`));
    one.client.onClose(() => void ends.push('never'))();
    const pending = assert.rejects(one.client.callTool('x'), { reason: 'exited' });
    await turns();
    one.peer.end();
    await pending;
    assert.deepEqual(ends, ['option exited', 'listener exited']);
    assert.equal((await one.client.closed)?.reason, 'exited');
    await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
  });

  it('here rejects what waits and closes the transport; twice is fine [C14]', async () => {
    const one = await connected();
    const pending = assert.rejects(one.client.callTool('x'), { reason: 'closed' });
    await turns();
    await one.client.close();
    await one.client.close();
    await pending;
    assert.equal(await one.client.closed, undefined);
    await assert.rejects(one.client.listTools(), { reason: 'closed' });
    assert.equal(one.transport.closed.includes(1), true);
  });
});

describe('what was found out of a server', () => {
  it('is remembered by this process: a handshake server is not probed again, until that is old [versioning-009]', async () => {
    const script: Script = (sent, peer) => {
      if (sent.message['method'] === 'server/discover') peer.refuse(sent, { code: -32601, message: 'no' }, 404);
      if (sent.message['method'] === 'initialize')
        peer.reply(sent, { protocolVersion: handshake, capabilities: {}, serverInfo: { name: 's', version: '1' } });
    };
    const transports: ScriptedTransport[] = [];
    const http = () => {
      const transport = scriptedTransport('http', script, 'http://host/mcp');
      transports.push(transport);
      return transport;
    };
    const connect = createConnect({ http });
    for (const now of [0, 599_999, 1_199_999]) await (await connect('http://host/mcp', { now: () => now })).close();
    assert.deepEqual(
      transports.map(({ methods }) => methods[0]),
      ['server/discover', 'initialize', 'server/discover'],
    );
  });

  it('can be given, and the first answer that disproves it settles anew', async () => {
    const first = await connected(replying(text));
    const negotiated = JSON.parse(JSON.stringify(first.client.negotiated));
    const again = await connected(replying(text), { options: { negotiated: negotiated } });
    await again.client.callTool('x');
    assert.deepEqual(again.transport.methods, ['tools/call']);
    const changed = await connected(
      (sent, peer) =>
        'io.modelcontextprotocol/protocolVersion' in ((sent.message['params'] as { _meta?: object })._meta ?? {})
          ? peer.refuse(sent, { code: -32600, message: 'not initialized' })
          : peer.reply(sent, text),
      {
        revision: handshake,
        options: { negotiated: negotiated },
      },
    );
    assert.equal(changed.client.revision, stateless);
    assert.deepEqual((await changed.client.callTool('x')).content, text.content);
    assert.equal(changed.client.revision, handshake);
    assert.deepEqual(changed.transport.methods, [
      'tools/call',
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
  });

  it('stays when the first request fails for a reason of its own', async () => {
    const first = await connected();
    const again = await connected((sent, peer) => peer.refuse(sent, { code: -32602, message: 'unknown tool' }), {
      options: { negotiated: first.client.negotiated },
    });
    await assert.rejects(again.client.callTool('x'), { code: -32602 });
    assert.equal(again.client.revision, stateless);
  });
});

/** An upgraded server, at one address: it speaks both, and says what was asked first by each of those who connect. */
function upgraded(): { connect: ReturnType<typeof createConnect>; firsts: () => unknown[] } {
  const script: Script = (sent, peer) => {
    const { method, params } = sent.message;
    if (method === 'server/discover')
      peer.reply(sent, { supportedVersions: [stateless], capabilities: {}, ttlMs: 0, cacheScope: 'private' });
    if (method !== 'initialize') return;
    const { protocolVersion } = params as { readonly protocolVersion: string };
    peer.reply(sent, { protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } });
  };
  const transports: ScriptedTransport[] = [];
  const http = () => {
    const transport = scriptedTransport('http', script, 'http://host/mcp');
    transports.push(transport);
    return transport;
  };
  return { connect: createConnect({ http }), firsts: () => transports.map(({ methods }) => methods[0]) };
}

describe('what is known of a server from before it was asked', () => {
  const day = 24 * 60 * 60_000;

  it('is nothing where an older revision alone was allowed: others speak the newest', async () => {
    const { connect, firsts } = upgraded();
    const restricted = await connect('http://host/mcp', { revisions: ['2025-06-18'] });
    const [all, listed] = [
      await connect('http://host/mcp'),
      await connect('http://host/mcp', { revisions: [handshake, stateless] }),
    ];
    await connect('http://host/mcp', { revisions: ['2025-06-18'] });
    const after = await connect('http://host/mcp');
    const stored = await connect('http://host/mcp', { negotiated: restricted.negotiated });
    assert.deepEqual([restricted.revision, restricted.negotiated.unasked], ['2025-06-18', true]);
    assert.deepEqual(
      [all, listed, after, stored].map(({ revision }) => revision),
      Array(4).fill(stateless),
    );
    assert.equal(firsts().filter((first) => first === 'initialize').length, 2);
  });

  it('is not what somebody gave to another connection', async () => {
    const { connect } = upgraded();
    assert.equal((await connect('http://host/mcp', { negotiated: { revision: handshake } })).revision, handshake);
    assert.equal((await connect('http://host/mcp')).revision, stateless);
  });

  it('is believed for a day from when the server was asked, however often it is stored anew', async () => {
    const { connect } = upgraded();
    let negotiated: Negotiated = { revision: handshake, at: 1000 };
    for (const now of [1000, day / 2, day + 999]) {
      const client = await connect('http://host/mcp', { negotiated, now: () => now });
      assert.deepEqual([client.revision, client.negotiated], [handshake, { revision: handshake, at: 1000 }]);
      negotiated = client.negotiated;
    }
    const upgradedNow = await connect('http://host/mcp', { negotiated, now: () => day + 1000 });
    assert.deepEqual([upgradedNow.revision, upgradedNow.negotiated.at], [stateless, day + 1000]);
  });

  it('is old where its time is none, and new where it has none', async () => {
    const { connect } = upgraded();
    const revisionWith = async (at: unknown): Promise<string> =>
      // Stored findings are JSON that anybody may have written.
      (await connect('http://host/mcp', { negotiated: { revision: handshake, at } as Negotiated, now: () => day }))
        .revision;
    assert.equal(await revisionWith('yesterday'), stateless);
    assert.equal(await revisionWith(9 * day), stateless);
    const client = await connect('http://host/mcp', { negotiated: { revision: handshake }, now: () => day });
    assert.deepEqual(client.negotiated, { revision: handshake, at: day });
  });
});

describe('the target of connect', () => {
  it('is a transport or an HTTP URL', async () => {
    const seen: unknown[] = [];
    const http = (url: URL, options: object) => {
      seen.push([url.href, options]);
      throw new ConnectionError('refused', 'no');
    };
    const connect = createConnect<{ readonly headers?: object }>({ http });
    await assert.rejects(connect('https://host/mcp', { headers: { a: 'b' } }), { reason: 'refused' });
    await assert.rejects(connect(new URL('http://host/')), { reason: 'refused' });
    assert.deepEqual(seen, [
      ['https://host/mcp', { headers: { a: 'b' } }],
      ['http://host/', {}],
    ]);
    for (const bad of ['', 'no url', 'file:///x', 'npx server']) await assert.rejects(connect(bad), TypeError);
    await assert.rejects(connect('http://host/', { revisions: ['2020-01-01'] }), TypeError);
  });
});
