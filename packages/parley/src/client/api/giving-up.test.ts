import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { keptAlive } from '../../../../../test/support/kept-alive.ts';
import { content, handshake, recovering, stateless } from '../../../../../test/support/recovering.ts';
import { scriptedTransport, type Script, type SentMessage } from '../../testing/scripted.ts';
import type { Client } from './client.ts';
import { createConnect } from '../connect.ts';
import { givingUp, givingUpSteps } from './giving-up.ts';

interface Given {
  readonly signal: AbortSignal;
}

/** Every method of a client that takes a signal. */
const methods: Readonly<Record<string, (client: Client, given: Given) => Promise<unknown>>> = {
  callTool: (client, given) => client.callTool('x', {}, given),
  listTools: (client, given) => client.listTools(given),
  listResources: (client, given) => client.listResources(given),
  listResourceTemplates: (client, given) => client.listResourceTemplates(given),
  listPrompts: (client, given) => client.listPrompts(given),
  pages: (client, given) => client.pages('tools/list', given).next(),
  readResource: (client, given) => client.readResource('x:a', given),
  getPrompt: (client, given) => client.getPrompt('p', {}, given),
  complete: (client, given) =>
    client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }, { ...given }),
  ping: (client, given) => client.ping(given),
  request: (client, given) => client.request('tools/list', {}, given),
  begin: (client, given) => client.begin('tools/call', { name: 'x' }, given),
  subscribe: (client, given) => client.subscribe({ updates: ['x:a'] }, () => {}, given),
};

/** Takes notifications, and answers nothing. */
const silent: Script = ({ message }) => (message['id'] === undefined ? undefined : new Promise(() => {}));

/** The methods of the requests that are neither answered nor cancelled. */
function inFlight(sent: readonly SentMessage[]): unknown[] {
  const messages = sent.map(({ message }) => message);
  const cancelled = messages
    .filter(({ method }) => method === 'notifications/cancelled')
    .map(({ params }) => Object(params).requestId);
  return messages
    .filter(({ id }, at) => id !== undefined && !cancelled.includes(id) && sent[at]?.signal?.aborted !== true)
    .map(({ method }) => method);
}

describe('a call cancelled by a signal rejects with its reason, as fetch does:', () => {
  for (const revision of [handshake, stateless]) {
    for (const [name, ask] of Object.entries(methods)) {
      it(`${name} at ${revision}, under way, beforehand and by time`, async () => {
        const one = await recovering(() => new Promise(() => {}), { revision });
        for (const reason of [new Error('enough'), 'a string', undefined]) {
          const controller = new AbortController();
          const answer = ask(one.client, { signal: controller.signal }).then(
            () => assert.fail('it was answered'),
            (error: unknown) => error,
          );
          await new Promise((resolve) => setImmediate(resolve));
          controller.abort(reason);
          assert.equal(await answer, controller.signal.reason);
        }
        await assert.rejects(ask(one.client, { signal: AbortSignal.abort() }), { name: 'AbortError' });
        // The time-out of a signal does not keep the process alive; this does.
        const alive = setInterval(() => {}, 1_000);
        await assert.rejects(ask(one.client, { signal: AbortSignal.timeout(1) }), { name: 'TimeoutError' });
        clearInterval(alive);
      });
    }
  }

  for (const kind of ['http', 'stdio', 'memory'] as const) {
    for (const revision of ['2024-11-05', handshake, stateless]) {
      for (const [name, ask] of Object.entries(methods)) {
        it(`${name} at ${revision} over ${kind} leaves no request and no timer`, async (t) => {
          const one = await recovering(silent, { revision, kind });
          const before = one.transport.sent.length;
          const timers = keptAlive(t);
          const controller = new AbortController();
          const asking = ask(one.client, { signal: controller.signal });
          await new Promise((resolve) => setImmediate(resolve));
          assert.equal(inFlight(one.transport.sent.slice(before)).length, 1);
          controller.abort(new Error('enough'));
          await assert.rejects(asking, { message: 'enough' });
          await new Promise((resolve) => setImmediate(resolve));
          // The server may have begun to watch the resource, and is told not to.
          const watches = name === 'subscribe' && revision !== stateless;
          assert.deepEqual(inFlight(one.transport.sent.slice(before)), watches ? ['resources/unsubscribe'] : []);
          assert.equal(timers(), 0);
        });
      }
    }
  }

  for (const revision of [handshake, stateless]) {
    for (const [name, ask] of Object.entries(methods)) {
      it(`${name} at ${revision}, while its connection is opened again`, async () => {
        let isHung = false;
        const one = await recovering(silent, { revision, kind: 'stdio', isHung: () => isHung });
        isHung = true;
        one.transport.peers.at(-1)?.end(new ConnectionError('closed', 'gone'));
        const controller = new AbortController();
        const asking = ask(one.client, { signal: controller.signal });
        await new Promise((resolve) => setImmediate(resolve));
        const opening = one.transport.sent.length;
        controller.abort(new Error('enough'));
        await assert.rejects(asking, { message: 'enough' });
        assert.equal(one.transport.sent.length, opening, 'nothing is sent for it any more');
        await one.client.close();
      });
    }
  }

  it('connect', async () => {
    const controller = new AbortController();
    const transport = scriptedTransport('http', () => new Promise(() => {}));
    const connecting = createConnect({ http: () => transport })(transport, { signal: controller.signal });
    controller.abort('enough');
    assert.equal(await connecting.catch((error: unknown) => error), 'enough');
  });

  it('a list that is kept here, too', async () => {
    const one = await recovering(
      (sent, peer) => peer.reply(sent, { ...content, ttlMs: 60_000, cacheScope: 'private' }),
      {
        revision: stateless,
      },
    );
    await one.client.listTools();
    await assert.rejects(one.client.listTools({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  });
});

describe('work that its caller gave up before it began', () => {
  const signal = AbortSignal.abort(new Error('enough'));

  it('is not begun', async () => {
    await assert.rejects(
      givingUp({ signal }, () => assert.fail('it began')),
      /enough/,
    );
  });

  it('takes no step', async () => {
    async function* steps(): AsyncGenerator<number, void, undefined> {
      yield assert.fail('it began');
    }
    await assert.rejects(givingUpSteps({ signal }, steps()).next(), /enough/);
  });

  it('fails with its own error if it failed for another reason', async () => {
    const late = new AbortController();
    const work = async (): Promise<never> => {
      late.abort(new Error('enough'));
      throw new ConnectionError('refused', 'nobody is there');
    };
    await assert.rejects(givingUp({ signal: late.signal }, work), /nobody is there/);
    await assert.rejects(
      givingUp({ signal: late.signal }, async () => {
        throw new ConnectionError('aborted', 'given up');
      }),
      /enough/,
    );
  });
});
