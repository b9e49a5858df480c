import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { handshake, stateless } from '../../../../test/support/recovering.ts';
import { httpTransport } from '../transports/http/client/transport.ts';
import { toNodeHandler } from '../transports/node/server/http.ts';
import { createServer, type Server } from '../server/server.ts';
import { spawnNode } from '../../../../test/support/programs.ts';
import { createConnect, type Connect } from './connect.ts';
import type { SubscriptionEvent } from './api/subscription.ts';

/** Connects without memory of the other servers at the same URL. */
const connect: Connect<object> = (target, options) =>
  createConnect({ http: (url) => httpTransport(url) })(target, options);

describe('a client of a server over HTTP that is restarted', () => {
  function weather(): Server {
    const server = createServer({ name: 'weather', version: '1.0.0' }, { onError: () => undefined });
    server.tool('forecast', {}, () => 'sunny');
    server.resource('memo://one', { name: 'one' }, () => 'x');
    return server;
  }

  interface Serving {
    readonly url: string;
    readonly port: number;
    /** Ends without a word to anybody. */
    kill(): Promise<void>;
  }

  /** Serves until it is killed; what it knew of sessions is gone then. */
  async function serve(server: Server, port = 0): Promise<Serving> {
    const handler = toNodeHandler(server);
    const http = createHttpServer(handler);
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
    // A server that listens on a port has an address that is an object.
    const { port: bound } = http.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${bound}/mcp`,
      port: bound,
      async kill() {
        const closed = new Promise((resolve) => http.close(resolve));
        http.closeAllConnections();
        await closed;
        await handler.close();
      },
    };
  }

  async function restart(serving: Serving, server: Server): Promise<Serving> {
    await serving.kill();
    return await serve(server, serving.port);
  }

  for (const date of ['2025-03-26', '2025-06-18', handshake]) {
    it(`begins a new session at ${date}, and goes on [http-048] [http-045]`, async (t) => {
      const server = weather();
      let serving = await serve(server);
      t.after(() => serving.kill());
      const reopened: string[] = [];
      const client = await connect(serving.url, {
        revisions: [date],
        onReconnect: ({ reason }) => void reopened.push(reason),
      });
      t.after(() => client.close());
      let arrived = (): void => {};
      const events: SubscriptionEvent[] = [];
      await client.subscribe({ updates: ['memo://one'] }, (event) => {
        events.push(event);
        if (event.type === 'update') arrived();
      });
      await client.callTool('forecast');

      serving = await restart(serving, server);
      assert.deepEqual(
        (await client.listTools()).map(({ name }) => name),
        ['forecast'],
      );
      assert.deepEqual(reopened, ['session-lost']);
      assert.deepEqual(events, [{ type: 'reopened' }]);
      const told = new Promise<void>((resolve) => (arrived = resolve));
      server.resourceUpdated('memo://one');
      await told;

      serving = await restart(serving, server);
      // What the first request after a restart finds may be a connection that is half closed.
      await fetch(serving.url).catch(() => {});
      await assert.rejects(client.callTool('forecast'), { reason: 'session-lost' });
      assert.equal((await client.callTool('forecast')).content.length, 1);
    });
  }

  it('finds out by itself that its session is gone, where it listens for changes [http-048]', async (t) => {
    const server = weather();
    let serving = await serve(server);
    t.after(() => serving.kill());
    const client = await connect(serving.url, { revisions: [handshake] });
    t.after(() => client.close());
    let again = (): void => {};
    const reopened = new Promise<void>((resolve) => (again = resolve));
    await client.subscribe({ updates: ['memo://one'] }, ({ type }) => type === 'reopened' && again());
    await client.readResource('memo://one');
    serving = await restart(serving, server);
    await reopened;
  });

  it('notices nothing at a stateless revision but a subscription that is opened again', async (t) => {
    const server = weather();
    let serving = await serve(server);
    t.after(() => serving.kill());
    const client = await connect(serving.url, { onReconnect: () => assert.fail('there is no session to lose') });
    t.after(() => client.close());
    let reopened = (): void => {};
    const again = new Promise<void>((resolve) => (reopened = resolve));
    const subscription = await client.subscribe({ tools: true }, ({ type }) => type === 'reopened' && reopened());
    serving = await restart(serving, server);
    await client.listTools();
    assert.equal((await client.callTool('forecast')).content.length, 1);
    await again;
    assert.deepEqual(subscription.honored, { tools: true });
  });

  it('asks again what broke off in the middle of its answer [http-063]', async (t) => {
    const server = weather();
    const serving = await serve(server);
    t.after(() => serving.kill());
    const bodies: string[] = [];
    const transport = httpTransport(serving.url, {
      fetch: async (url, request) => {
        bodies.push(request.body ?? '');
        if (bodies.length === 2)
          return new Response('data: {"jsonrpc":"2.0","me', { headers: { 'content-type': 'text/event-stream' } });
        return await fetch(url, request);
      },
    });
    const client = await connect(transport);
    t.after(() => client.close());
    assert.equal((await client.listTools()).length, 1);
    const ids = bodies.slice(1).map((body) => (JSON.parse(body) as { id: number }).id);
    assert.equal(new Set(ids).size, 2);
  });
});

describe('a client of a child process', () => {
  let folder: string;
  const program = async (revision: string): Promise<string> => {
    folder ??= await mkdtemp(join(tmpdir(), 'parley-recover-'));
    const at = (path: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href);
    const file = join(folder, `${revision}.mjs`);
    await writeFile(
      file,
      `import { createServer } from ${at('../server/server.ts')};
       import { serveStdio } from ${at('../transports/stdio/server/serve.ts')};
       const server = createServer({ name: 'child', version: '1' }, { revisions: [${JSON.stringify(revision)}] });
       server.tool('die', {}, () => process.exit(3));
       server.tool('pid', {}, () => String(process.pid));
       server.tool('grow', {}, () => { server.changed('tools'); return 'grown'; });
       await serveStdio(server).closed;`,
    );
    return file;
  };
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  for (const revision of [stateless, handshake]) {
    it(`starts another one when it died, and hears of changes again, at ${revision} [stdio-015] [stdio-016]`, async (t) => {
      const client = await connect(spawnNode([await program(revision)]), { revisions: [revision] });
      t.after(() => client.close());
      const pid = async () => (await client.callTool('pid')).content[0];
      const first = await pid();
      const waiting: ((event: SubscriptionEvent) => void)[] = [];
      const next = (): Promise<SubscriptionEvent> => new Promise((resolve) => waiting.push(resolve));
      await client.subscribe({ tools: true }, (event) => waiting.shift()?.(event));
      const reopened = next();
      await assert.rejects(client.callTool('die'), { reason: 'exited' });
      assert.notDeepEqual(await pid(), first);
      assert.deepEqual(await reopened, { type: 'reopened' });
      const changed = next();
      await client.callTool('grow');
      assert.deepEqual(await changed, { type: 'list', list: 'tools' });
    });
  }
});
