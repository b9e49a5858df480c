import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { ConnectionError, type TransportKind } from '../jsonrpc/transport.ts';
import { chosenRevisions } from '../protocol/revision.ts';
import {
  scriptedTransport,
  type Script,
  type ScriptedPeer,
  type ScriptedTransport,
  type SentMessage,
} from '../testing/scripted.ts';
import type { Inbound } from './calls.ts';
import { IncompatibleError } from './incompatible.ts';
import { negotiate, type Agreement, type NegotiateOptions, type Verdict } from './negotiate.ts';

const newest = '2026-07-28';
const older = '2025-11-25';
const quiet: Inbound = { request() {}, notification() {}, warning() {}, closed() {} };

const discovered = (versions: readonly string[] = [newest], more: object = {}) => ({
  resultType: 'complete',
  supportedVersions: versions,
  capabilities: { tools: {} },
  instructions: 'ask',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'stateless', version: '1' } },
  ...more,
});
const initialized = (protocolVersion: unknown = older) => ({
  protocolVersion,
  capabilities: { prompts: {} },
  serverInfo: { name: 'handshake', version: '2' },
  instructions: 'shake',
});

/** Plays a server: what it does with `server/discover` and with `initialize`; other messages are taken in silence. */
function server(discover: Script, initialize: Script = (sent, peer) => peer.reply(sent, initialized())): Script {
  return (sent, peer) => {
    if (sent.message['method'] === 'server/discover') return discover(sent, peer);
    if (sent.message['method'] === 'initialize') return initialize(sent, peer);
  };
}

const refusing =
  (code: number, data?: unknown, status?: number): Script =>
  (sent, peer) =>
    peer.refuse(sent, data === undefined ? { code, message: 'no' } : { code, message: 'no', data }, status);
const replying =
  (result: Readonly<Record<string, unknown>>): Script =>
  (sent, peer) =>
    peer.reply(sent, result);
const failing =
  (...failure: ConstructorParameters<typeof ConnectionError>): Script =>
  (_, peer) =>
    peer.fail(new ConnectionError(...failure));
const silent: Script = () => new Promise(() => {});

function start(
  transport: ScriptedTransport,
  options: { revisions?: readonly string[]; prior?: Verdict; signal?: AbortSignal } = {},
): Promise<Agreement> {
  const full: NegotiateOptions = {
    transport,
    revisions: chosenRevisions(options.revisions),
    self: () => ({
      info: { name: 'tester', version: '3', title: 'Tester' },
      capabilities: { roots: { listChanged: true }, sampling: {} },
    }),
    inbound: quiet,
    prior: options.prior,
    probeTimeoutMs: 2000,
    timeoutMs: 60_000,
    signal: options.signal,
    now: () => 1234,
  };
  return negotiate(full);
}

async function turns(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

const handshakeMethods = ['server/discover', 'initialize', 'notifications/initialized'];

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
      assert.equal(agreement.verdict.revision, newest);
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
    const transport = scriptedTransport('stdio', server(replying(discovered(['2027-01-01']))));
    await assert.rejects(start(transport, { revisions: [older, newest] }), (error: unknown) => {
      assert.ok(error instanceof IncompatibleError);
      assert.deepEqual([error.reason, error.ours, error.theirs], ['incompatible', [older, newest], ['2027-01-01']]);
      assert.match(error.message, /2027-01-01.*2025-11-25, 2026-07-28/);
      return true;
    });
    assert.deepEqual(transport.closed, [1]);
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

interface Row {
  readonly title: string;
  readonly kind: TransportKind;
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
        [agreement.server?.name, agreement.instructions, agreement.verdict],
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

  it('and refuses it is an error with its words', async () => {
    const transport = scriptedTransport('stdio', server(refusing(-32601), refusing(-32000, undefined)));
    await assert.rejects(start(transport), { name: 'McpError', code: -32000 });
    assert.deepEqual(transport.closed, [1]);
  });
});

describe('a server on stdio', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('that exits on the probe is started again and initialized', async () => {
    const discover: Script = (_, peer) => peer.end();
    const transport = scriptedTransport('stdio', server(discover));
    const agreement = await start(transport);
    assert.equal(agreement.revision.date, older);
    assert.deepEqual(
      transport.sent.map(({ message, conversation }) => [message['method'], conversation]),
      [
        ['server/discover', 1],
        ['initialize', 2],
        ['notifications/initialized', 2],
      ],
    );
  });

  it('that answers the probe and exits on what follows is started again as well', async () => {
    let first = true;
    const initialize: Script = (sent, peer) => {
      if (!first) return peer.reply(sent, initialized());
      first = false;
      peer.end();
    };
    const transport = scriptedTransport('stdio', server(refusing(-32601), initialize));
    assert.equal((await start(transport)).revision.date, older);
    assert.equal(transport.peers.length, 2);
  });

  it('that exits again and again is an error', async () => {
    const transport = scriptedTransport('stdio', (_, peer) => peer.end());
    await assert.rejects(start(transport), { reason: 'exited' });
    assert.ok(transport.peers.length <= 3);
  });

  it('that stays silent is initialized after the probe timeout, and a late answer is ignored', async () => {
    let probe: SentMessage | undefined;
    const discover: Script = (sent) => void (probe = sent);
    const initialize: Script = (sent, peer: ScriptedPeer) => {
      assert.ok(probe);
      peer.reply(probe, discovered());
      peer.reply(sent, initialized());
    };
    const transport = scriptedTransport('stdio', server(discover, initialize));
    const agreement = start(transport);
    await turns();
    mock.timers.tick(1999);
    await turns();
    assert.deepEqual(transport.methods, ['server/discover']);
    mock.timers.tick(1);
    assert.equal((await agreement).revision.date, older);
    assert.deepEqual(transport.methods, handshakeMethods);
  });

  it('that was slow to start but is stateless is found out when it refuses initialize', async () => {
    let asked = 0;
    const discover: Script = (sent, peer) => (++asked === 1 ? undefined : peer.reply(sent, discovered()));
    const transport = scriptedTransport('stdio', server(discover, refusing(-32601)));
    const agreement = start(transport);
    await turns();
    mock.timers.tick(2000);
    assert.equal((await agreement).revision.date, newest);
    assert.deepEqual(transport.methods, ['server/discover', 'initialize', 'server/discover']);
  });
});

describe('a failure that says nothing of the server', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const rows: readonly (readonly [title: string, discover: Script, expected: object])[] = [
    [
      '401',
      failing('unauthorized', 'HTTP 401', { status: 401, challenge: 'Bearer' }),
      { reason: 'unauthorized', challenge: 'Bearer' },
    ],
    ['403', failing('unauthorized', 'HTTP 403', { status: 403 }), { reason: 'unauthorized' }],
    ['500', failing('http', 'HTTP 500', { status: 500, body: '' }), { reason: 'http', status: 500 }],
    ['503 with a JSON-RPC error', refusing(-32603, undefined, 503), { code: -32603 }],
    ['a redirect', failing('http', 'HTTP 302', { status: 302 }), { status: 302 }],
    ['a network failure', failing('refused', 'connect'), { reason: 'refused' }],
    ['a lost answer', failing('closed', 'cut'), { reason: 'closed' }],
  ];
  for (const [title, discover, expected] of rows) {
    it(`over HTTP, ${title}, is thrown and nothing else is tried [C22]`, async () => {
      const transport = scriptedTransport('http', server(discover));
      await assert.rejects(start(transport), expected);
      assert.deepEqual(transport.methods, ['server/discover']);
      assert.deepEqual(transport.closed, [1]);
    });
  }

  it('over HTTP, silence, is a timeout', async () => {
    const transport = scriptedTransport('http', server(silent));
    const rejected = assert.rejects(start(transport), { reason: 'timeout' });
    await turns();
    mock.timers.tick(60_000);
    await rejected;
    assert.deepEqual(transport.methods, ['server/discover']);
  });

  for (const kind of ['stdio', 'http'] as const) {
    it(`a missing client capability over ${kind} is thrown as what it is`, async () => {
      const transport = scriptedTransport(
        kind,
        server(refusing(-32021, { requiredCapabilities: { sampling: {} } }, 400)),
      );
      await assert.rejects(start(transport), { kind: 'missingRequiredClientCapability' });
      assert.deepEqual(transport.methods, ['server/discover']);
    });
  }

  it('a header mismatch over HTTP with 400 is thrown as what it is', async () => {
    const transport = scriptedTransport('http', server(refusing(-32020, undefined, 400)));
    await assert.rejects(start(transport), { kind: 'headerMismatch' });
  });

  it('giving up closes what was opened', async () => {
    const controller = new AbortController();
    const transport = scriptedTransport('stdio', server(silent));
    const rejected = assert.rejects(start(transport, { signal: controller.signal }), { reason: 'aborted' });
    await turns();
    controller.abort();
    await rejected;
    assert.deepEqual(transport.closed, [1]);
    assert.deepEqual(transport.methods, ['server/discover']);
  });
});

describe('what was found out before', () => {
  const stored = { ...discovered(), resultType: undefined } as never;

  it('spares the probe of a server that wants initialize', async () => {
    const transport = scriptedTransport('stdio', server(silent));
    const agreement = await start(transport, { prior: { revision: '2025-06-18', at: 1 } });
    assert.equal(agreement.revision.date, older);
    assert.deepEqual(transport.methods, ['initialize', 'notifications/initialized']);
  });

  it('spares every question of a stateless server, but is not confirmed by it', async () => {
    const transport = scriptedTransport('http', server(silent));
    const agreement = await start(transport, { prior: { revision: newest, discovered: stored } });
    assert.deepEqual([agreement.revision.date, agreement.confirmed, agreement.instructions], [newest, false, 'ask']);
    assert.deepEqual(transport.methods, []);
  });

  it('is asked for again when it proves wrong', async () => {
    const transport = scriptedTransport(
      'http',
      server(replying(discovered()), refusing(-32022, { supported: [newest], requested: older }, 400)),
    );
    const agreement = await start(transport, { prior: { revision: older } });
    assert.equal(agreement.revision.date, newest);
    assert.deepEqual(transport.methods, ['initialize', 'server/discover']);
    assert.deepEqual(transport.closed, [1]);
  });

  it('is not asked for again when the server is merely not there', async () => {
    const transport = scriptedTransport('http', server(silent, failing('refused', 'connect')));
    await assert.rejects(start(transport, { prior: { revision: older } }), { reason: 'refused' });
    assert.deepEqual(transport.methods, ['initialize']);
  });

  for (const prior of [{ revision: '2099-01-01' }, { revision: '2024-11-05' }, {}]) {
    it(`counts for nothing when it is ${JSON.stringify(prior)} and that may not be used`, async () => {
      const transport = scriptedTransport('http', server(replying(discovered())));
      // Stored verdicts are JSON that anybody may have written.
      await start(transport, { prior: prior as unknown as Verdict, revisions: [older, newest] });
      assert.deepEqual(transport.methods, ['server/discover']);
    });
  }
});
