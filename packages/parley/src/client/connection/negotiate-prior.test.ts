import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  newest,
  older,
  discovered,
  server,
  refusing,
  replying,
  failing,
  silent,
  start,
} from '../../../../../test/support/negotiation.ts';
import { settle } from '../../../../../test/support/raw.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { scriptedTransport } from '../../testing/scripted.ts';
import type { Negotiated } from '../api/negotiated.ts';

describe('what was found out before', () => {
  const stored = { ...discovered(), resultType: undefined } as never;

  it('spares the probe of a server that wants initialize', async () => {
    const transport = scriptedTransport('stdio', server(silent));
    const agreement = await start(transport, { negotiated: { revision: '2025-06-18', at: 1 } });
    assert.equal(agreement.revision.date, older);
    assert.deepEqual(transport.methods, ['initialize', 'notifications/initialized']);
  });

  it('spares every question of a stateless server, but is not confirmed by it', async () => {
    const transport = scriptedTransport('http', server(silent));
    const agreement = await start(transport, { negotiated: { revision: newest, discovered: stored } });
    assert.deepEqual([agreement.revision.date, agreement.confirmed, agreement.instructions], [newest, false, 'ask']);
    assert.deepEqual(transport.methods, []);
  });

  it('is asked for again when it proves wrong', async () => {
    const transport = scriptedTransport(
      'http',
      server(replying(discovered()), refusing(-32022, { supported: [newest], requested: older }, 400)),
    );
    const agreement = await start(transport, { negotiated: { revision: older } });
    assert.equal(agreement.revision.date, newest);
    assert.deepEqual(transport.methods, ['initialize', 'server/discover']);
    assert.deepEqual(transport.closed, [1]);
  });

  it('closes the first connection before it opens another', async () => {
    const scripted = scriptedTransport('stdio', server(replying(discovered()), refusing(-32603)));
    const log: string[] = [];
    let close!: () => void;
    const closing = new Promise<void>((resolve) => (close = resolve));
    const transport: Transport = {
      ...scripted,
      open: async (receiver) => {
        log.push('open');
        const channel = await scripted.open(receiver);
        return { ...channel, close: async () => (log.push('close'), await closing, log.push('closed'), undefined) };
      },
    };
    const agreement = start(transport, { negotiated: { revision: older } });
    await settle();
    assert.deepEqual(log.splice(0), ['open', 'close']);
    close();
    assert.equal((await agreement).revision.date, newest);
    assert.deepEqual(log, ['closed', 'open']);
  });

  it('is not asked for again when the server is merely not there', async () => {
    const transport = scriptedTransport('http', server(silent, failing('refused', 'connect')));
    await assert.rejects(start(transport, { negotiated: { revision: older } }), { reason: 'refused' });
    assert.deepEqual(transport.methods, ['initialize']);
  });

  for (const negotiated of [{ revision: '2099-01-01' }, { revision: '2024-11-05' }, {}]) {
    it(`counts for nothing when it is ${JSON.stringify(negotiated)} and that may not be used`, async () => {
      const transport = scriptedTransport('http', server(replying(discovered())));
      // Stored negotiations are JSON that anybody may have written.
      await start(transport, { negotiated: negotiated as unknown as Negotiated, revisions: [older, newest] });
      assert.deepEqual(transport.methods, ['server/discover']);
    });
  }
});
