/** How a conversation opens: parts 1.3 and 1.4 of the behaviours. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, httpTransport, type Client } from '../../packages/parley/src/client.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { newestRevision, revisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { memoryTransport, scriptedTransport } from '../../packages/parley/src/testing.ts';
import { handshakeDates, initializeParams, Raw, statelessDate } from '../support/raw.ts';
import { connectScripted, opening, replying } from '../support/scripted-client.ts';
import { turns } from '../support/turns.ts';

const bare = { name: 'bare', version: '1' };

describe('the opening of a client', () => {
  for (const date of handshakeDates) {
    test(`sends nothing before initialize is answered at ${date} [lifecycle-005]`, async () => {
      const transport = scriptedTransport('stdio', () => {});
      let client: Client | undefined;
      const opened = connect(transport, { revisions: [date] }).then((one) => (client = one));
      await turns();
      assert.deepEqual([transport.methods, client], [['initialize'], undefined]);
      const [sent] = transport.sent;
      assert.ok(sent);
      transport.peers[0]?.reply(sent, { protocolVersion: date, capabilities: {}, serverInfo: bare });
      await opened;
      assert.deepEqual(transport.methods, ['initialize', 'notifications/initialized']);
    });

    test(`names ${date} when that is the newest with a handshake that it speaks [lifecycle-011] [C23]`, async () => {
      const spoken = [...handshakeDates.filter((one) => one <= date), statelessDate];
      const { client, transport } = await connectScripted(replying({}), { date, connect: { revisions: spoken } });
      const initialize = transport.sent.find(({ message }) => message['method'] === 'initialize');
      assert.partialDeepStrictEqual(initialize?.message['params'], { protocolVersion: date });
      assert.equal(client.revision, date);
    });
  }

  for (const { date, era } of revisions) {
    test(`on stdio begins with server/discover before a server of ${date} [versioning-007] [stdio-020]`, async () => {
      const { client, transport } = await connectScripted(replying({}), { date });
      assert.equal(transport.methods[0], 'server/discover');
      assert.equal(transport.methods.includes('initialize'), era === 'handshake');
      assert.equal(client.revision, date);
    });

    test(`is all that is needed of a server at ${date} [basic-003] [basic-004] [E12]`, async () => {
      const capabilities = { 'com.example': { unknown: true } };
      const { client } = await connectScripted(replying({}), { date, capabilities });
      assert.deepEqual(client.capabilities, capabilities);
      assert.deepEqual(
        [await client.listTools(), await client.listPrompts(), await client.listResources()],
        [[], [], []],
      );
      await client.ping();
    });

    test(`is all that is needed of a client at ${date} [basic-003] [basic-004] [D30]`, async () => {
      const client = await connect(memoryTransport(createServer(bare, { logging: false })), { revisions: [date] });
      assert.deepEqual([client.revision, client.capabilities], [date, {}]);
      await client.ping();
      await client.close();
    });
  }

  test('may be played over a transport that says what was sent [C01] [C72]', async () => {
    const own = scriptedTransport('memory', opening(replying({ content: [] }), { date: statelessDate }));
    const client = await connect(own);
    await client.callTool('x');
    assert.deepEqual(own.methods, ['server/discover', 'tools/call']);
    const byUrl = httpTransport('https://host.example/mcp?key=secret', {
      fetch: () => Promise.reject(new Error('no')),
    });
    assert.deepEqual([byUrl.carriesHeaders, byUrl.description], [true, 'https://host.example/mcp']);
    await assert.rejects(connect(byUrl), { reason: 'closed' });
  });
});

describe('the opening of a server', () => {
  for (const date of handshakeDates) {
    test(`takes ${date} as it was asked for [D03] [D39] [D22]`, async () => {
      const raw = new Raw(createServer(bare), false);
      const result = await raw.result('initialize', initializeParams(date));
      assert.equal(result['protocolVersion'], date);
    });
  }

  test('offers another version to who asks for one that nobody speaks, and serves it then [D22]', async () => {
    const raw = new Raw(createServer(bare), false);
    for (const asked of ['2099-01-01', '2024-01-01', 'draft']) {
      const one = new Raw(createServer(bare), false);
      assert.equal((await one.result('initialize', initializeParams(asked)))['protocolVersion'], handshakeDates.at(-1));
    }
    assert.equal((await raw.error('tools/list')).code, -32600);
    await raw.result('initialize', initializeParams('2099-01-01'));
    await raw.result('ping');
  });

  test('knows every revision, not one alone [D39]', async () => {
    const served = createServer(bare);
    const spoken: RevisionDate[] = [];
    for (const { date } of revisions) {
      const client = await connect(memoryTransport(served), { revisions: [date] });
      spoken.push(client.revision);
      await client.close();
    }
    assert.deepEqual(
      spoken,
      revisions.map(({ date }) => date),
    );
    assert.equal(newestRevision.date, spoken.at(-1));
  });

  test('refuses what comes too early or twice with -32600, and bad parameters with -32602 [D28]', async () => {
    for (const date of handshakeDates) {
      const raw = new Raw(createServer(bare), false);
      const codes = [(await raw.error('tools/list')).code, (await raw.error('initialize', {})).code];
      await raw.result('initialize', initializeParams(date));
      codes.push((await raw.error('initialize', initializeParams(date))).code);
      assert.deepEqual(codes, [-32600, -32602, -32600]);
    }
  });

  test('at a stateless revision refuses a version at once, and says which there are [D36]', async () => {
    const raw = new Raw(createServer(bare, { revisions: ['2025-11-25', statelessDate] }), true, {
      meta: { [metaKey.protocolVersion]: '2099-01-01' },
    });
    const { code, data } = await raw.error('tools/list');
    assert.equal(code, -32022);
    assert.partialDeepStrictEqual(data, { requested: '2099-01-01' });
    assert.deepEqual(new Set((data as { readonly supported: string[] }).supported).has(statelessDate), true);
  });
});
