import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat, form, newest } from '../../../../test/support/asked-client.ts';
import { turns } from '../../../../test/support/turns.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { scriptedTransport } from '../testing/scripted.ts';
import { createConnect } from './connect.ts';
import type { ConnectOptions } from './api/options.ts';

const question = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: form };
const accepted = { action: 'accept', content: { name: 'Ada' } };

interface Scene {
  readonly client: { close(): Promise<void> };
  readonly warnings: readonly string[];
  /** Sends messages as the server, one after the other, each once the one before is answered. */
  send(...messages: readonly object[]): Promise<void>;
  /** What was answered so far. */
  answers(): readonly unknown[];
}

/** @param within Gives the request in whose exchange a question comes; 2 by default. */
async function scene(options: ConnectOptions, within: () => number | undefined = () => 2): Promise<Scene> {
  const transport = scriptedTransport('http', (sent, peer) => {
    if (sent.message['method'] !== 'initialize') return;
    peer.reply(sent, { protocolVersion: newest, capabilities: {}, serverInfo: { name: 's', version: '1' } });
  });
  const related: Transport = {
    ...transport,
    open: (receiver) =>
      transport.open({
        ...receiver,
        message: (value, about) => {
          const request = isObject(value) && 'method' in value ? within() : undefined;
          receiver.message(value, request === undefined ? about : { ...about, request });
        },
      }),
  };
  const warnings: string[] = [];
  const client = await createConnect({ http: () => related })(related, {
    ...options,
    revisions: [newest],
    onWarning: (message) => void warnings.push(message),
  });
  const [peer = assert.fail('a conversation was opened')] = transport.peers;
  return {
    client,
    warnings,
    send: async (...messages) => {
      for (const message of messages) {
        peer.send(message);
        await turns();
      }
    },
    answers: () => transport.sent.map(({ message }) => message).filter(({ method }) => method === undefined),
  };
}

describe('a question that comes again once it was answered, as on a stream that is taken up', () => {
  it('has the same answer, and nobody is asked twice', async () => {
    let asked = 0;
    const onElicit = (): object => ({ ...accepted, content: { name: `Ada ${++asked}` } });
    const one = await scene({ onElicit: onElicit as never });
    await one.send(question, question, question);
    const answer = { jsonrpc: '2.0', id: 'q', result: { ...accepted, content: { name: 'Ada 1' } } };
    assert.deepEqual([asked, one.answers()], [1, [answer, answer, answer]]);
    assert.match(one.warnings.join(), /came again after it was answered/);
    await one.client.close();
  });

  for (const [where, requests] of [
    ['in the exchange of another request', [2, 3]],
    ['in that of none', [undefined, undefined]],
  ] as const)
    it(`is asked again where it came ${where}, since that is no stream which was taken up`, async () => {
      let asked = 0;
      const all = [...requests];
      const one = await scene({ onElicit: () => (asked++, 'decline') }, () => all.shift());
      await one.send(question, question);
      assert.equal(asked, 2);
      await one.client.close();
    });

  it('has the same answer where that is a failure of its handler', async () => {
    let asked = 0;
    const onSample = (): never => {
      asked++;
      throw new Error('no model');
    };
    const one = await scene({ onSample });
    const sampling = { jsonrpc: '2.0', id: 7, method: 'sampling/createMessage', params: chat };
    await one.send(sampling, sampling);
    assert.equal(asked, 1);
    const [first, again] = one.answers();
    assert.deepEqual(again, first);
    await one.client.close();
  });

  it('is asked of nobody where the server has cancelled it', async () => {
    let asked = 0;
    const onElicit = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
      new Promise((_resolve, reject) => {
        asked++;
        signal.addEventListener('abort', () => reject(new Error('cancelled')));
      });
    const one = await scene({ onElicit });
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } };
    await one.send(question, cancelled);
    await one.send(question, cancelled);
    assert.deepEqual([asked, one.answers()], [1, []]);
    await one.client.close();
  });

  it('is another one where its id is used for something else', async () => {
    const heard: string[] = [];
    const one = await scene({
      onElicit: ({ message }) => {
        heard.push(message);
        return 'decline';
      },
    });
    const other = { ...question, params: { ...form, message: 'And who else?' } };
    await one.send(question, other, { ...question, id: 'r' });
    assert.deepEqual(heard, ['Who?', 'And who else?', 'Who?']);
    await one.client.close();
  });

  it('is asked again where too much was answered since, so that the memory has an end', async () => {
    const heard: string[] = [];
    const one = await scene({
      onElicit: ({ message }) => {
        heard.push(message);
        return { action: 'accept', content: { name: 'x'.repeat(300_000) } };
      },
    });
    const another = (id: number): object => ({ ...question, id, params: { ...form, message: `${id}` } });
    const all = [1, 2, 3, 4, 5].map(another);
    await one.send(...all);
    await one.send(another(5), another(1));
    assert.deepEqual(heard, ['1', '2', '3', '4', '5', '1']);
    await one.client.close();
  });

  it('that was too long to be kept makes nothing else forgotten', async () => {
    const heard: number[] = [];
    const one = await scene({ onElicit: ({ message }) => (heard.push(message.length), 'decline') });
    const long = { ...question, id: 'long', params: { ...form, message: 'x'.repeat(1_100_000) } };
    await one.send(question, long, long, question);
    assert.deepEqual(heard, [4, 1_100_000, 1_100_000]);
    await one.client.close();
  });

  it('is asked again where what asks nobody is to say how it stands now', async () => {
    let roots = 0;
    const one = await scene({ roots: () => [{ uri: `file:///${++roots}` }] });
    const asking = { jsonrpc: '2.0', id: 1, method: 'roots/list' };
    await one.send(asking, asking);
    assert.equal(roots, 2);
    await one.client.close();
  });
});
