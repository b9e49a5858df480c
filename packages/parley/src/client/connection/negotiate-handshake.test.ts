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
  silent,
  start,
  handshakeMethods,
} from '../../../../../test/support/negotiation.ts';
import { scriptedTransport, type Script, type ScriptedKind } from '../../testing/scripted.ts';

interface Row {
  readonly title: string;
  readonly kind: ScriptedKind;
  readonly discover: Script;
}

describe('a server that wants initialize', () => {
  const rows: readonly Row[] = [
    ...[-32601, -32602, -32600, -32603, -32000, -32020, -32022, -32099, 0].map((code): Row => ({
      title: `answers the probe with ${code} on stdio [C19] [stdio-019]`,
      kind: 'stdio',
      discover: refusing(code),
    })),
    { title: 'answers the probe with a malformed result on stdio', kind: 'stdio', discover: replying({ hello: 1 }) },
    {
      title: 'answers the probe with input_required on stdio',
      kind: 'stdio',
      discover: replying({ ...discovered(), resultType: 'input_required' }),
    },
    {
      title: 'answers the probe with no result at all on stdio',
      kind: 'stdio',
      discover: ({ message }, peer) => peer.send({ jsonrpc: '2.0', id: message['id'], result: 'x' }),
    },
    {
      title: 'answers the probe without an id on stdio',
      kind: 'stdio',
      discover: (_, peer) => peer.send({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'x' } }),
    },
    { title: 'answers 400 with an unknown error over HTTP', kind: 'http', discover: refusing(-32000, undefined, 400) },
    {
      title: 'answers 404 with "method not found" over HTTP',
      kind: 'http',
      discover: refusing(-32601, undefined, 404),
    },
    {
      title: 'answers 200 with "method not found" over HTTP',
      kind: 'http',
      discover: refusing(-32601, undefined, 200),
    },
    { title: 'answers 200 with a header mismatch over HTTP', kind: 'http', discover: refusing(-32020, undefined, 200) },
    {
      title: 'answers 400 with an empty body over HTTP',
      kind: 'http',
      discover: failing('http', 'HTTP 400', { status: 400, body: '' }),
    },
    {
      title: 'answers 405 with text over HTTP',
      kind: 'http',
      discover: failing('http', 'HTTP 405', { status: 405, body: 'no' }),
    },
    { title: 'answers with a page over HTTP', kind: 'http', discover: failing('invalid-message', 'text/html') },
    { title: 'answers with a malformed result over HTTP', kind: 'http', discover: replying({ tools: [] }) },
  ];
  for (const { title, kind, discover } of rows) {
    it(`${title}`, async () => {
      const transport = scriptedTransport(kind, server(discover));
      const agreement = await start(transport);
      assert.equal(agreement.revision.date, older);
      assert.deepEqual(
        [agreement.server?.name, agreement.instructions, agreement.negotiated],
        ['handshake', 'shake', { revision: older, at: 1234 }],
      );
      assert.deepEqual(transport.methods, handshakeMethods);
      assert.deepEqual(transport.peers.length, 1);
    });
  }

  it('is initialized in its own words, and told that the client is ready [C37] [lifecycle-002] [lifecycle-004]', async () => {
    const transport = scriptedTransport('http', server(refusing(-32601), replying(initialized('2025-06-18'))));
    const agreement = await start(transport, { revisions: ['2025-06-18', newest] });
    assert.equal(agreement.revision.date, '2025-06-18');
    assert.deepEqual(
      transport.sent.slice(1).map(({ message, headers }) => ({ message, headers })),
      [
        {
          message: {
            jsonrpc: '2.0',
            id: 2,
            method: 'initialize',
            params: {
              protocolVersion: '2025-06-18',
              capabilities: { roots: { listChanged: true }, sampling: {} },
              clientInfo: { name: 'tester', version: '3', title: 'Tester' },
            },
          },
          headers: {},
        },
        { message: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers: {} },
      ],
    );
  });

  const headerRows = [
    ['2024-11-05', undefined],
    ['2025-03-26', undefined],
    ['2025-06-18', { 'MCP-Protocol-Version': '2025-06-18' }],
    ['2025-11-25', { 'MCP-Protocol-Version': '2025-11-25' }],
  ] as const;
  for (const [date, headers] of headerRows) {
    it(`gets the version header afterwards only where ${date} has it [C34] [lifecycle-017] [http-050]`, async () => {
      const transport = scriptedTransport('http', server(silent, replying(initialized(date))));
      await start(transport, { revisions: [date] });
      assert.deepEqual(transport.headers, headers);
      assert.equal(transport.listens, 1);
      assert.deepEqual(transport.methods, ['initialize', 'notifications/initialized']);
    });
  }

  it('may answer with an older revision that is spoken here [lifecycle-010]', async () => {
    const agreement = await start(
      scriptedTransport('stdio', server(refusing(-32601), replying(initialized('2024-11-05')))),
    );
    assert.equal(agreement.revision.date, '2024-11-05');
  });

  for (const answer of ['2023-01-01', '2024-11-05', newest, 7, undefined]) {
    it(`is left when it chooses ${answer} and that may not be used [C37] [lifecycle-015] [lifecycle-016]`, async () => {
      const transport = scriptedTransport(
        'stdio',
        server(refusing(-32601), replying({ ...initialized(), protocolVersion: answer })),
      );
      await assert.rejects(start(transport, { revisions: [older, newest] }), {
        name: 'IncompatibleError',
        theirs: [String(answer)],
      });
      assert.deepEqual(transport.methods, ['server/discover', 'initialize']);
      assert.deepEqual(new Set(transport.closed), new Set([1]));
    });
  }

  it('is left when it chooses an object that has no text', async () => {
    const transport = scriptedTransport(
      'stdio',
      server(refusing(-32601), replying({ ...initialized(), protocolVersion: { toString: 1 } })),
    );
    await assert.rejects(start(transport), { name: 'IncompatibleError', theirs: ['an object'] });
  });

  it('that answers initialize with nonsense is an error that names the place', async () => {
    const transport = scriptedTransport(
      'stdio',
      server(refusing(-32601), replying({ protocolVersion: older, capabilities: {} })),
    );
    await assert.rejects(start(transport), { reason: 'invalid-message', message: /serverInfo/ });
    assert.deepEqual(transport.closed, [1]);
  });

  it('cannot serve a client that is stateless only; nothing else is sent [versioning-008]', async () => {
    const transport = scriptedTransport('stdio', server(refusing(-32601)));
    await assert.rejects(start(transport, { revisions: [newest] }), {
      name: 'IncompatibleError',
      ours: [newest],
      theirs: undefined,
    });
    assert.deepEqual(transport.methods, ['server/discover']);
  });

  it('and refuses it in every revision, in a fresh process too, is an error with its words', async () => {
    const transport = scriptedTransport('stdio', server(refusing(-32601), refusing(-32000, undefined)));
    await assert.rejects(start(transport), { name: 'McpError', code: -32000 });
    const offered = transport.sent.map(({ message, conversation }) => [
      conversation,
      Object(message['params'])['protocolVersion'],
    ]);
    assert.deepEqual(offered, [
      [1, undefined],
      [1, older],
      [2, older],
      [2, '2025-06-18'],
      [2, '2025-03-26'],
      [2, '2024-11-05'],
    ]);
    assert.deepEqual(transport.closed, [1, 2]);
  });
});
