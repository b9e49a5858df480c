/** Processes of a service whose sessions are in a store that they share, in one process. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createHandler } from '../../packages/parley/src/transports/http/server/fetch.ts';
import type { HttpOptions } from '../../packages/parley/src/transports/http/server/exchanges/options.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { StoreError, type Store } from '../../packages/parley/src/storage/store.ts';

/** The resource that each server has. */
export const uri = 'news://today';

/** One process. */
export interface Process {
  readonly server: Server;
  send(method: string, headers: Record<string, string>, body?: object): Promise<Response>;
}

/** A process of a service, over its way to the store of all of them. */
export function processOver(t: TestContext, store: Store, options: HttpOptions = {}): Process {
  const rounds = { keys: [new Uint8Array(32)] };
  const server = createServer({ name: 's', version: '1' }, { store: { ...store, shared: true }, rounds });
  server.resource(uri, { name: 'news' }, () => 'none');
  const handler = createHandler(server, { onError: () => undefined, ...options });
  t.after(async () => {
    t.mock.timers.reset();
    await handler.close();
    await server.close();
  });
  const always = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' };
  return {
    server,
    send: async (method, headers, body) =>
      await handler(
        new Request('http://localhost/mcp', {
          method,
          headers: {
            accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
            ...always,
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', ...body }) }),
        }),
      ),
  };
}

/** A store whose commands fail while `fails` says so of them. */
export function faltering(store: Store, fails: (command: string, given: string) => boolean): Store {
  const unless = <Given extends [string, ...never[]], Value>(command: string, ask: (...given: Given) => Value) => {
    return (...given: Given): Value => {
      if (fails(command, given.join(' '))) throw new StoreError('unavailable', 'away');
      return ask(...given);
    };
  };
  const { records, bus } = store;
  return {
    ...store,
    records: { ...records, get: unless('get', (key: string) => records.get(key)) },
    bus: {
      publish: unless('publish', (channel: string, text: string) => bus.publish(channel, text)),
      subscribe: unless('subscribe', (channel: string, ...hearing: [(text: string) => void, () => void]) =>
        bus.subscribe(channel, ...hearing),
      ),
    },
  };
}

/** Lets what is begun come to its end, whose steps are turns of the loop here. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await turn();
}

/** What was said on a stream so far, as often as it is asked. */
export function heardOn(stream: Response): () => string {
  let text = '';
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of stream.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  })();
  return () => text;
}

/** The headers of a session that is opened at a process, and ready. */
export async function openSession(process: Process, capabilities: object = {}): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'c', version: '1' } };
  const opened = await process.send('POST', {}, { id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? assert.fail('it has an id') };
  await process.send('POST', session, { method: 'notifications/initialized' });
  return session;
}
