/** Requests whose session ends before they have what they need to be answered. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { until } from '../../../../../../../test/support/turns.ts';
import { createHandler } from '../../../../http.ts';
import { createServer } from '../../../../server.ts';
import { memoryStore } from '../../../../storage/memory/store.ts';
import type { Store } from '../../../../storage/store.ts';

/** Something that is asked for, and given when it is let go. */
class Gate {
  isAsked = false;
  open = (): void => undefined;

  async pass(): Promise<void> {
    this.isAsked = true;
    await new Promise<void>((resolve) => (this.open = resolve));
  }
}

/** A session, and what is said in it. */
interface Scene {
  get(more?: Readonly<Record<string, string>>): Promise<Response>;
  end(): Promise<Response>;
  /** The id of an event of a stream that has ended. */
  readonly event: string;
}

async function scene(t: TestContext, store: Store): Promise<Scene> {
  const server = createServer(
    { name: 's', version: '1' },
    { store, rounds: { keys: [new Uint8Array(32)] }, onError: () => undefined },
  );
  server.tool('step', {}, (_, ctx) => {
    ctx.progress(1);
    return 'done';
  });
  const handler = createHandler(server);
  t.after(() => Promise.all([handler.close(), server.close()]));
  const send = async (method: string, more: Readonly<Record<string, string>>, message?: object): Promise<Response> =>
    await handler(
      new Request('http://localhost/mcp', {
        method,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more },
        ...(message && { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
      }),
    );
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const opened = await send('POST', {}, { id: 1, method: 'initialize', params });
  const known = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
  const call = {
    id: 2,
    method: 'tools/call',
    params: { name: 'step', arguments: {}, _meta: { progressToken: 1 } },
  };
  const event = /id: (.+)/.exec(await (await send('POST', known, call)).text())?.[1] ?? '';
  return {
    get: async (more = {}) => await send('GET', { ...known, ...more }),
    end: async () => await send('DELETE', known),
    event,
  };
}

test('who takes up a stream while its session ends is told that the session does not exist', async (t) => {
  const gate = new Gate();
  const inMemory = memoryStore();
  const open: Store['events']['open'] = (session) => {
    const log = inMemory.events.open(session);
    return {
      write: (...given) => log.write(...given),
      read: async (...given) => {
        await gate.pass();
        return await log.read(...given);
      },
      clear: () => log.clear(),
    };
  };
  const { get, end, event } = await scene(t, { ...inMemory, shared: true, events: { open } });
  const taken = get({ 'last-event-id': event });
  await until(() => gate.isAsked, 'what it missed is read');
  assert.equal((await end()).status, 204);
  gate.open();
  assert.equal((await taken).status, 404);
});

test('who begins to listen while its session ends is told that the session does not exist', async (t) => {
  const gate = new Gate();
  const inMemory = memoryStore();
  const { records } = inMemory;
  const put: typeof records.put = async (key, ...given) => {
    if (key.startsWith('listening ')) await gate.pass();
    return await records.put(key, ...given);
  };
  const store: Store = {
    ...inMemory,
    shared: true,
    records: {
      add: (...given) => records.add(...given),
      get: (...given) => records.get(...given),
      put,
      touch: (...given) => records.touch(...given),
      delete: (...given) => records.delete(...given),
    },
  };
  const { get, end } = await scene(t, store);
  const listening = get();
  await until(() => gate.isAsked, 'its stream is claimed');
  assert.equal((await end()).status, 204);
  gate.open();
  assert.equal((await listening).status, 404);
});
