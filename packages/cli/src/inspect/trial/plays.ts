/** Plays of requests that crossed: each by what a client has for it. */

import type { Client } from '../../../../parley/src/client/api/client.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { settledWithin } from '../../../../parley/src/jsonrpc/timeout.ts';
import { revisionOf } from '../../../../parley/src/protocol/revision.ts';
import { VerbError } from '../http/body.ts';
import type { Hops } from './hops.ts';
import type { PlayableMethod } from './playable.ts';

/** Parameters of a request. */
export type PlayParams = Readonly<Record<string, unknown>>;

/** A request, as it is to be played. */
export interface WantedPlay {
  readonly method: PlayableMethod;
  readonly params: PlayParams;
  /** True for a call that becomes a task where the client and the server have any, and is followed to its end. */
  readonly asTask: boolean;
  /** True where it is cancelled as soon as it runs. */
  readonly cancels: boolean;
  readonly hops: Hops;
  readonly signal: AbortSignal;
}

/** Longest wait for a change that a person may bring about meanwhile, and for what a cancelled call makes of it. */
const limitMs = { change: 10_000, cancelled: 2_000 };

type Play = (client: Client, wanted: WantedPlay) => Promise<unknown>;

/** Plays a request. @throws whatever its client gets. */
export function play(client: Client, wanted: WantedPlay): Promise<unknown> {
  return plays[wanted.method](client, wanted);
}

const opening: Play = () => Promise.resolve();

const plays: Readonly<Record<PlayableMethod, Play>> = {
  initialize: opening,
  'server/discover': opening,
  'tools/call': (client, wanted) => {
    // A client of a revision without tasks calls, and whoever is in between waits.
    const asTask = wanted.asTask && revisionOf(client.revision)?.tasks !== 'none';
    const own = { ...wanted, asTask };
    return own.cancels ? cancelled(client, own) : asTask ? task(client, own) : call(client, own);
  },
  'tools/list': (client, { signal }) => client.listTools({ signal }),
  'prompts/get': (client, { params, signal }) =>
    client.getPrompt(textIn(params, 'name'), textsOf(objectIn(params, 'arguments')), { signal, timeoutMs: 0 }),
  'prompts/list': (client, { signal }) => client.listPrompts({ signal }),
  'resources/read': (client, { params, signal }) =>
    client.readResource(textIn(params, 'uri'), { signal, timeoutMs: 0, cache: 'refresh' }),
  'resources/list': (client, { signal }) => client.listResources({ signal }),
  'resources/templates/list': (client, { signal }) => client.listResourceTemplates({ signal }),
  'resources/subscribe': (client, wanted) => changes(client, wanted, { updates: [textIn(wanted.params, 'uri')] }),
  'subscriptions/listen': (client, wanted) => changes(client, wanted, topicsIn(wanted.params)),
};

function call(client: Client, { params, signal }: WantedPlay): Promise<unknown> {
  return client.callTool(textIn(params, 'name'), objectIn(params, 'arguments'), {
    signal,
    timeoutMs: 0,
    onProgress: () => {},
  });
}

/** Life of a task: it begins, tells how it stands, and has a result. */
async function task(client: Client, { params, signal }: WantedPlay): Promise<unknown> {
  const options = { signal, timeoutMs: 0, onProgress: () => {} };
  const handle = await client.startTask(textIn(params, 'name'), objectIn(params, 'arguments'), options);
  for await (const _ of handle.updates({ signal, onGiveUp: 'cancel' }));
  return await handle.result({ signal, onGiveUp: 'cancel' });
}

/** Begins a call, and gives it up once the server has it: as a task, where one was made of it. */
async function cancelled(client: Client, wanted: WantedPlay): Promise<unknown> {
  const { params, asTask, hops, signal } = wanted;
  const giving = new AbortController();
  const both = AbortSignal.any([signal, giving.signal]);
  const runs = hops.heard(({ hop, from, method }) => hop === 'server' && from === 'client' && method === 'tools/call');
  const ended = hops.heard(
    ({ hop, method }) => hop === 'server' && /^(notifications\/cancelled|tasks\/cancel)$/.test(method),
  );
  const running = asTask ? begun(client, wanted, both) : call(client, { ...wanted, signal: both });
  const settled = running.catch(() => undefined);
  await Promise.race([runs, settled, aborted(signal)]);
  const handle = asTask ? await Promise.race([begunSoon(running), aborted(signal)]) : undefined;
  if (handle === undefined) giving.abort(new Error(`given up, to see it cancelled: ${textIn(params, 'name')}`));
  else await handle.cancel({ signal });
  await settledWithin(limitMs.cancelled, Promise.race([ended, aborted(signal)]));
  signal.throwIfAborted();
  return undefined;
}

type StartedTask = Awaited<ReturnType<Client['startTask']>>;

function begun(client: Client, { params }: WantedPlay, signal: AbortSignal): Promise<StartedTask> {
  return client.startTask(textIn(params, 'name'), objectIn(params, 'arguments'), { signal, timeoutMs: 0 });
}

/** The task of a call, where one comes. */
async function begunSoon(running: Promise<unknown>): Promise<StartedTask | undefined> {
  if (!(await settledWithin(limitMs.cancelled, running))) return undefined;
  // What was begun by `startTask` settles as a handle.
  const handle = (await running) as StartedTask;
  return handle.reference === undefined ? undefined : handle;
}

/** Listens until something changes, for a time; what the person does meanwhile may change it. */
async function changes(
  client: Client,
  { signal }: WantedPlay,
  topics: Parameters<Client['subscribe']>[0],
): Promise<unknown> {
  let tell = (): void => {};
  const changed = new Promise<void>((resolve) => (tell = resolve));
  const subscription = await client.subscribe(topics, () => tell(), { signal });
  await settledWithin(limitMs.change, Promise.race([changed, subscription.closed, aborted(signal)]));
  signal.throwIfAborted();
  await subscription.close();
  return undefined;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function topicsIn(params: PlayParams): Parameters<Client['subscribe']>[0] {
  const wanted = objectIn(params, 'notifications');
  const uris = wanted['resourceSubscriptions'];
  const updates = Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : [];
  return {
    ...(wanted['toolsListChanged'] === true ? { tools: true } : {}),
    ...(wanted['promptsListChanged'] === true ? { prompts: true } : {}),
    ...(wanted['resourcesListChanged'] === true ? { resources: true } : {}),
    ...(updates.length === 0 ? {} : { updates }),
  };
}

function textIn(params: PlayParams, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') throw new VerbError(400, `the request has no ${key}`);
  return value;
}

function objectIn(params: PlayParams, key: string): PlayParams {
  const value = params[key];
  return isObject(value) ? value : {};
}

function textsOf(value: PlayParams): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  );
}
