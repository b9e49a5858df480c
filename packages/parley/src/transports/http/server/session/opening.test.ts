import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createHandler, type FetchHandler, type HttpOptions } from '../../../../http.ts';
import { createServer } from '../../../../server.ts';
import { until } from '../../../../../../../test/support/turns.ts';

interface Scene {
  readonly handler: FetchHandler;
  /** What was told of sessions. */
  readonly told: readonly string[];
  /** Number of sessions that are being opened. */
  readonly opening: () => number;
  /** Begins a session. */
  begin(): Promise<Response>;
  /** Lets those be opened that wait. */
  release(): void;
}

/** A server whose sessions take their time to be opened. */
function scene(t: TestContext, options: HttpOptions): Scene {
  const told: string[] = [];
  const server = createServer(
    { name: 's', version: '1' },
    { onEvent: ({ type }) => void (type.startsWith('session-') && told.push(type)) },
  );
  let opening = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  server.use('initialize', async (_, next) => {
    opening++;
    await released;
    return await next();
  });
  const handler = createHandler(server, options);
  t.after(() => Promise.all([handler.close(), server.close()]));
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const begin = async (): Promise<Response> =>
    await handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      }),
    );
  return { handler, told, begin, release: () => release(), opening: () => opening };
}

test('sessions that are being opened count among those that are open', async (t) => {
  const { begin, release, opening } = scene(t, { maxSessions: 2 });
  const begun = [begin(), begin(), begin()];
  await until(() => opening() === 2, 'two of them');
  release();
  const statuses = (await Promise.all(begun)).map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 503]);
});

test('a session that is being opened while the server closes is not there afterwards', async (t) => {
  const { handler, told, begin, release, opening } = scene(t, { drainTimeoutMs: 0 });
  const begun = begin().catch(() => undefined);
  await until(() => opening() === 1, 'it is being opened');
  await handler.close();
  release();
  const response = await begun;
  assert.equal(response?.headers.get('mcp-session-id') ?? undefined, undefined);
  await until(() => told.length === 2, 'it is told of, and of its end');
  assert.deepEqual(told, ['session-opened', 'session-ended']);
});
