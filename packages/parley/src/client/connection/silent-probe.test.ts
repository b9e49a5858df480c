import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import {
  discovered,
  failing,
  handshakeMethods,
  initialized,
  newest,
  older,
  refusing,
  server,
  silent,
  start,
} from '../../../../../test/support/negotiation.ts';
import { turns } from '../../../../../test/support/turns.ts';
import { scriptedTransport, type Script, type SentMessage } from '../../testing/scripted.ts';
import { warnOfProbe } from './explained.ts';
import type { NegotiatedConnection } from './negotiate.ts';

/** Passes the time of the probe, after which `initialize` is sent. */
async function afterProbe(agreement: Promise<NegotiatedConnection>): Promise<NegotiatedConnection> {
  await turns();
  mock.timers.tick(2000);
  await turns();
  return await agreement;
}

describe('a server over HTTP that does not answer the probe in time', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('is initialized after the probe timeout, with a warning', async () => {
    const transport = scriptedTransport('http', server(silent));
    const warnings: string[] = [];
    const agreement = start(transport, { warning: (message) => warnings.push(message) });
    await turns();
    mock.timers.tick(1999);
    await turns();
    assert.deepEqual(transport.methods, ['server/discover']);
    mock.timers.tick(1);
    const { revision, asked } = await agreement;
    assert.deepEqual([revision.date, asked, transport.methods], [older, true, handshakeMethods]);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings.join(),
      /2025-11-25, since the probe failed \(server\/discover was not answered within 2000 ms \(probeTimeoutMs/,
    );
    // Its exchange is closed once nobody waits for it.
    assert.equal(transport.sent[0]?.signal?.aborted, true);
  });

  it('is stateless if the answer comes before that to initialize', async () => {
    let probe: SentMessage | undefined;
    let initialize: SentMessage | undefined;
    const transport = scriptedTransport('http', (sent, peer) => {
      if (sent.message['method'] === 'server/discover') probe = sent;
      else if (probe !== undefined) {
        initialize = sent;
        peer.reply(probe, discovered());
      }
    });
    const warnings: string[] = [];
    const agreement = await afterProbe(start(transport, { warning: (message) => warnings.push(message) }));
    assert.deepEqual([agreement.revision.date, agreement.negotiated.revision], [newest, newest]);
    assert.deepEqual([transport.methods, warnings], [['server/discover', 'initialize'], []]);
    assert.equal(initialize?.signal?.aborted, true);
  });

  for (const [title, refuse] of [
    ['404', failing('http', 'HTTP 404', { status: 404, body: '' })],
    ['an error of the protocol', refusing(-32601)],
  ] as const)
    it(`is stateless if it refuses initialize with ${title} before it answers`, async () => {
      let answer = (): void => assert.fail();
      const discover: Script = (sent, peer) => void (answer = () => peer.reply(sent, discovered()));
      const transport = scriptedTransport('http', server(discover, refuse));
      const agreement = start(transport);
      await turns();
      mock.timers.tick(2000);
      await turns();
      answer();
      assert.equal((await agreement).revision.date, newest);
      assert.deepEqual(transport.methods, ['server/discover', 'initialize']);
    });

  it('and refuses initialize for the version is spoken to in an older one', async () => {
    const initialize: Script = (sent, peer) => {
      const { protocolVersion } = Object(sent.message['params']) as { readonly protocolVersion: string };
      if (protocolVersion === '2025-03-26') peer.reply(sent, initialized(protocolVersion));
      else peer.refuse(sent, { code: -32602, message: 'no' });
    };
    const agreement = await afterProbe(start(scriptedTransport('http', server(silent, initialize))));
    assert.equal(agreement.revision.date, '2025-03-26');
  });

  it('is asked no more after a challenge to initialize', async () => {
    const challenge = failing('unauthorized', 'HTTP 401', { status: 401, challenge: 'Bearer' });
    const transport = scriptedTransport('http', server(silent, challenge));
    await assert.rejects(afterProbe(start(transport)), { reason: 'unauthorized' });
    assert.equal(transport.sent[0]?.signal?.aborted, true);
  });

  it('is waited for where only the stateless version may be used', async () => {
    const transport = scriptedTransport('http', server(silent));
    const rejected = assert.rejects(start(transport, { revisions: [newest] }), { reason: 'timeout' });
    await turns();
    mock.timers.tick(60_000);
    await rejected;
    assert.deepEqual(transport.methods, ['server/discover']);
  });
});

it('a warning of a failed probe quotes the server as it wrote', () => {
  const warnings: string[] = [];
  const cause = new Error('too slow (timeoutMs of the gateway is 5)');
  warnOfProbe({ warning: (message) => warnings.push(message) }, { server: 'a', date: older, cause, isLate: false });
  assert.match(warnings.join(), /too slow \(timeoutMs of the gateway is 5\)/);
});
