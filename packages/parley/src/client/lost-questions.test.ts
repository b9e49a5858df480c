import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { content, gone, recovering, type Recovering } from '../../../../test/support/recovering.ts';
import { turns } from '../../../../test/support/turns.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { Script, SentMessage } from '../testing/scripted.ts';

interface Asked {
  readonly script: Script;
  /** The answers that were sent, also those that were lost. */
  readonly answers: SentMessage['message'][];
  /** The call that the server asks about. */
  call: SentMessage | undefined;
}

/** A server that asks in the middle of a call, and to which answers get or not. */
function asking(answered: (tries: number) => void | Promise<void>): Asked {
  const asked: Asked = {
    answers: [],
    call: undefined,
    script(sent, peer) {
      const { method } = sent.message;
      if (method === 'tools/call') {
        asked.call = sent;
        peer.send({ jsonrpc: '2.0', id: 'q', method: 'roots/list' });
        return new Promise(() => {});
      }
      if (method !== undefined) return undefined;
      const tries = asked.answers.push(sent.message);
      const taken = (): void => asked.call && peer.reply(asked.call, content);
      const outcome = answered(tries);
      return outcome === undefined ? taken() : outcome.then(taken);
    },
  };
  return asked;
}

async function connected(t: TestContext, server: Asked): Promise<Recovering> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return await recovering(server.script, { options: { roots: [] } });
}

async function passing(t: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    t.mock.timers.tick(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const refused = (): never => {
  throw new ConnectionError('refused', 'reset');
};

describe('an answer to a question whose POST is lost', () => {
  for (const [how, fail] of [
    ['before it arrived', refused],
    [
      'with an overloaded server',
      () => {
        throw new ConnectionError('http', 'HTTP 503', { status: 503 });
      },
    ],
    ['without a word', () => new Promise<never>(() => {})],
  ] as const) {
    it(`${how}, is sent again with back-off while the call lives`, async (t) => {
      const server = asking((tries) => (tries <= 3 ? fail() : undefined));
      const one = await connected(t, server);
      const call = one.client.callTool('x');
      await passing(t, 50_000);
      await call;
      assert.deepEqual(server.answers.slice(1), [server.answers[0], server.answers[0], server.answers[0]]);
      assert.deepEqual(one.warnings, []);
    });
  }

  it('is sent with growing pauses, for as long as the call waits and no longer', async (t) => {
    const server = asking(refused);
    const one = await connected(t, server);
    const call = assert.rejects(one.client.callTool('x'), { reason: 'timeout' });
    await passing(t, 1_000);
    assert.equal(server.answers.length, 3);
    await passing(t, 60_000);
    await call;
    const sent = server.answers.length;
    assert.ok(sent > 7 && sent < 15, `${sent} times in a minute`);
    await passing(t, 60_000);
    assert.equal(server.answers.length, sent);
    assert.deepEqual(one.warnings, ['an answer was not delivered']);
  });

  it('is not sent again once the server cancelled the question, or refused the answer', async (t) => {
    const server = asking(refused);
    const one = await connected(t, server);
    one.client.callTool('x').catch(() => {});
    await passing(t, 50);
    one.transport.peers[0]?.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } });
    await passing(t, 20_000);
    assert.equal(server.answers.length, 1);
    const other = asking(() => {
      throw new ConnectionError('http', 'HTTP 400', { status: 400 });
    });
    const two = await recovering(other.script, { options: { roots: [] } });
    two.client.callTool('x').catch(() => {});
    await passing(t, 20_000);
    assert.equal(other.answers.length, 1);
  });

  it('that the server refuses since it does not know the session ends the call at once, and a new session begins', async (t) => {
    const server = asking(() => {
      throw new ConnectionError('session-lost', 'HTTP 404', { status: 404 });
    });
    const one = await connected(t, server);
    const call = assert.rejects(one.client.callTool('x'), { reason: 'session-lost', message: /which may have run/ });
    await passing(t, 61_000);
    await call;
    assert.deepEqual(one.reopened, ['session-lost']);
    assert.deepEqual([server.answers.length, one.transport.peers.length, one.warnings], [1, 2, []]);
  });

  it('is not sent again after the client was closed', async (t) => {
    const server = asking(refused);
    const one = await connected(t, server);
    one.client.callTool('x').catch(() => {});
    await passing(t, 50);
    await one.client.close();
    await passing(t, 20_000);
    assert.equal(server.answers.length, 1);
  });
});

describe('a question that is being answered', () => {
  it('is given up when its session is lost', async () => {
    let reason: unknown;
    let lost = false;
    const one = await recovering(
      (sent, peer) => {
        if (lost && sent.conversation === 1) return gone();
        if (sent.message['method'] === 'tools/list') return peer.reply(sent, content);
        peer.send({ jsonrpc: '2.0', id: 'q', method: 'roots/list' });
        return new Promise(() => {});
      },
      {
        options: {
          roots: async ({ signal }) => {
            signal.addEventListener('abort', () => (reason = signal.reason));
            return await new Promise<never>(() => {});
          },
        },
      },
    );
    const call = one.client.callTool('x').catch(() => {});
    await turns();
    lost = true;
    await one.client.listTools();
    await call;
    assert.ok(reason instanceof ConnectionError);
    assert.equal(reason.reason, 'session-lost');
  });
});
