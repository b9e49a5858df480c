import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { handshake } from '../../../../test/support/recovering.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import { scriptedTransport } from '../testing/scripted.ts';
import { createConnect } from './connect.ts';

const capabilities = { resources: { subscribe: true, listChanged: true }, logging: {} };

describe('a client that is closed where a reopened server hangs', () => {
  for (const hangs of ['initialize', 'notifications/initialized', 'resources/subscribe', 'logging/setLevel']) {
    it(`in ${hangs} is closed at once`, async (t) => {
      let hanging = (): void => {};
      const hung = new Promise<void>((resolve) => (hanging = resolve));
      const transport = scriptedTransport('http', (sent, peer) => {
        const { method } = sent.message;
        if (sent.conversation > 1 && method === hangs) {
          hanging();
          return new Promise(() => {});
        }
        if (method === 'initialize')
          return peer.reply(sent, {
            protocolVersion: handshake,
            capabilities,
            serverInfo: { name: 's', version: '1' },
          });
        return sent.message['id'] === undefined ? undefined : peer.reply(sent, {});
      });
      const client = await createConnect({ http: () => transport })(transport, { revisions: [handshake] });
      await client.setLogLevel('info');
      await client.subscribe({ updates: ['x:a'] }, () => {});
      t.mock.timers.enable({ apis: ['setTimeout'] });
      transport.peers[0]?.end(new ConnectionError('session-lost', 'HTTP 404', { status: 404 }));
      const waiting = client.ping().catch((error: unknown) => error);
      await hung;
      let closed = false;
      void client.close().then(() => (closed = true));
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.ok(closed);
      assert.equal(((await waiting) as ConnectionError).reason, 'closed');
    });
  }
});
