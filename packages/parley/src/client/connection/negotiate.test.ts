import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  newest,
  older,
  discovered,
  initialized,
  server,
  refusing,
  replying,
  failing,
  start,
  handshakeMethods,
} from '../../../../../test/support/negotiation.ts';
import { scriptedTransport, type Script } from '../../testing/scripted.ts';
import { IncompatibleError } from './incompatible.ts';

describe('a server that answers server/discover', () => {
  for (const kind of ['stdio', 'http', 'memory'] as const) {
    it(`is spoken to statelessly over ${kind} [C17] [C18] [stdio-017]`, async () => {
      const transport = scriptedTransport(kind, server(replying(discovered())));
      const agreement = await start(transport);
      assert.equal(agreement.revision.date, newest);
      assert.deepEqual(
        [agreement.server?.name, agreement.instructions, agreement.capabilities],
        ['stateless', 'ask', { tools: {} }],
      );
      assert.equal(agreement.negotiated.revision, newest);
      assert.deepEqual(transport.methods, ['server/discover']);
      assert.equal(transport.listens, 0);
    });
  }

  it('is asked with full metadata, and over HTTP with the headers [meta-007] [meta-008] [meta-009] [http-064]', async () => {
    const transport = scriptedTransport('http', server(replying(discovered())));
    await start(transport);
    assert.deepEqual(transport.sent[0]?.message, {
      jsonrpc: '2.0',
      id: 1,
      method: 'server/discover',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': newest,
          'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '3', title: 'Tester' },
          'io.modelcontextprotocol/clientCapabilities': { roots: {}, sampling: {} },
        },
      },
    });
    assert.deepEqual(transport.sent[0]?.headers, { 'MCP-Protocol-Version': newest, 'Mcp-Method': 'server/discover' });
  });

  it('of a draft may name itself at the top [C24]', async () => {
    const result = discovered([newest], { _meta: undefined, serverInfo: { name: 'draft', version: '0' } });
    const agreement = await start(scriptedTransport('stdio', server(replying(result))));
    assert.equal(agreement.server?.name, 'draft');
  });

  it('need not name itself', async () => {
    const agreement = await start(
      scriptedTransport('stdio', server(replying(discovered([newest], { _meta: undefined })))),
    );
    assert.equal(agreement.server, undefined);
  });

  it('with only older revisions in common is initialized with the newest of them [C18]', async () => {
    const transport = scriptedTransport(
      'stdio',
      server(replying(discovered(['2027-01-01', '2025-03-26', '2025-06-18'])), replying(initialized('2025-06-18'))),
    );
    const agreement = await start(transport);
    assert.equal(agreement.revision.date, '2025-06-18');
    assert.deepEqual(transport.methods, handshakeMethods);
    assert.equal(
      (transport.sent[1]?.message['params'] as { protocolVersion: unknown } | undefined)?.protocolVersion,
      '2025-06-18',
    );
  });

  it('with nothing in common is given up, and both sides are named [C21]', async () => {
    const transport = scriptedTransport('stdio', server(replying(discovered(['2027-01-01'])), refusing(-32601)));
    await assert.rejects(start(transport, { revisions: [older, newest] }), (error: unknown) => {
      assert.ok(error instanceof IncompatibleError);
      assert.deepEqual([error.reason, error.ours, error.theirs], ['incompatible', [older, newest], ['2027-01-01']]);
      assert.match(error.message, /2027-01-01.*2025-11-25, 2026-07-28/);
      return true;
    });
    assert.deepEqual(transport.closed, [1]);
  });
});

describe('a server whose list of versions has none of ours', () => {
  for (const versions of [[], ['2027-01-01']])
    it(`and is ${versions.length === 0 ? 'empty' : 'of others'} is asked by initialize, as official clients do`, async () => {
      const transport = scriptedTransport('stdio', server(replying(discovered(versions)), replying(initialized())));
      assert.equal((await start(transport)).revision.date, older);
      assert.deepEqual(transport.methods, handshakeMethods);
    });
});

describe('a server that names a stateless revision when it refuses initialize', () => {
  const refusal = refusing(-32022, { supported: [newest], requested: older }, 400);

  for (const kind of ['stdio', 'http'] as const) {
    it(`over ${kind} is asked again, since only its first answer said nothing of it`, async () => {
      let asked = 0;
      const discover: Script = (sent, peer) =>
        ++asked === 1 ? refusing(-32603)(sent, peer) : peer.reply(sent, discovered());
      const transport = scriptedTransport(kind, server(discover, refusal));
      assert.equal((await start(transport)).revision.date, newest);
      assert.deepEqual(transport.methods, ['server/discover', 'initialize', 'server/discover']);
    });
  }

  it('and never speaks it is given up', async () => {
    const transport = scriptedTransport('stdio', server(refusing(-32603), refusal));
    await assert.rejects(start(transport), { name: 'IncompatibleError', theirs: [newest] });
    assert.deepEqual(transport.methods, ['server/discover', 'initialize', 'server/discover']);
  });
});

describe('a server that rejects the revision of the probe', () => {
  it('is asked once more in one that it names [C20] [stdio-018] [versioning-002]', async () => {
    let asked = 0;
    const discover: Script = (sent, peer) =>
      ++asked === 1
        ? refusing(-32022, { supported: [newest], requested: 'x' })(sent, peer)
        : peer.reply(sent, discovered());
    const transport = scriptedTransport('http', server(discover));
    assert.equal((await start(transport)).revision.date, newest);
    assert.deepEqual(transport.methods, ['server/discover', 'server/discover']);
  });

  it('is not asked a third time', async () => {
    const transport = scriptedTransport('stdio', server(refusing(-32022, { supported: [newest], requested: newest })));
    await assert.rejects(start(transport), { reason: 'incompatible' });
    assert.deepEqual(transport.methods, ['server/discover', 'server/discover']);
  });

  for (const code of [-32022, -32004]) {
    it(`with ${code} and only older ones in common is initialized`, async () => {
      const transport = scriptedTransport(
        'stdio',
        server(refusing(code, { supported: ['2025-06-18'], requested: newest }), replying(initialized('2025-06-18'))),
      );
      assert.equal((await start(transport)).revision.date, '2025-06-18');
      assert.deepEqual(transport.methods, handshakeMethods);
    });
  }

  it('with a list of what are no revisions is initialized, as one that names none', async () => {
    const transport = scriptedTransport(
      'stdio',
      server(refusing(-32022, { supported: [1, 2] }), replying(initialized('2025-06-18'))),
    );
    assert.equal((await start(transport)).revision.date, '2025-06-18');
  });

  it('with nothing in common is given up [C21]', async () => {
    const transport = scriptedTransport(
      'http',
      server(refusing(-32022, { supported: ['2027-01-01'], requested: newest }, 400)),
    );
    await assert.rejects(start(transport), { name: 'IncompatibleError', theirs: ['2027-01-01'] });
    assert.deepEqual(transport.methods, ['server/discover']);
  });

  it('is recognised in the body of an HTTP refusal too [http-114]', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32022, message: 'no', data: { supported: ['2025-03-26'] } },
    });
    const transport = scriptedTransport(
      'http',
      server(failing('http', 'HTTP 400', { status: 400, body }), replying(initialized('2025-03-26'))),
    );
    assert.equal((await start(transport)).revision.date, '2025-03-26');
  });
});
