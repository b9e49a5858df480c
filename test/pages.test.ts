/** The programs of the pages about clients, tests and frameworks do what the pages say. */

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { connect } from '../packages/parley/src/client.ts';
import { DELETE, GET, POST } from '../examples/mounted/next-route.ts';
import served from '../examples/mounted/bun.ts';
import { handler } from '../examples/mounted/lambda.ts';
import worker from '../examples/mounted/worker.ts';
import guarded from '../examples/mounted/worker-token.ts';

const root = new URL('..', import.meta.url);

const testing = ['client', 'handler', 'guarded', 'transcript', 'store'].map((name) => `testing/${name}.test.ts`);

const printed = {
  'llm-tools.ts': /^2 .*"name":"weather__forecast".*"required":\["city"\][^]*\nsunny in Oslo\n12:00\nfailed: .*JSON\n$/,
  'by-hand.ts': /^guests elicitation\/create How many on Friday\?\n.*booked for 2/,
  'api-key.ts': /^1 undefined\n\[ 'Ada', 'Alan' \]\nunauthorized 401\n$/,
} as const;

for (const [file, pattern] of Object.entries(printed))
  test(`the program ${file} prints what its page says`, () => {
    const options = { cwd: root, encoding: 'utf8', timeout: 60_000 } as const;
    assert.match(execFileSync(process.execPath, [`examples/${file}`], options), pattern);
  });

for (const file of testing)
  test(`the tests of ${file}, of a page about tests, pass`, () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const options = { cwd: root, encoding: 'utf8', timeout: 120_000, env } as const;
    assert.match(execFileSync(process.execPath, ['--test', `examples/${file}`], options), /pass [1-9]\d*\n[^]*fail 0/);
  });

for (const file of ['express.js', 'hono.ts'])
  test(`a client calls the server of the page for ${file}`, async (t) => {
    const env = { ...process.env, PORT: '0' };
    const child = spawn(process.execPath, [`examples/mounted/${file}`], { cwd: root, env, stdio: 'pipe' });
    t.after(() => child.kill());
    for await (const line of createInterface({ input: child.stdout })) {
      const client = await connect(line.slice(line.indexOf('http')));
      assert.deepEqual((await client.callTool('forecast')).content, [{ type: 'text', text: 'sunny' }]);
      return client.close();
    }
    assert.fail('it said no address');
  });

test('a tool of the app in docs/how-to/express.md knows the signed-in user', async (t) => {
  const child = spawn(process.execPath, ['examples/mounted/express-user.js'], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: 'pipe',
  });
  t.after(() => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    const url = line.slice(line.indexOf('http'));
    await assert.rejects(connect(url), { reason: 'unauthorized' });
    for (const revision of ['2025-11-25', '2026-07-28'])
      for (const user of ['ann', 'bob']) {
        const headers = { 'x-user': user, 'accept-language': `of ${user}` };
        const client = await connect(url, { revisions: [revision], headers });
        assert.deepEqual((await client.callTool('who')).content, [{ type: 'text', text: `${user}, in of ${user}` }]);
        await client.close();
      }
    return;
  }
  assert.fail('it said no address');
});

for (const [what, url, serve] of [
  ['a route of Next.js', 'https://app.example.com/api/mcp', nextRoute],
  ['a worker', 'https://weather.example.workers.dev/mcp', worker.fetch],
  ['Bun or Deno', 'https://mcp.example.com/', (request: Request) => served.fetch(request)],
  ['Lambda', 'https://abc.lambda-url.eu-west-1.on.aws/mcp', byEvent],
] as const)
  for (const revision of ['2025-11-25', '2026-07-28'])
    test(`a client of ${revision} calls the server of the page for ${what}`, async () => {
      const fetch = (to: string, init: RequestInit): Promise<Response> => serve(new Request(to, init));
      const client = await connect(url, { fetch, revisions: [revision] });
      assert.deepEqual((await client.callTool('forecast')).content, [{ type: 'text', text: 'sunny' }]);
      await client.close();
    });

test('the worker of docs/how-to/workers.md with a token rejects other tokens', async () => {
  const url = 'https://weather.example.workers.dev/mcp';
  const fetch = (to: string, init: RequestInit): Promise<Response> =>
    guarded.fetch(new Request(to, init), { TOKEN: 'secret' });
  const client = await connect(url, { fetch, auth: 'secret' });
  assert.deepEqual((await client.callTool('who')).content, [{ type: 'text', text: 'owner' }]);
  await client.close();
  await assert.rejects(connect(url, { fetch, auth: 'other' }), { reason: 'unauthorized', status: 401 });
});

function nextRoute(request: Request): Promise<Response> {
  // A client sends no others.
  return { DELETE, GET, POST }[request.method as 'POST'](request);
}

/** Calls a function of Lambda with a request, as a function URL does. */
async function byEvent(request: Request): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: '',
    headers: { ...Object.fromEntries(request.headers), host: hostname },
    requestContext: { domainName: hostname, http: { method: request.method, path: pathname } },
    body: await request.text(),
    isBase64Encoded: false,
  };
  // The adapter reads no other fields of an event, and answers with these.
  const answer = (await handler(event as never)) as {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly body: string;
  };
  return new Response(answer.body === '' ? null : answer.body, { status: answer.statusCode, headers: answer.headers });
}
