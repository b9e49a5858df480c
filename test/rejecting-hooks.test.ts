import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { afterEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { connect } from '../packages/parley/src/client.ts';
import { createHandler } from '../packages/parley/src/transports/http/server/fetch.ts';
import { memoryTransport } from '../packages/parley/src/testing/memory-transport.ts';
import { createServer } from '../packages/parley/src/server/server.ts';
import { serveStdio } from '../packages/parley/src/transports/stdio/server/serve.ts';

const info = { name: 's', version: '1' };

/** A hook that is an async function, which a listener's type allows, and fails. */
const rejecting = (async () => {
  await setImmediate();
  throw new Error('no disk');
}) as unknown as () => void;

describe('A hook whose promise rejects ends nothing', () => {
  const unhandled: unknown[] = [];
  const hear = (reason: unknown): void => void unhandled.push(reason);

  afterEach(async () => {
    await setImmediate();
    await setImmediate();
    process.off('unhandledRejection', hear);
    assert.deepEqual(unhandled.splice(0), []);
  });

  test('onError of a server', async () => {
    process.on('unhandledRejection', hear);
    const server = createServer(info, { onError: rejecting });
    server.tool('fail', {}, () => assert.fail('broken'));
    const client = await connect(memoryTransport(server));
    assert.equal((await client.callTool('fail', {})).isError, true);
    await client.close();
  });

  test('onWarning of a server, which may throw as well', async () => {
    process.on('unhandledRejection', hear);
    createServer(info, { onWarning: rejecting }).tool('a name with spaces', {}, () => 'fine');
    const throwing = createServer(info, { onWarning: () => assert.fail('no disk') });
    assert.ok(throwing.tool('a name with spaces', {}, () => 'fine').enabled);
  });

  test('onError and onWarning over HTTP', async (context) => {
    process.on('unhandledRejection', hear);
    const printed = context.mock.method(console, 'error', () => undefined);
    const hooks = { authenticate: rejecting as never, onError: rejecting, onWarning: rejecting };
    const handler = createHandler(createServer(info), hooks);
    assert.equal((await handler(new Request('http://localhost/', { method: 'POST' }))).status, 500);
    assert.equal((await handler(new Request('http://evil.example/', { method: 'POST' }))).status, 403);
    await setImmediate();
    await setImmediate();
    assert.equal(printed.mock.callCount(), 2);
  });

  test('onError on stdio, which may throw as well', async () => {
    process.on('unhandledRejection', hear);
    for (const onError of [rejecting, () => assert.fail('no disk')]) {
      const input = new PassThrough();
      const { closed } = serveStdio(createServer(info), { input, output: new PassThrough(), onError });
      input.end(Buffer.from([0xff, 0x0a]));
      await closed;
    }
  });
});
