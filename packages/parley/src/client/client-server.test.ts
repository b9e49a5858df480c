import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { httpTransport } from '../transports/http/client/transport.ts';
import { ways } from '../../../../test/support/ways.ts';
import { revisions, type Revision } from '../protocol/revision.ts';
import { createServer, type Server } from '../server/server.ts';
import { createConnect, type Connect } from './connect.ts';

/** Connects without memory of the other servers at the same URL. */
const connect: Connect<object> = (target, options) =>
  createConnect({ http: (url) => httpTransport(url) })(target, options);

function createWeather(dates?: readonly Revision[]): Server {
  const server = createServer(
    { name: 'weather', version: '1.0.0', title: 'Weather' },
    {
      instructions: 'ask',
      pageSize: 2,
      capabilities: { logging: {} },
      ...(dates && { revisions: dates.map(({ date }) => date) }),
    },
  );
  const place = {
    type: 'object',
    properties: { city: { type: 'string', 'x-mcp-header': 'City' } },
    required: ['city'],
  } as const;
  server.tool(
    'forecast',
    { input: place, output: { type: 'object', properties: { degrees: { type: 'number' } } } },
    () => ({ degrees: 21 }),
  );
  server.tool('slow', {}, async (_, ctx) => {
    for (const done of [1, 2]) ctx.progress(done, 2);
    ctx.log('info', 'working');
    return 'done';
  });
  server.resource('weather:today', { name: 'today' }, () => 'sunny');
  server.resourceTemplate('weather:{city}', { name: 'city' }, (_, { city }) =>
    city === 'nowhere' ? undefined : `${city}: sunny`,
  );
  server.prompt(
    'ask',
    { arguments: [{ name: 'city', required: true }], complete: { city: () => ['Rome', 'Riga'] } },
    ({ city }) => `How is ${city}?`,
  );
  return server;
}

for (const way of ways) {
  for (const { date, era } of revisions) {
    // 2024-11-05 has another HTTP transport, with a pair of endpoints.
    if (way.name === 'HTTP' && date === revisions[0]?.date) continue;
    describe(`over ${way.name} at ${date}`, () => {
      it('everything that a server offers can be used', async () => {
        const server = createWeather();
        const client = await connect(way.reach(server), { revisions: [date] });
        assert.deepEqual([client.revision, client.server?.name, client.instructions], [date, 'weather', 'ask']);
        const tools = await client.listTools();
        assert.deepEqual(tools.map(({ name }) => name).toSorted(), ['forecast', 'slow']);
        const result = await client.callTool('forecast', { city: 'Zürich' });
        assert.deepEqual(result.structuredContent ?? { degrees: 21 }, { degrees: 21 });
        assert.deepEqual(
          (await client.listResources()).map(({ uri }) => uri),
          ['weather:today'],
        );
        assert.equal((await client.listResourceTemplates())[0]?.uriTemplate, 'weather:{city}');
        assert.deepEqual((await client.readResource('weather:Rome')).contents, [
          { uri: 'weather:Rome', text: 'Rome: sunny' },
        ]);
        assert.equal((await client.listPrompts())[0]?.name, 'ask');
        assert.deepEqual((await client.getPrompt('ask', { city: 'Rome' })).messages[0]?.content, {
          type: 'text',
          text: 'How is Rome?',
        });
        const { completion } = await client.complete({ type: 'ref/prompt', name: 'ask' }, { name: 'city', value: 'R' });
        assert.deepEqual(completion.values, ['Rome', 'Riga']);
        await client.ping();
        await client.close();
        await server.close();
      });

      it('errors keep their meaning', async () => {
        const client = await connect(way.reach(createWeather()), { revisions: [date] });
        await assert.rejects(client.callTool('nothing'), { kind: 'invalidParams' });
        await assert.rejects(client.readResource('weather:nowhere'), {
          kind: era === 'stateless' ? 'invalidParams' : 'resourceNotFound',
        });
        await assert.rejects(client.request('com.example/nothing'), { kind: 'methodNotFound' });
        await client.close();
      });

      it('progress and log messages are heard', async () => {
        const logs: unknown[] = [];
        const progress: unknown[] = [];
        const client = await connect(way.reach(createWeather()), {
          revisions: [date],
          onLog: ({ data }) => void logs.push(data),
        });
        await client.setLogLevel('debug');
        await client.callTool('slow', {}, { onProgress: (report) => void progress.push(report) });
        assert.deepEqual(progress, [
          { progress: 1, total: 2 },
          { progress: 2, total: 2 },
        ]);
        assert.deepEqual(logs, ['working']);
        await client.close();
      });

      it('progress is heard by who listens to that of every request', async () => {
        const heard: unknown[] = [];
        const client = await connect(way.reach(createWeather()), {
          revisions: [date],
          onProgress: ({ progress }) => void heard.push(progress),
        });
        await client.callTool('slow');
        await client.callTool('slow', {}, { onProgress: () => undefined });
        assert.deepEqual(heard, [1, 2, 1, 2]);
        await client.close();
      });

      it('a call that was given up stops on the server', async () => {
        const server = createWeather();
        const client = await connect(way.reach(server), { revisions: [date] });
        const stopped = new Promise<void>((resolve) => {
          server.tool('watched', {}, (_, { signal }) => {
            queueMicrotask(() => controller.abort());
            return new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => {
                resolve();
                reject(new Error('stopped'));
              }),
            );
          });
        });
        const controller = new AbortController();
        await assert.rejects(client.callTool('watched', {}, { signal: controller.signal }), { name: 'AbortError' });
        await stopped;
        await client.close();
      });
    });
  }

  describe(`over ${way.name}, of all that both sides speak`, () => {
    for (const theirs of revisions) {
      if (way.name === 'HTTP' && theirs === revisions[0]) continue;
      it(`the newest is chosen of a server that ends with ${theirs.date} [C17] [C18]`, async () => {
        const spoken = revisions.slice(way.name === 'HTTP' ? 1 : 0, revisions.indexOf(theirs) + 1);
        const client = await connect(way.reach(createWeather(spoken)));
        assert.equal(client.revision, theirs.date);
        await client.close();
      });

      for (const ours of revisions) {
        if (ours === theirs || (way.name === 'HTTP' && ours === revisions[0])) continue;
        it(`none is chosen of ${ours.date} here and ${theirs.date} there [C21]`, async () => {
          const transport = way.reach(createWeather([theirs]));
          await assert.rejects(connect(transport, { revisions: [ours.date] }), { reason: 'incompatible' });
        });
      }
    }
  });
}
