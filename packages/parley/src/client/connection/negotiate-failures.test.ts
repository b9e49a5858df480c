import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import {
  older,
  server,
  refusing,
  failing,
  silent,
  start,
  handshakeMethods,
  type StartOptions,
} from '../../../../../test/support/negotiation.ts';
import { ConnectionError, refusedCredentials, type Transport } from '../../jsonrpc/transport.ts';
import { turns } from '../../../../../test/support/turns.ts';
import { scriptedTransport, type Script } from '../../testing/scripted.ts';

describe('a failure that says nothing of the server', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const rows: readonly (readonly [title: string, discover: Script, expected: object])[] = [
    [
      '401 with a challenge',
      failing('unauthorized', 'HTTP 401', { status: 401, challenge: 'Bearer' }),
      { reason: 'unauthorized', challenge: 'Bearer' },
    ],
    [
      '403 with a challenge',
      failing('unauthorized', 'HTTP 403', { status: 403, challenge: 'Bearer' }),
      { reason: 'unauthorized', challenge: 'Bearer' },
    ],
    ['a server that is not there', failing('refused', 'connect'), { reason: 'refused' }],
  ];
  for (const [title, discover, expected] of rows) {
    it(`over HTTP, ${title}, is thrown and nothing else is tried [C22]`, async () => {
      const transport = scriptedTransport('http', server(discover));
      await assert.rejects(start(transport), expected);
      assert.deepEqual(transport.methods, ['server/discover']);
      assert.deepEqual(transport.closed, [1]);
    });
  }

  it('403 for credentials may be about the probe alone, unless the transport signs in', async () => {
    const refused = new ConnectionError('unauthorized', 'HTTP 403', { status: 403, challenge: 'Bearer' });
    refusedCredentials.add(refused);
    const discover: Script = (_, peer) => peer.fail(refused);
    assert.equal((await start(scriptedTransport('http', server(discover)))).revision.date, older);
    const signsIn = { ...scriptedTransport('http', server(discover)), authorization: { context: () => '' } };
    await assert.rejects(start(signsIn), refused);
  });

  for (const status of [500, 400, 404])
    it(`of notifications/initialized, by ${status}, names that message`, async () => {
      const play = server(refusing(-32601));
      const transport = scriptedTransport('http', (sent, peer) => {
        if (sent.message['method'] !== 'notifications/initialized') return play(sent, peer);
        const refused = new ConnectionError('http', `HTTP ${status} from http://x/mcp`, { status });
        throw status === 404 ? new ConnectionError('session-lost', 'lost', { cause: refused }) : refused;
      });
      await assert.rejects(start(transport), {
        reason: 'http',
        status,
        message: `initialize was answered, but notifications/initialized was not taken: HTTP ${status} from http://x/mcp`,
      });
    });

  it('over HTTP, silence at the probe and at initialize, is a timeout', async () => {
    const transport = scriptedTransport('http', server(silent, silent));
    const rejected = assert.rejects(start(transport), { reason: 'timeout' });
    await turns();
    mock.timers.tick(2_000);
    await turns();
    mock.timers.tick(60_000);
    await rejected;
    assert.deepEqual(transport.methods, ['server/discover', 'initialize']);
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

  for (const [kind, failure] of [
    ['stdio', failing('exited', 'the server exited with code 1')],
    ['http', failing('http', 'HTTP 413 from http://127.0.0.1/mcp', { status: 413, body: '' })],
  ] as const) {
    it(`over ${kind} is told where only revisions without a handshake may be used`, async () => {
      const transport = scriptedTransport(kind, server(failure));
      await assert.rejects(
        start(transport, { revisions: ['2026-07-28'] }),
        /did not answer server\/discover \(.*(exited|413)/,
      );
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

describe('a failed probe that is no evidence', () => {
  const rows: readonly (readonly [title: string, discover: Script, isTransient: boolean])[] = [
    ['401 without a challenge', failing('unauthorized', 'HTTP 401', { status: 401 }), false],
    ['403 without a challenge', failing('unauthorized', 'HTTP 403', { status: 403 }), false],
    ['a redirect', failing('http', 'HTTP 302', { status: 302 }), false],
    ['a connection that broke off', failing('closed', 'cut'), true],
    ['an empty body', failing('closed', 'HTTP 200: an empty body', { status: 200, body: '' }), true],
    ...[408, 425, 429, 500, 503].flatMap((status): (readonly [string, Script, boolean])[] => [
      [`${status}`, failing('http', `HTTP ${status}`, { status, body: '' }), true],
      [`${status} with a JSON-RPC error`, refusing(-32601, undefined, status), true],
    ]),
  ];
  for (const [title, discover, isTransient] of rows) {
    it(`over HTTP, ${title}, leads to initialize [C19]`, async () => {
      const transport = scriptedTransport('http', server(discover));
      const warnings: string[] = [];
      const agreement = await start(transport, { warning: (message) => warnings.push(message) });
      assert.equal(agreement.revision.date, older);
      assert.deepEqual(transport.methods, handshakeMethods);
      // What may be gone the next time is neither remembered nor a fact.
      assert.deepEqual([agreement.asked, agreement.negotiated.unasked === true], [!isTransient, isTransient]);
      assert.equal(warnings.length, isTransient ? 1 : 0);
    });
  }

  it('is thrown as it is where only revisions without a handshake may be used', async () => {
    for (const failure of [
      failing('http', 'HTTP 503', { status: 503, body: '' }),
      failing('unauthorized', 'HTTP 401', { status: 401 }),
    ]) {
      const started = start(scriptedTransport('http', server(failure)), { revisions: ['2026-07-28'] });
      await assert.rejects(started, /^ConnectionError: HTTP/);
    }
  });

  it('is thrown by initialize, if that fails like it', async () => {
    const fail = failing('http', 'HTTP 503', { status: 503, body: '' });
    const transport = scriptedTransport('http', server(fail, fail));
    await assert.rejects(start(transport), { reason: 'http', status: 503 });
    assert.deepEqual(transport.methods, ['server/discover', 'initialize']);
  });
});

describe('the limit of connecting', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  /** Connects to a server that says nothing, and whose end takes for ever; gives how long it took to fail. */
  async function failedAfter(kind: 'stdio' | 'http', options: StartOptions): Promise<readonly [number, unknown]> {
    let now = 0;
    let failure: { readonly error: unknown } | undefined;
    const scripted = scriptedTransport(kind, silent);
    const transport: Transport = {
      ...scripted,
      open: async (receiver) => ({ ...(await scripted.open(receiver)), close: () => new Promise(() => {}) }),
    };
    start(transport, { ...options, clock: () => now }).catch((error: unknown) => (failure = { error }));
    while (failure === undefined && now < 100_000) {
      await turns();
      now += 500;
      mock.timers.tick(500);
      await turns();
    }
    return [now, failure?.error];
  }

  for (const kind of ['stdio', 'http'] as const)
    it(`holds for all steps over ${kind} together, and for the end of the server`, async () => {
      const [ms, error] = await failedAfter(kind, { connectTimeoutMs: 3_000 });
      assert.equal(ms, 3_000);
      assert.ok(error instanceof ConnectionError && error.reason === 'timeout');
      assert.match(error.message, /^connecting took longer than 3000 ms \(connectTimeoutMs\): .* was not answered/);
    });

  it('holds for a transport that does not open', async () => {
    const transport = { ...scriptedTransport('stdio', silent), open: () => new Promise<never>(() => {}) };
    const rejected = assert.rejects(start(transport, { connectTimeoutMs: 3_000 }), { reason: 'timeout' });
    await turns();
    mock.timers.tick(3_000);
    await rejected;
  });

  it('is not waited for once the signal is aborted, nor is the end of the server', async () => {
    const controller = new AbortController();
    const scripted = scriptedTransport('stdio', silent);
    const transport: Transport = {
      ...scripted,
      open: async (receiver) => ({ ...(await scripted.open(receiver)), close: () => new Promise(() => {}) }),
    };
    const rejected = assert.rejects(start(transport, { signal: controller.signal }), { reason: 'aborted' });
    await turns();
    controller.abort();
    await rejected;
  });
});
