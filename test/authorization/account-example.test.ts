/** The program of the guide that needs an account of its callers does what it says. */

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { testIssuer, type TestIssuer } from '../../packages/parley/src/testing.ts';
import { textOf } from '../support/account-server.ts';
import { likeGitHub } from '../support/like-github.ts';
import { crossSite, PageVisitor } from '../support/page-visitor.ts';

const root = new URL('../../', import.meta.url);

/** A test issuer that is reached over HTTP, as a program of its own needs it. */
async function servedIssuer(t: TestContext): Promise<(audience: string) => TestIssuer> {
  let issuer: TestIssuer | undefined;
  const http = createServer((request: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      const { signal } = new AbortController();
      const body = await text(request);
      const asked = {
        method: request.method ?? '',
        headers: {},
        body,
        redirect: 'manual',
        credentials: 'omit',
        signal,
      } as const;
      const answer = await issuer?.fetch(new URL(request.url ?? '', issuer.issuer).href, asked);
      response.writeHead(answer?.status ?? 500, { 'content-type': 'application/json' });
      const reader = answer?.body?.getReader();
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
        response.write(part.value);
      response.end();
    })();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => http.close());
  const { port } = http.address() as AddressInfo;
  return (audience) => (issuer = testIssuer({ issuer: `http://127.0.0.1:${port}`, audience }));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function listening(child: ChildProcess): Promise<void> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('listening at')) return;
  assert.fail('the program ended');
}

test('a person connects an account in the middle of a tool, as the guide has it', async (t) => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const issuer = (await servedIssuer(t))(`${origin}/mcp`);
  const github = await likeGitHub(t);
  const env = {
    ORIGIN: origin,
    PORT: new URL(origin).port,
    ISSUER: issuer.issuer,
    GITHUB: github.origin,
    GITHUB_API: github.origin,
  };
  const child = spawn(process.execPath, ['examples/account.ts'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  await listening(child);
  const person = new PageVisitor((request) => fetch(request, { redirect: 'manual' }));
  person.cookies.set('session', 'the-cookie-of-ann');
  const titles: (string | undefined)[] = [];
  const client = await connect(`${origin}/mcp`, {
    auth: await issuer.issue({ subject: 'ann' }),
    async onElicitUrl({ url }) {
      const page = await person.request(url);
      const { onward = '' } = await person.answer(page, url, 'approve');
      const callback = (await fetch(onward, { redirect: 'manual' })).headers.get('location') ?? '';
      const end = await person.request(callback, { headers: crossSite });
      titles.push(page.title, end.title);
      return { action: 'accept' };
    },
  });
  t.after(() => client.close());
  assert.deepEqual(textOf(await client.callTool('whoami')), ['octo-ann', false]);
  assert.deepEqual(textOf(await client.callTool('whoami')), ['octo-ann', false]);
  assert.deepEqual(titles, ['Connect GitHub?', 'Connected']);
  for (const text of person.seen)
    for (const secret of [...github.tokens, github.secret]) assert.ok(!text.includes(secret));
});
