/** A server with something of everything that the protocol has, for transcripts and other tests of the whole. */

import { z } from 'zod';
import { McpError } from '../packages/parley/src/protocol/error.ts';
import { createServer, type Server } from '../packages/parley/src/server/server.ts';

/** The smallest PNG: one transparent pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

/** Creates the fixture; each call gives one of its own. */
export function createFixture(): Server {
  const server = createServer(
    { name: 'fixture', version: '1.0.0', title: 'Fixture', websiteUrl: 'https://fixture.example/' },
    {
      instructions: 'Ask for anything.',
      pageSize: 4,
      cache: { ttlMs: 1000, cacheScope: 'public' },
      onError: () => undefined,
    },
  );
  addTools(server);
  addContentTools(server);
  addChangingTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addTools(server: Server): void {
  server.tool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers.',
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool('count', { description: 'Counts in progress and log messages.' }, (_args, ctx) => {
    for (const step of [1, 2, 3]) {
      ctx.progress(step, 3, `step ${step}`);
      ctx.log(step === 3 ? 'warning' : 'debug', { step }, 'counter');
    }
    return 'counted';
  });
  server.tool('fail', { description: 'Throws.' }, () => {
    throw new Error('the kettle is empty');
  });
  server.tool('refuse', { description: 'Refuses in the protocol.' }, () => {
    throw new McpError('invalidParams', 'not today', { data: { retry: 'tomorrow' } });
  });
  server.tool('wait', { description: 'Ends when it is cancelled.' }, async (_args, ctx) => {
    ctx.progress(1);
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    return 'cancelled';
  });
}

function addContentTools(server: Server): void {
  server.tool('content', { description: 'Shows every kind of content.' }, () => [
    { type: 'text', text: 'words' },
    { type: 'image', data: pixel, mimeType: 'image/png' },
    { type: 'audio', data: sound, mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'memo://one', mimeType: 'text/plain', text: 'first memo' } },
    { type: 'resource_link', uri: 'memo://two', name: 'two', mimeType: 'text/plain' },
  ]);
  server.tool('list', { description: 'Returns a list.', output: z.array(z.number()) }, () => [1, 2, 3]);
}

function addChangingTools(server: Server): void {
  server.tool('grow', { description: 'Adds a tool, for good.' }, () => {
    server.tool('grown', {}, () => 'new');
    return 'grown';
  });
  server.tool('touch', { description: 'Changes the first memo.' }, () => {
    server.resourceUpdated('memo://one');
    return 'touched';
  });
}

function addResources(server: Server): void {
  server.resource('memo://one', { name: 'one', title: 'First', mimeType: 'text/plain', size: 10 }, () => 'first memo');
  server.resource('memo://two', { name: 'two', mimeType: 'application/octet-stream' }, () => new Uint8Array([1, 2, 3]));
  server.resourceTemplate(
    'user://{id}',
    {
      name: 'user',
      description: 'A user.',
      mimeType: 'application/json',
      complete: { id: (typed) => startingWith(typed) },
    },
    (_uri, { id }) => (id === 'nobody' ? undefined : JSON.stringify({ id })),
  );
}

function addPrompts(server: Server): void {
  server.prompt(
    'greet',
    {
      title: 'Greet',
      description: 'Greets somebody.',
      arguments: [
        { name: 'who', description: 'Whom to greet.', required: true },
        { name: 'tone', title: 'Tone' },
      ],
      complete: { who: (typed, ctx) => startingWith(typed).filter((name) => name !== ctx.arguments['tone']) },
    },
    ({ who, tone }) => `Greet ${who}${tone === undefined ? '' : `, ${tone}`}.`,
  );
  server.prompt('plain', {}, () => 'Say something.');
}

function startingWith(typed: string): readonly string[] {
  return ['ada', 'adele', 'bob'].filter((name) => name.startsWith(typed));
}
