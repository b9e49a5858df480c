/** One client of a server with tasks, as raw messages. */

import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { program } from './raw.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';

type Json = Readonly<Record<string, unknown>>;

/** The id of the extension. */
export const extension = 'io.modelcontextprotocol/tasks';

/** What a client says of itself. */
export interface TaskClientOptions {
  /** The revision; 2026-07-28 is stateless, the others begin with `initialize`. */
  readonly revision: string;
  readonly capabilities?: Json;
  readonly principal?: string;
  readonly network?: string;
  /** The address that it comes from, as over HTTP; that of all others by default, and none if null. */
  readonly address?: string | null;
  /** The program that it says it is; that of all others by default. */
  readonly info?: { readonly name: string; readonly version: string };
  /** Answers a request of the server. */
  readonly answer?: (method: string, params: Json) => Json;
}

/** A client that asks, and hears what it is told beside its answers. */
export interface TaskClient {
  readonly heard: Json[];
  /** The result, else the error as `{ code, message, data }`. */
  ask(method: string, params?: Json): Promise<Json>;
  /** Sends a notification. */
  tell(method: string, params: Json): Promise<unknown>;
  close(): void;
}

/** Declares the extension, and that its user can be asked. */
export const extended: Json = { elicitation: {}, extensions: { [extension]: {} } };

/** Opens a conversation. */
export async function taskClient(server: Servable, options: TaskClientOptions): Promise<TaskClient> {
  const { revision, capabilities = {}, principal, network = 'inproc', answer } = options;
  const { address = program.address, info = program.info } = options;
  const heard: Json[] = [];
  let id = 0;
  const conversation = server.endpoint.openConnection({
    lasting: true,
    network,
    ...(address === null ? {} : { address }),
    ...(principal === undefined ? {} : { auth: { principal } }),
    send: (message) => {
      heard.push({ ...message });
      if (!('id' in message && 'method' in message)) return;
      const result = answer?.(message.method, message.params ?? {}) ?? {};
      const reply = 'code' in result ? { error: result } : { result };
      void conversation.receive({ jsonrpc: '2.0', id: message.id, ...reply });
    },
  });
  const isStateless = revision === '2026-07-28';
  const stateless = {
    [metaKey.protocolVersion]: revision,
    [metaKey.clientCapabilities]: capabilities,
    [metaKey.clientInfo]: info,
  };
  const ask = async (method: string, params: Json = {}): Promise<Json> => {
    const _meta = isStateless ? { _meta: { ...stateless, ...(params['_meta'] as Json | undefined) } } : {};
    const response = await conversation.receive({ jsonrpc: '2.0', id: ++id, method, params: { ...params, ..._meta } });
    if (response === undefined) throw new Error(`${method} was not answered`);
    return 'result' in response ? { ...response.result } : { ...response.error };
  };
  if (!isStateless) {
    await ask('initialize', {
      protocolVersion: revision,
      capabilities,
      clientInfo: info,
    });
    await conversation.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  const tell = (method: string, params: Json): Promise<unknown> =>
    conversation.receive({ jsonrpc: '2.0', method, params });
  return { heard, ask, tell, close: () => conversation.close() };
}

/** Asks for a task until it is as wanted. */
export async function whenTask(client: TaskClient, taskId: unknown, isWanted: (task: Json) => boolean): Promise<Json> {
  for (let tries = 0; tries < 1000; tries++) {
    const task = await client.ask('tasks/get', { taskId });
    if (isWanted(task)) return task;
    await new Promise<void>((resolve) => void setTimeout(resolve, 5));
  }
  throw new Error(`task ${String(taskId)} did not become what is wanted`);
}
