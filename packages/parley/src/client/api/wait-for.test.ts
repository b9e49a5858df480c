import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { server, initialized, refusing, start } from '../../../../../test/support/negotiation.ts';
import { turns } from '../../../../../test/support/turns.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { scriptedTransport } from '../../testing/scripted.ts';
import { waitFor } from './wait-for.ts';

describe('a wait that was given up before it began', () => {
  it('is an error, and the failure of what was to be waited for is nobody else’s', async () => {
    const failing = Promise.reject(new Error('too late'));
    await assert.rejects(waitFor(failing, { method: 'x', signal: AbortSignal.abort() }), { reason: 'aborted' });
    await turns();
  });

  it('just after initialize was answered ends with the connection', async () => {
    const controller = new AbortController();
    const transport = scriptedTransport('stdio', async (sent, peer) => {
      await server(refusing(-32601), () => {
        peer.reply(sent, initialized());
        controller.abort();
      })(sent, peer);
      if (sent.message['method'] === 'notifications/initialized') peer.fail(new ConnectionError('closed', 'gone'));
    });
    await assert.rejects(start(transport, { signal: controller.signal }), { reason: 'aborted' });
    await turns();
    assert.deepEqual(transport.closed, [1]);
  });
});
