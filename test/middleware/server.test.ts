import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extensionResult } from '../../packages/parley/src/server/runtime/extension-result.ts';
import type { Middleware, MiddlewareContext } from '../../packages/parley/src/connection/middleware/middleware.ts';
import { McpError } from '../../packages/parley/src/protocol/error.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import { ToolError } from '../../packages/parley/src/server/definition/tool-result.ts';
import { connectInMemory } from '../../packages/parley/src/testing/pair.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import type { ServerOptions } from '../../packages/parley/src/server/definition/options.ts';
import { ways } from '../support/ways.ts';
import { shakesHands } from '../support/bridged.ts';

const object = { type: 'object', properties: { word: { type: 'string' } } } as const;

function serverWith(middleware: Middleware, errors: unknown[] = [], options: ServerOptions = {}): Server {
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => void errors.push(error), ...options });
  server.tool('echo', { input: object }, ({ word }) => String(word));
  server.tool('steps', {}, (_, ctx) => {
    for (const step of [1, 2, 3]) ctx.progress(step, 3);
    return 'done';
  });
  server.tool('ask', {}, async (_, ctx) => {
    const roots = await ctx.roots();
    return String(roots.length);
  });
  server.use(middleware);
  return server;
}

/** What passed, in short. */
const shown = ({ direction, kind, method }: MiddlewareContext): string => `${direction} ${kind} ${method}`;

const all = (seen: string[]): Middleware => {
  return (passing, next) => {
    seen.push(shown(passing));
    return next();
  };
};

for (const { date } of revisions) {
  for (const { name, reach } of ways) {
    test(`everything passes at ${date} over ${name}, each request once`, async (t) => {
      const seen: string[] = [];
      const server = serverWith(all(seen));
      const client = await createConnect({ http: () => assert.fail() })(reach(server), {
        revisions: [date],
        roots: [],
      });
      t.after(() => client.close());
      await client.callTool('steps', {}, { onProgress: () => undefined });
      await client.callTool('ask');
      const received = seen.filter((one) => one.startsWith('received request'));
      const opening = shakesHands(date) ? 'initialize' : 'server/discover';
      const calls = 'received request tools/call';
      const asks = shakesHands(date);
      // The stateless revision asks in a round, and has the client call again.
      const rounds = shakesHands(date) ? [calls, calls] : [calls, calls, calls];
      assert.deepEqual(
        received.filter((one) => one !== 'received request tools/list'),
        [`received request ${opening}`, ...rounds],
      );
      assert.equal(seen.filter((one) => one === 'sent notification notifications/progress').length, 3);
      assert.equal(seen.filter((one) => one === 'sent request roots/list').length, asks ? 1 : 0);
    });
  }
}

async function clientOf(server: Server, options: Parameters<typeof connectInMemory>[1] = {}): Promise<Client> {
  return await connectInMemory(server, { roots: [], ...options });
}

test('a request passes with its circumstances', async () => {
  const passed: MiddlewareContext[] = [];
  const server = serverWith((_passing, next) => next());
  server.use('tools/call', (passing, next) => {
    passed.push(passing);
    return next();
  });
  const client = await clientOf(server, { auth: { principal: 'ada' }, revision: '2025-11-25' });
  await client.callTool('echo', { word: 'x' }, { meta: { 'com.example/a': 1 } });
  const [one] = passed;
  assert.ok(one);
  assert.deepEqual(
    [one.side, one.direction, one.kind, one.method, one.revision, one.transport, one.known],
    ['server', 'received', 'request', 'tools/call', '2025-11-25', 'inproc', true],
  );
  assert.deepEqual([one.params['name'], one.params['arguments']], ['echo', { word: 'x' }]);
  assert.equal(one.meta['com.example/a'], 1);
  assert.equal(one.auth?.principal, 'ada');
  assert.equal(typeof one.requestId, 'number');
  assert.equal(one.signal.aborted, false);
  let ended = 0;
  one.session?.onEnd(() => ended++);
  await client.close();
  one.session?.onEnd(() => ended++);
  assert.equal(ended, 2);
});

test('the session that middleware sees at initialize is that of later requests, and ends with it', async () => {
  const sessions: MiddlewareContext['session'][] = [];
  let ended = 0;
  const server = serverWith((passing, next) => {
    if (passing.kind === 'request') sessions.push(passing.session);
    if (passing.method === 'initialize') passing.session?.onEnd(() => ended++);
    return next();
  });
  const client = await clientOf(server, { revision: '2025-11-25' });
  await client.callTool('echo', { word: 'x' });
  assert.ok(sessions.length > 1 && sessions[0] !== undefined);
  assert.equal(new Set(sessions).size, 1);
  assert.equal(ended, 0);
  await client.close();
  assert.equal(ended, 1);
});

test('what a request names is known to be there, or not', async () => {
  const known: (boolean | undefined)[] = [];
  const server = serverWith((passing, next) => {
    if (passing.method !== 'server/discover') known.push(passing.known);
    return next();
  });
  server.tool('hidden', { visible: (auth) => auth !== undefined }, () => 'x');
  server.method('com.example/own', {}, () => ({}));
  const client = await clientOf(server);
  await client.callTool('hidden').catch(() => undefined);
  await client.callTool('none').catch(() => undefined);
  await client.request('com.example/own');
  await client.request('com.example/none').catch(() => undefined);
  assert.deepEqual(known, [false, false, true, false]);
  await client.close();
});

test('an McpError of middleware is the answer, a ToolError is read by the model, anything else stays here', async () => {
  const errors: unknown[] = [];
  let thrown: unknown;
  const server = serverWith((passing, next) => {
    if (passing.method === 'tools/call') throw thrown;
    return next();
  }, errors);
  const client = await clientOf(server);
  thrown = new McpError('invalidParams', 'not today');
  await assert.rejects(client.callTool('echo'), { name: 'McpError', message: 'not today' });
  thrown = new ToolError('wait a moment');
  assert.deepEqual((await client.callTool('echo')).content, [{ type: 'text', text: 'wait a moment' }]);
  thrown = new Error('secret');
  await assert.rejects(client.callTool('echo'), { name: 'McpError', message: 'internal error' });
  assert.deepEqual(errors, [thrown]);
  await client.close();
});

test('params that middleware made what they cannot be are its mistake, and nothing runs', async () => {
  const errors: unknown[] = [];
  for (const changed of [{ name: 5 }, {}, { name: 'echo', arguments: 'x' }, { name: 'echo', _meta: 3 }]) {
    const server = serverWith((passing, next) => next(passing.method === 'tools/call' ? changed : undefined), errors);
    const client = await clientOf(server);
    await assert.rejects(client.callTool('echo'), { message: 'internal error' });
    await client.close();
  }
  assert.equal(errors.length, 4);
  assert.match(String(errors[0]), /middleware changed the params of tools\/call to invalid ones/);
});

test('arguments that middleware changed are checked by the schema of the tool', async () => {
  const server = serverWith(({ method, params }, next) =>
    next(method === 'tools/call' ? { ...params, arguments: { word: 5 } } : undefined),
  );
  const client = await clientOf(server);
  const result = await client.callTool('echo', { word: 'x' });
  assert.equal(result.isError, true);
  await client.close();
});

test('a result that middleware made what it cannot be is its mistake', async () => {
  const errors: unknown[] = [];
  for (const made of [
    { content: 'x' },
    { content: [{ type: 'text' }] },
    { resultType: 'input_required', inputRequests: 7 },
  ]) {
    const server = serverWith(({ method }, next) => (method === 'tools/call' ? made : next()), errors);
    const client = await clientOf(server);
    await assert.rejects(client.callTool('echo'), { message: 'internal error' });
    await client.close();
  }
  assert.equal(errors.length, 3);
});

test('a changed result is sent in the words of each revision', async () => {
  for (const { date } of revisions) {
    const server = serverWith(async ({ method }, next) => {
      const result = await next();
      return method === 'tools/call' ? { ...result, content: [{ type: 'text', text: 'other' }] } : result;
    });
    const client = await clientOf(server, { revision: date });
    assert.deepEqual((await client.callTool('echo', { word: 'x' })).content, [{ type: 'text', text: 'other' }]);
    await client.close();
  }
});

test('the result of an extension is seen as it is, and passes', async () => {
  const extension = 'com.example/tickets';
  const seen: unknown[] = [];
  for (const changes of [false, true]) {
    const server = serverWith(
      async ({ method }, next) => {
        const result = await next();
        if (method !== 'tools/call') return result;
        seen.push(result['ticket']);
        return changes ? { ...result, ticket: 8 } : result;
      },
      [],
      { extensions: { [extension]: {} } },
    );
    server.tool('ticket', {}, () => extensionResult(extension, 'ticket', { ticket: 7, content: [] }));
    const client = await clientOf(server, { extensions: { [extension]: {} } });
    const params = { name: 'ticket' };
    const result = await client.request('tools/call', params, { resultTypes: ['ticket'], extension });
    assert.deepEqual([result['resultType'], result['ticket']], ['ticket', changes ? 8 : 7]);
    await client.close();
  }
  assert.deepEqual(seen, [7, 7]);
});

test('tasks pass', async () => {
  for (const revision of ['2025-11-25', '2026-07-28'] as const) {
    const seen: string[] = [];
    const server = serverWith(all(seen));
    server.tool('long', { task: 'required' }, () => 'done');
    const client = await clientOf(server, { revision });
    assert.deepEqual((await client.callTool('long')).content, [{ type: 'text', text: 'done' }]);
    assert.ok(seen.some((one) => one.startsWith('received request tasks/')));
    await client.close();
    await server.close();
  }
});

test('notifications leave before the result, in their order, however long middleware takes', async () => {
  for (const { name, reach } of ways) {
    const server = serverWith(async ({ direction, params }, next) => {
      if (direction === 'sent') for (let turn = Number(params['progress']); turn < 4; turn++) await Promise.resolve();
      return await next();
    });
    const client = await createConnect({ http: () => assert.fail() })(reach(server), {});
    const heard: number[] = [];
    await client.callTool('steps', {}, { onProgress: ({ progress }) => heard.push(progress) });
    assert.deepEqual(heard, [1, 2, 3], name);
    await client.close();
  }
});

test('a notification is changed, or kept back', async () => {
  const server = serverWith((passing, next) => {
    const { direction, params } = passing;
    if (direction !== 'sent') return next();
    return params['progress'] === 2 ? {} : next({ ...params, message: 'redacted' });
  });
  const client = await clientOf(server);
  const heard: unknown[] = [];
  await client.callTool('steps', {}, { onProgress: ({ progress, message }) => heard.push([progress, message]) });
  assert.deepEqual(heard, [
    [1, 'redacted'],
    [3, 'redacted'],
  ]);
  await client.close();
});

test('a notification of the client that middleware fails on is told of, and nothing else happens', async () => {
  const errors: unknown[] = [];
  const server = serverWith((passing, next) => {
    if (passing.kind === 'notification' && passing.direction === 'received') throw new Error('no');
    return next();
  }, errors);
  const client = await clientOf(server, { revision: '2025-11-25' });
  await client.notify('com.example/told', { a: 1 });
  await client.ping();
  assert.match(String(errors[0]), /no/);
  await client.close();
});

test('middleware refuses a session, of which nothing is left', async () => {
  const server = serverWith(async ({ method }, next) => {
    const result = await next();
    if (method === 'initialize') throw new McpError('busy', 'come back tomorrow');
    return result;
  });
  for (const { reach } of ways) {
    const connect = createConnect({ http: () => assert.fail() });
    await assert.rejects(connect(reach(server), { revisions: ['2025-11-25'] }), /come back tomorrow/);
  }
});

test('initialize cannot be answered by middleware, which would leave no session', async () => {
  const errors: unknown[] = [];
  const server = serverWith(({ method }, next) => (method === 'initialize' ? {} : next()), errors);
  await assert.rejects(clientOf(server, { revision: '2025-11-25' }));
  assert.match(String(errors[0]), /initialize/);
});

test('a request that is cancelled while middleware holds it is over', async () => {
  let held!: () => void;
  const began = new Promise<void>((resolve) => (held = resolve));
  let signal: AbortSignal | undefined;
  const server = serverWith(async (passing, next) => {
    if (passing.method === 'tools/call') {
      ({ signal } = passing);
      held();
      await new Promise(() => undefined);
    }
    return await next();
  });
  const client = await clientOf(server);
  const given = new AbortController();
  const call = client.callTool('echo', {}, { signal: given.signal });
  await began;
  given.abort();
  await assert.rejects(call);
  await client.ping();
  assert.equal(signal?.aborted, true);
  await client.close();
});

test('middleware that is added while a call runs is for later ones', async () => {
  const seen: string[] = [];
  const server = createServer({ name: 's', version: '1' });
  server.tool('first', {}, (_, ctx) => {
    server.use(all(seen));
    ctx.progress(1);
    return 'x';
  });
  const client = await clientOf(server);
  await client.callTool('first', {}, { onProgress: () => undefined });
  assert.deepEqual(seen, []);
  await client.ping();
  assert.equal(seen.length, 1);
  await client.close();
});

test('a handler that fails while middleware does something else first ends no process', async (t) => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', hear);
  t.after(() => process.off('unhandledRejection', hear));
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
  server.prompt('fails', {}, async () => await Promise.reject(new Error('failed')));
  server.use(async (_passing, next) => {
    const result = next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return await result;
  });
  const client = await connectInMemory(server);
  await assert.rejects(client.getPrompt('fails'), /internal error/);
  assert.deepEqual(unhandled, []);
  await client.close();
  await server.close();
});
