/** Tasks, whose two forms meet in one bridge. */

import assert from 'node:assert/strict';
import { mayAsk } from '../../packages/parley/src/protocol/catalogue.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import { open, type Json } from '../support/raw.ts';
import { paramsSent } from '../support/scripted-upstream.ts';
import { ask } from './question.ts';
import { until } from '../support/turns.ts';
import {
  at,
  capabilitiesHeard,
  changed,
  compared,
  meet,
  nothing,
  refusal,
  type Met,
  type Pairing,
  type Seen,
  type Walk,
  type Walks,
} from './walk.ts';

const extension = 'io.modelcontextprotocol/tasks';

/** What a server declares that has tasks, in every form. */
const ofServers = {
  tools: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { [extension]: {} },
};

/** What a client declares, in every form. */
const ofClients = {
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
  extensions: { [extension]: {} },
};

function formOf({ tasks }: Revision, all: typeof ofServers | typeof ofClients): Json | undefined {
  if (tasks === 'none') return undefined;
  return tasks === 'core' ? { tasks: all.tasks } : { extensions: all.extensions };
}

const times = { createdAt: '2026-07-28T00:00:00.000Z', lastUpdatedAt: '2026-07-28T00:00:00.000Z' };

/** A task as a revision has it. */
function taskIn({ tasks }: Revision, status = 'working'): Json {
  const life = tasks === 'core' ? { ttl: null, pollInterval: 5 } : { ttlMs: null, pollIntervalMs: 5 };
  return { taskId: 'upstream-task-1', status, ...times, ...life };
}

function createdIn(revision: Revision): Json {
  if (revision.tasks === 'none') return { content: [] };
  return revision.tasks === 'core' ? { task: taskIn(revision) } : { ...taskIn(revision), resultType: 'task' };
}

/** Lets a client that has tasks, where its revision does, meet a server that does. */
function meetWithTasks(pairing: Pairing, answers: Parameters<typeof meet>[1] = {}): Promise<Met> {
  const capabilities = { ...formOf(pairing.server, ofServers), tools: {} };
  const listed = { tools: [{ name: 'any', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] };
  const all = { 'tools/list': listed, ...answers.answers };
  return meet(
    pairing,
    { capabilities, ...answers, answers: all },
    { capabilities: formOf(pairing.client, ofClients) ?? {} },
  );
}

/** Has a tool called, as a task where the client can wish for one. */
function called({ client }: Pairing, { raw }: Met): Promise<Json> {
  return raw.result('tools/call', { name: 'any', ...(client.tasks === 'core' ? { task: { ttl: 1000 } } : {}) });
}

const capability: Walk = async (pairing) => {
  const said = formOf(pairing.server, ofServers);
  const { bridge } = await meetWithTasks(pairing);
  const opening = pairing.client.era === 'stateless' ? 'server/discover' : undefined;
  const told =
    opening === undefined
      ? await initialized(bridge, pairing)
      : at(await (await open(bridge, pairing.client.date)).result(opening), 'capabilities');
  const heard = { tasks: at(told, 'tasks'), extensions: at(told, 'extensions') };
  return said === undefined ? nothing : compared({ tasks: undefined, extensions: undefined, ...said }, heard);
};

async function initialized(bridge: Met['bridge'], { client }: Pairing): Promise<unknown> {
  const conversation = bridge.endpoint.openConnection({ lasting: true, send: () => undefined });
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: client.date, capabilities: {}, clientInfo };
  return at(
    await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    'result',
    'capabilities',
  );
}

const ofClient: Walk = async (pairing) => {
  const said = formOf(pairing.client, ofClients);
  const met = await meetWithTasks(pairing, { answers: { 'tools/call': { content: [] } } });
  await called(pairing, met);
  const told = capabilitiesHeard(pairing.server, met.transport);
  const heard = { tasks: at(told, 'tasks'), extensions: at(told, 'extensions') };
  return said === undefined ? nothing : compared({ tasks: undefined, extensions: undefined, ...said }, heard);
};

const parameter: Walk = async (pairing) => {
  if (pairing.client.tasks !== 'core') return nothing;
  const met = await meetWithTasks(pairing, { answers: { 'tools/call': { content: [] } } });
  await called(pairing, met);
  return compared({ ttl: 1000 }, paramsSent(met.transport, 'tools/call')['task']);
};

/** Tells whether the bridge keeps the tasks of the client itself. */
function isKept({ client, server }: Pairing): boolean {
  return client.tasks === 'core' && server.tasks === 'extension';
}

/** Tells whether the server was asked for a task, or was told that its client takes one. */
function isAsked({ server }: Pairing, { transport }: Met): boolean {
  const { task, _meta: meta } = paramsSent(transport, 'tools/call');
  const declared = at(meta, 'io.modelcontextprotocol/clientCapabilities', 'extensions', extension);
  return server.tasks === 'extension' ? declared !== undefined : task !== undefined;
}

const created: Walk = async (pairing) => {
  const { client, server } = pairing;
  const met = await meetWithTasks(pairing, {
    answers: {
      'tools/call': (sent, peer) => peer.reply(sent, isAsked(pairing, met) ? createdIn(server) : { content: [] }),
      // The bridge waits in the place of a client that knows of no tasks.
      ...(client.tasks === 'none' ? { 'tasks/result': { content: [] } } : {}),
    },
  });
  const result = await called(pairing, met);
  if (isKept(pairing)) await until(() => isAsked(pairing, met), 'the call upstream');
  if (client.tasks === 'none' || !isAsked(pairing, met)) return nothing;
  const { taskId, ...rest } = Object(client.tasks === 'core' ? result['task'] : result);
  assert.notEqual(taskId, 'upstream-task-1');
  const { taskId: _, ...said } = taskIn(server);
  return compared(said, Object.fromEntries(Object.keys(said).map((key) => [key, rest[key]])));
};

/** Tells whether the bridge has tasks made in the other form, since it alone can ask for them. */
function isOfCore({ client, server }: Pairing): boolean {
  return client.tasks === 'extension' && server.tasks === 'core';
}

const methodAnswers = (server: Revision): Readonly<Record<string, Json>> => ({
  'tools/call': createdIn(server),
  'tasks/get': taskIn(server),
  'tasks/cancel': server.tasks === 'core' ? taskIn(server, 'cancelled') : {},
  'tasks/result': { content: [] },
  'tasks/update': {},
  'tasks/list': { tasks: [taskIn(server)] },
});

/** Asks the methods of one task, those that the client's revision has or, where it has none, all. */
const methods: Walk = async (pairing) => {
  const { client, server } = pairing;
  const met = await meetWithTasks(pairing, { answers: methodAnswers(server) });
  const all = ['tasks/get', 'tasks/cancel', 'tasks/result', 'tasks/update'];
  // What was cancelled has no result: the tests of kept tasks ask for that.
  const own = all.filter((method) => mayAsk(client, method) && !(isKept(pairing) && method === 'tasks/result'));
  const isSame = client.tasks === server.tasks;
  const isGiven = client.tasks !== 'none' && (isSame || isOfCore(pairing) || isKept(pairing));
  const result = isGiven ? await called(pairing, met) : {};
  const taskId = at(result, 'task', 'taskId') ?? at(result, 'taskId') ?? 'any';
  const seen: Seen[] = [];
  for (const method of own.length === 0 ? all : own) {
    const answer = await met.raw.ask(method, { taskId, inputResponses: {} });
    if (isKept(pairing)) seen.push(compared({ taskId: 'upstream-task-1' }, { taskId: at(answer, 'result', 'taskId') }));
    else if ('error' in answer) seen.push(refusal(client, answer['error'] as never));
    else if (isSame) seen.push(compared('upstream-task-1', paramsSent(met.transport, method)['taskId']));
    else seen.push(compared(methodAnswers(server)[method], answer['result']));
  }
  const [first, ...rest] = seen;
  assert.ok(first);
  for (const other of rest) assert.deepEqual(other, first);
  return first;
};

const list: Walk = async (pairing) => {
  const met = await meetWithTasks(pairing, { answers: methodAnswers(pairing.server) });
  const answer = await met.raw.ask('tasks/list');
  if ('error' in answer) return refusal(pairing.client, answer['error'] as never);
  const { taskId, ...rest } = Object((at(answer, 'result', 'tasks') as readonly Json[])[0]);
  assert.equal(taskId, at(await called(pairing, met), 'task', 'taskId'));
  const { taskId: _, ...said } = taskIn(pairing.server);
  return compared(said, rest);
};

/** A server tells how a task stands: in a session unasked, else to whoever listens. */
const notices: Walk = async (pairing) => {
  const { client, server } = pairing;
  if (server.tasks === 'none') return nothing;
  const method = server.tasks === 'core' ? 'notifications/tasks/status' : 'notifications/tasks';
  const last = 'notifications/x.example/last';
  const met = await meetWithTasks(pairing, {
    answers: {
      ...methodAnswers(server),
      'tasks/get': taskIn(server, 'cancelled'),
      'tools/call': (sent, peer) => {
        peer.reply(sent, isAsked(pairing, met) ? createdIn(server) : { content: [] });
        if (server.tasks === 'core') peer.send({ jsonrpc: '2.0', method, params: taskIn(server, 'completed') });
      },
      'subscriptions/listen': (sent, peer) => {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': sent.message['id'] };
        const notifications = { taskIds: ['upstream-task-1'] };
        const send = (name: string, params: Json): void =>
          peer.send({ jsonrpc: '2.0', method: name, params: { ...params, _meta } });
        send('notifications/subscriptions/acknowledged', { notifications });
        send(method, { ...taskIn(server, 'cancelled') });
      },
      'x.example/last': (sent, peer) => {
        const progressToken = at(sent.message, 'params', '_meta', 'progressToken');
        peer.send({ jsonrpc: '2.0', method: last, params: { progressToken } });
        peer.reply(sent, {});
      },
    },
  });
  const result = await called(pairing, met);
  if (client.tasks === 'extension')
    void met.raw.send('subscriptions/listen', { notifications: { taskIds: [at(result, 'taskId') ?? 'any'] } });
  await met.raw.result('x.example/last', { _meta: { progressToken: 'last' } });
  if (isKept(pairing)) {
    await until(() => met.raw.methods.includes('notifications/tasks/status'), 'a notice of the bridge');
    return changed;
  }
  const heard = (): boolean => met.raw.methods.includes(method);
  const isOver = (): boolean => met.raw.methods.includes(last);
  const made = (): boolean => isOfCore(pairing) && met.raw.methods.includes('notifications/tasks');
  const isNone = client.tasks !== server.tasks && !isOfCore(pairing);
  await until(() => heard() || made() || (isOver() && isNone), 'a notice, or what comes after it');
  return heard() ? compared(1, 1) : changed;
};

/** A server of 2025-11-25 goes on telling of progress by the token of the call, after it was answered with a task. */
const progress: Walk = async (pairing) => {
  const { client, server } = pairing;
  if (server.tasks !== 'core' || client.tasks === 'none') return nothing;
  const met = await meetWithTasks(pairing, {
    answers: {
      'tasks/get': taskIn(server),
      'tools/call': (sent, peer) => {
        peer.reply(sent, createdIn(server));
        const progressToken = at(paramsSent(met.transport, 'tools/call'), '_meta', 'progressToken');
        const params = { progressToken, progress: 1, total: 2, message: 'loaded' };
        peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
      },
    },
  });
  const wish = client.tasks === 'core' ? { task: {}, _meta: { progressToken: 'mine' } } : {};
  const result = await met.raw.result('tools/call', { name: 'any', ...wish });
  if (client.tasks === 'core') {
    await until(() => met.raw.methods.includes('notifications/progress'), 'progress');
    const report = met.raw.take().find(({ method }) => method === 'notifications/progress');
    const said = { progressToken: 'mine', progress: 1, total: 2, message: 'loaded' };
    return compared(said, Object(at(report, 'params')));
  }
  let message: unknown;
  const looked = async (): Promise<void> => {
    message = (await met.raw.result('tasks/get', { taskId: at(result, 'taskId') }))['statusMessage'];
  };
  for (let tries = 0; tries < 1_000 && message === undefined; tries++) await looked();
  assert.equal(message, '1 of 2: loaded');
  return changed;
};

const immediate: Walk = async (pairing) => {
  const { client, server } = pairing;
  if (server.tasks !== 'core' || client.tasks === 'none') return nothing;
  const _meta = { 'io.modelcontextprotocol/model-immediate-response': 'it runs' };
  const met = await meetWithTasks(pairing, { answers: { 'tools/call': { ...createdIn(server), _meta } } });
  return compared(_meta, at(await called(pairing, met), '_meta') ?? {});
};

const asked: Walk = async (pairing) => {
  if (pairing.server.tasks !== 'core') return nothing;
  const params = { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }], maxTokens: 10 };
  const answer = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'any' };
  const asked = { method: 'sampling/createMessage', params: { ...params, task: { ttl: 5 } }, answer };
  const capabilities = { sampling: {}, ...formOf(pairing.client, ofClients) };
  const { questions, error } = await ask(pairing, [[asked]], capabilities);
  assert.equal(error, undefined);
  return compared({ ttl: 5 }, at(questions[0], 'params', 'task'));
};

const unasked: Walk = async (pairing) => {
  if (pairing.server.tasks !== 'extension') return nothing;
  const { raw } = await meet(pairing, { answers: { 'tools/call': createdIn(pairing.server) } });
  return refusal(pairing.client, await raw.error('tools/call', { name: 'any' }));
};

/** A server refuses what asks for no task, and is waited for. */
const only: Walk = async (pairing) => {
  const { client, server } = pairing;
  if (server.tasks === 'none') return nothing;
  const capabilities = { tools: {}, ...formOf(server, ofServers) };
  const extensions = { [extension]: {} };
  const refusalOf =
    server.tasks === 'core'
      ? { code: -32601, message: 'a task alone' }
      : { code: -32021, message: 'a task alone', data: { requiredCapabilities: { extensions } } };
  const said = [{ type: 'text', text: 'done' }];
  const met = await meet(pairing, {
    capabilities,
    answers: {
      'tools/call': (sent, peer) =>
        isAsked(pairing, met) ? peer.reply(sent, createdIn(server)) : peer.refuse(sent, refusalOf),
      'tasks/result': { content: said },
      'tasks/get': { ...taskIn(server, 'completed'), statusMessage: 'all done', result: { content: said } },
    },
  });
  const result = await met.raw.result('tools/call', { name: 'any', _meta: { progressToken: 'mine' } });
  assert.deepEqual(result['content'], said);
  if (server.tasks === 'extension') {
    const [report] = met.raw.take();
    assert.deepEqual(at(report, 'params', 'progress'), 1);
    if (client.date !== '2024-11-05') assert.equal(at(report, 'params', 'message'), 'all done');
  }
  return changed;
};

/** The walks of tasks. */
export const taskWalks: Walks = {
  'tasks-capability': capability,
  'tasks-of-clients': ofClient,
  'tasks-parameter': parameter,
  'tasks-created': created,
  'tasks-only': only,
  'tasks-methods': methods,
  'tasks-list': list,
  'tasks-notices': notices,
  'tasks-progress': progress,
  'tasks-immediate': immediate,
  'tasks-asked': asked,
  'tasks-results': unasked,
};
