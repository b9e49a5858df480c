import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import {
  newest,
  older,
  discovered,
  initialized,
  server,
  refusing,
  start,
  handshakeMethods,
} from '../../../../../test/support/negotiation.ts';
import { ConnectionError, failedLoads } from '../../jsonrpc/transport.ts';
import { turns, until } from '../../../../../test/support/turns.ts';
import { scriptedTransport, type Script, type ScriptedPeer, type SentMessage } from '../../testing/scripted.ts';

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

  it('that took the probe for the beginning of a session is started again, and initialized first', async () => {
    // As a gateway does that initializes for whoever has not done so.
    const initialize: Script = (sent, peer) => {
      if (sent.conversation === 1) return peer.refuse(sent, { code: -32000, message: 'already initialized' });
      peer.reply(sent, initialized());
    };
    const transport = scriptedTransport('stdio', server(refusing(-32601), initialize));
    assert.equal((await start(transport)).revision.date, older);
    assert.deepEqual(
      transport.sent.map(({ message, conversation }) => [message['method'], conversation]),
      [
        ['server/discover', 1],
        ['initialize', 1],
        ['initialize', 2],
        ['notifications/initialized', 2],
      ],
    );
    assert.deepEqual(transport.closed, [1]);
  });

  it('that knows no initialize is started once', async () => {
    const transport = scriptedTransport('stdio', server(refusing(-32601), refusing(-32601)));
    await assert.rejects(start(transport), { name: 'McpError', code: -32601 });
    assert.deepEqual(transport.methods, ['server/discover', 'initialize']);
    assert.deepEqual(transport.closed, [1]);
  });

  it('that would end alike at initialize is not started again', async () => {
    const initialize: Script = (_, peer) => {
      const error = new ConnectionError('invalid-message', 'it serves HTTP');
      failedLoads.add(error);
      peer.end(error);
    };
    const transport = scriptedTransport('stdio', server(refusing(-32601), initialize));
    await assert.rejects(start(transport), { reason: 'invalid-message', message: 'it serves HTTP' });
    assert.equal(transport.peers.length, 1);
  });

  it('that exits again and again is an error, which says that it was started twice', async () => {
    const transport = scriptedTransport('stdio', (_, peer) => peer.end());
    const message = /; it was started twice, since an older server may exit at the first request of a newer client$/;
    await assert.rejects(start({ ...transport, ownsProcess: true }), { reason: 'exited', message });
    assert.equal(transport.peers.length, 2);
  });

  it('that exits where nothing newer may be asked is started once, and the error says no more', async () => {
    const transport = scriptedTransport('stdio', (_, peer) => peer.end());
    const started = start({ ...transport, ownsProcess: true }, { revisions: ['2025-11-25'] });
    await assert.rejects(started, ({ message }: Error) => !message.includes('twice'));
    assert.equal(transport.peers.length, 1);
  });

  it('that stays silent is initialized after the probe timeout, and a late answer is told', async () => {
    let probe: SentMessage | undefined;
    const discover: Script = (sent) => void (probe = sent);
    const initialize: Script = (sent, peer: ScriptedPeer) => {
      assert.ok(probe);
      peer.reply(probe, discovered());
      peer.reply(sent, initialized());
    };
    const transport = scriptedTransport('stdio', server(discover, initialize));
    const warnings: string[] = [];
    const agreement = start(transport, { warning: (message) => warnings.push(message) });
    await turns();
    mock.timers.tick(1999);
    await turns();
    assert.deepEqual(transport.methods, ['server/discover']);
    mock.timers.tick(1);
    const { revision, negotiated, asked } = await agreement;
    assert.equal(revision.date, older);
    assert.deepEqual(transport.methods, handshakeMethods);
    assert.match(warnings.join(), /2025-11-25.*within 2000 ms.*its answer came later: .*probeTimeoutMs/);
    // The next connection asks again.
    assert.deepEqual([negotiated.unasked, asked], [true, false]);
  });

  it('that never answers the probe is a warning, and remembered', async () => {
    const transport = scriptedTransport(
      'stdio',
      server(() => undefined),
    );
    const warnings: string[] = [];
    const agreement = start(transport, { warning: (message) => warnings.push(message) });
    await turns();
    mock.timers.tick(2000);
    assert.deepEqual([(await agreement).asked, warnings.length], [true, 1]);
  });

  it('that is silent to each probe and refuses initialize is probed for a short time each time', async () => {
    const transport = scriptedTransport(
      'stdio',
      server(() => undefined, refusing(-32602)),
    );
    let end: unknown;
    start(transport).catch((error: unknown) => (end = error));
    for (let probe = 1; probe <= 3; probe++) {
      await until(() => transport.methods.filter((method) => method === 'server/discover').length === probe);
      await turns();
      mock.timers.tick(2000);
    }
    for (let turn = 0; turn < 50 && end === undefined; turn++) await new Promise(setImmediate);
    assert.equal(Object(end).code, -32602);
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
