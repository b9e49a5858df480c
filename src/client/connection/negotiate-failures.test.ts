import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { server, refusing, failing, silent, start } from '../../../test/support/negotiation.ts';
import { turns } from '../../../test/support/turns.ts';
import { scriptedTransport, type Script } from '../../testing/scripted.ts';

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
    ...[408, 425, 429].flatMap((status): (readonly [string, Script, object])[] => [
      [`${status}`, failing('http', `HTTP ${status}`, { status, body: '' }), { reason: 'http', status }],
      [`${status} with a JSON-RPC error`, refusing(-32000, undefined, status), { code: -32000 }],
    ]),
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
