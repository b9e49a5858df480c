/** What happens beside the answers. */

import assert from 'node:assert/strict';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import type { Server } from '../../packages/parley/src/server/server.ts';
import { serverAt } from '../support/bridged.ts';
import { processesOf } from '../support/processes.ts';
import { open, type Json, type Raw } from '../support/raw.ts';
import { paramsSent } from '../support/scripted-upstream.ts';
import {
  at,
  bridgeBeforeServer,
  bridgeOf,
  carried,
  changed,
  compared,
  meet,
  type Pairing,
  type Seen,
  type Walk,
  type Walks,
} from './walk.ts';
import { until } from '../support/turns.ts';

const progress: Walk = async (pairing) => {
  const said = [1, 2].map((step) => ({ progressToken: 'mine', progress: step, total: 2, more: { step } }));
  const { raw } = await meet(pairing, {
    answers: {
      'tools/call': (sent, peer) => {
        const progressToken = at(sent.message, 'params', '_meta', 'progressToken');
        for (const params of said)
          peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { ...params, progressToken } });
        peer.reply(sent, { content: [], resultType: 'complete' });
      },
    },
  });
  await raw.result('tools/call', { name: 'any', _meta: { progressToken: 'mine' } });
  return compared(
    said,
    raw.take().map(({ params }) => params),
  );
};

/** Asks for a level in the way of the client, calls, and looks at how the server was asked for it. */
const loggingLevel: Walk = async (pairing) => {
  const { client, server } = pairing;
  const { raw, transport } = await meet(pairing, { answers: { 'tools/call': { content: [] } } });
  const meta = client.logging === 'request' ? { _meta: { [metaKey.logLevel]: 'error' } } : {};
  if (client.logging === 'session') await raw.result('logging/setLevel', { level: 'error' });
  await raw.result('tools/call', { name: 'any', ...meta });
  const heard =
    server.logging === 'session'
      ? paramsSent(transport, 'logging/setLevel')['level']
      : at(paramsSent(transport, 'tools/call'), '_meta', metaKey.logLevel);
  assert.equal(heard, 'error');
  return client.logging === server.logging ? carried : changed;
};

const loggingMessages: Walk = async (pairing) => {
  const { client } = pairing;
  const said = { level: 'error', logger: 'own', data: { deep: [1] }, more: 1 };
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: said };
  const { raw } = await meet(pairing, {
    answers: {
      'tools/call': (sent, peer) => {
        peer.send(message);
        peer.reply(sent, { content: [], resultType: 'complete' });
      },
    },
  });
  const meta = client.logging === 'request' ? { _meta: { [metaKey.logLevel]: 'debug' } } : {};
  await raw.result('tools/call', { name: 'any', ...meta });
  return compared(
    [said],
    raw.take().map(({ params }) => params),
  );
};

/** The client takes its call back, and the handler of the server hears of it. */
const cancellation: Walk = async (pairing) => {
  const { client, server } = pairing;
  const upstream = serverAt(server.date);
  let signal: AbortSignal | undefined;
  upstream.tool('wait', {}, async (_, ctx) => {
    signal = ctx.signal;
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    return 'too late';
  });
  const raw = await open(await bridgeBeforeServer(pairing, upstream), client.date);
  const call = raw.send('tools/call', { name: 'wait' }, 'mine');
  await until(() => signal !== undefined, 'the call');
  await raw.notify('notifications/cancelled', { requestId: 'mine', reason: 'enough' });
  assert.equal(await call, undefined);
  await until(() => signal?.aborted === true, 'the end of the call');
  return client.httpCancellation === server.httpCancellation ? carried : changed;
};

/** A client that can be asked anything, before a server each of whose processes knows only of its own changes. */
async function watching(pairing: Pairing): Promise<Raw> {
  const { client, server } = pairing;
  const upstream = processesOf(() => watchable(server));
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  return await open(await bridgeOf(pairing, upstream), client.date, { capabilities });
}

function watchable(server: Revision): Server {
  const upstream = serverAt(server.date);
  upstream.tool('one', {}, () => 'one');
  const input = { type: 'object', properties: { list: { enum: ['tools', 'prompts', 'resources'] } } } as const;
  upstream.tool('touch', {}, () => {
    upstream.resourceUpdated('memo:one');
    return 'touched';
  });
  upstream.tool('change', { input }, ({ list }) => {
    upstream.changed(list as 'tools');
    return 'changed';
  });
  upstream.prompt('one', {}, () => 'one');
  upstream.resource('memo:one', { name: 'one' }, () => 'first');
  return upstream;
}

/** Waits for a notification, and gives its params without what names the stream. */
async function heard(raw: Raw, method: string): Promise<Json> {
  await until(() => raw.methods.includes(method), method);
  const { _meta: _, ...params } = Object(raw.take().find((message) => message['method'] === method)?.['params']);
  return params;
}

function byEra({ client, server }: Pairing): Seen {
  return client.era === server.era ? carried : changed;
}

const resourceSubscriptions: Walk = async (pairing) => {
  const { client } = pairing;
  const raw = await watching(pairing);
  if (client.era === 'handshake') await raw.result('resources/subscribe', { uri: 'memo:one' });
  else {
    void raw.send('subscriptions/listen', { notifications: { resourceSubscriptions: ['memo:one'] } }, 'mine');
    await until(() => raw.take().length > 0, 'the acknowledgement');
  }
  await raw.result('tools/call', { name: 'touch' });
  assert.deepEqual(await heard(raw, 'notifications/resources/updated'), { uri: 'memo:one' });
  if (client.era === 'handshake') await raw.result('resources/unsubscribe', { uri: 'memo:one' });
  else await raw.notify('notifications/cancelled', { requestId: 'mine' });
  await raw.result('tools/call', { name: 'touch' });
  await raw.result('tools/list');
  assert.ok(!raw.methods.includes('notifications/resources/updated'));
  return byEra(pairing);
};

const listChanges: Walk = async (pairing) => {
  const { client } = pairing;
  const raw = await watching(pairing);
  if (client.era === 'stateless') {
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    void raw.send('subscriptions/listen', { notifications }, 'mine');
    await until(() => raw.take().length > 0, 'the acknowledgement');
    // The bridge subscribes at the server beside this. Changes before that are told to nobody.
    await raw.result('tools/call', { name: 'one' });
  }
  for (const list of ['tools', 'prompts', 'resources'] as const) {
    await raw.result('tools/call', { name: 'change', arguments: { list } });
    assert.deepEqual(await heard(raw, `notifications/${list}/list_changed`), {});
  }
  return byEra(pairing);
};

/** The walks of what happens beside the answers. */
export const callWalks: Walks = {
  progress,
  'logging-level': loggingLevel,
  'logging-messages': loggingMessages,
  cancellation,
  'resource-subscriptions': resourceSubscriptions,
  'list-changes': listChanges,
};
