import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { discovered, handshakeMethods, newest, older, server } from '../../../../test/support/negotiation.ts';
import { turns } from '../../../../test/support/turns.ts';
import { scriptedTransport, type Script, type ScriptedTransport } from '../testing/scripted.ts';
import type { Client } from './api/client.ts';
import { createConnect } from './connect.ts';
import type { ConnectOptions } from './api/options.ts';
import { settingsOf } from './requests/settings.ts';

/** Connects, once so much time has passed. */
async function connected(transport: ScriptedTransport, ms: number, options: ConnectOptions = {}): Promise<Client> {
  const connecting = createConnect({ http: () => transport })(transport, options);
  await turns();
  mock.timers.tick(ms);
  return await connecting;
}

/** Answers the first question after a while, as a program does that is loaded, or fetched, first. */
const startingIn =
  (ms: number): Script =>
  (sent, peer) =>
    void setTimeout(() => peer.reply(sent, discovered()), ms);

/** Says nothing to a question that it does not know. */
const deaf: Script = () => undefined;

describe('a program that was just started', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('has eight seconds until it is taken for an older one', async () => {
    const client = await connected(scriptedTransport('stdio', server(startingIn(7_000))), 7_000);
    assert.equal(client.revision, newest);
    await client.close();
  });

  it('has no more than half of the time for connecting', async () => {
    const transport = scriptedTransport('stdio', server(deaf));
    const client = await connected(transport, 1_500, { timeoutMs: 3_000 });
    assert.equal(client.revision, older);
    assert.deepEqual(transport.methods, handshakeMethods);
    await client.close();
  });

  it('has eight seconds too where an answer may take forever', async () => {
    const transport = scriptedTransport('stdio', server(deaf));
    const connecting = connected(transport, 7_999, { timeoutMs: 0 });
    await turns();
    await turns();
    assert.deepEqual(transport.methods, ['server/discover']);
    mock.timers.tick(1);
    const client = await connecting;
    assert.equal(client.revision, older);
    await client.close();
  });
});

it('the time to start leaves some of the time that there is', () => {
  const times = [{}, { timeoutMs: 3_000 }, { timeoutMs: 0 }, { maxTotalTimeoutMs: 5_000 }, { probeTimeoutMs: 1_000 }];
  assert.deepEqual(
    times.map((options) => settingsOf(options).probeTimeoutMs),
    [8_000, 1_500, 8_000, 2_500, 1_000],
  );
});
