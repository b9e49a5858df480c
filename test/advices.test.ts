/** What an error advises is done as it is printed, and works then. Advices about a login are in `authorization/advice.test.ts`. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { createExampleServer } from '../packages/cli/src/commands/example/server.ts';
import { listen, toNodeHandler } from '../packages/parley/src/transports/node/server/http.ts';
import { certificate } from './support/certificate.ts';
import { inThisProcess, run, start, type Ran } from './support/cli-process.ts';

/** A server at an address, until the test is over. */
async function example(t: TestContext): Promise<URL> {
  const server = createExampleServer();
  const http = await listen(server, { port: 0 });
  t.after(async () => {
    await http.close();
    await server.close();
  });
  return new URL(http.url);
}

async function folder(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'parley-advice-'));
  t.after(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** The part of an error that says what to do. */
function advised({ code, stderr }: Ran, advice: RegExp): string {
  assert.notEqual(code, 0);
  return advice.exec(stderr)?.[1] ?? assert.fail(`no advice in: ${stderr}`);
}

function assertWorks({ code, stderr }: Ran): void {
  assert.equal(code, 0, stderr);
}

test('an address without its scheme is written as advised', async (t) => {
  const { host } = await example(t);
  const line = advised(await inThisProcess(['call', `${host}/mcp`]), /: write (http:[^\s;]+)/);
  assertWorks(await inThisProcess(['call', line]));
});

test('https to a server without TLS is written as advised', async (t) => {
  const { host } = await example(t);
  const url = advised(await inThisProcess(['call', `https://${host}/mcp`]), /if it is an http server, write (\S+)$/m);
  assertWorks(await inThisProcess(['call', url]));
});

test('http to a server with TLS is written as advised, and its certificate is made known as advised', async (t) => {
  const pem = certificate();
  if (pem === undefined) return t.skip('there is no openssl');
  const server = createExampleServer();
  const https = createHttpsServer({ key: pem, cert: pem }, toNodeHandler(server));
  await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    https.closeAllConnections();
    https.close();
    await server.close();
  });
  const { port } = https.address() as { readonly port: number };
  const plain = await run(['call', `http://127.0.0.1:${port}/mcp`]);
  const url = advised(plain, /if it is an https server, write (\S+)$/m);
  const variable = advised(
    await run(['call', url]),
    /put the certificate of its issuer into a file and name that in (\w+)$/m,
  );
  const file = join(await folder(t), 'issuer.pem');
  await writeFile(file, pem);
  assertWorks(await run(['call', url], { [variable]: file }));
});

test('a wrong path of a server of ours names the right one', async (t) => {
  const { origin } = await example(t);
  const path = advised(await inThisProcess(['call', `${origin}/api`]), /the MCP server is at (\/\w+)/);
  assertWorks(await inThisProcess(['call', `${origin}${path}`]));
});

test('a wrong path of another server names where most have theirs', async (t) => {
  const server = createExampleServer();
  const handler = toNodeHandler(server);
  const http = createHttpServer((incoming, outgoing) =>
    incoming.url === '/mcp' ? handler(incoming, outgoing) : void outgoing.writeHead(404).end(),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    http.closeAllConnections();
    http.close();
    await server.close();
  });
  const origin = `http://127.0.0.1:${(http.address() as { readonly port: number }).port}`;
  const path = advised(await inThisProcess(['call', origin]), /many servers have theirs at (\/\w+)/);
  assertWorks(await inThisProcess(['call', `${origin}${path}`]));
});

test('an address that redirects is replaced as advised', async (t) => {
  const { href } = await example(t);
  const http = createHttpServer((_, outgoing) => void outgoing.writeHead(302, { location: href }).end());
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  const from = `http://127.0.0.1:${(http.address() as { readonly port: number }).port}/mcp`;
  const refused = await inThisProcess(['call', from]);
  const to = advised(
    refused,
    /redirect to (\S+), which is not followed: if you trust that address, give it in place of this one/,
  );
  assertWorks(await inThisProcess(['call', to]));
  http.closeAllConnections();
});

test('a command and a tool that are misspelt are named', async (t) => {
  const { href } = await example(t);
  const command = advised(await inThisProcess(['cal', href]), /nearest name is "(\w+)"/);
  assertWorks(await inThisProcess([command, href]));
  const tool = advised(await inThisProcess(['call', href, 'ecko', 'message=hi']), /nearest name is "(\w+)"/);
  assertWorks(await inThisProcess(['call', href, tool, 'message=hi']));
});

test('a tool that was given to its command is called with -- before it, as advised', async (t) => {
  const file = join(await folder(t), 'server.mjs');
  const at = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  await writeFile(
    file,
    `import { createExampleServer } from ${at('../packages/cli/src/commands/example/server.ts')};
     import { serveStdio } from ${at('../packages/parley/src/transports/stdio/server/serve.ts')};
     await serveStdio(createExampleServer()).closed;`,
  );
  const command = [process.execPath, file];
  const given = await run(['call', '--', ...command, 'echo', 'message=hi']);
  const word = /the command was given "(\w+)"; put -- before it to call that tool/.exec(given.stderr)?.[1];
  assert.equal(word, 'echo', given.stderr);
  const called = await run(['call', '--', ...command, '--', word, 'message=hi']);
  assertWorks(called);
  assert.equal(called.stdout, 'hi\n');
});

test('a host and an origin that are refused are allowed by the options that the server prints', async () => {
  const headers = { host: 'mcp.example', origin: 'https://page.example' };
  const options: string[] = [];
  for (const wanted of [/(--allow-host \S+)/, /(--allow-origin \S+)/, undefined]) {
    const running = start(['start', '--port', '0', ...options]);
    try {
      const url = new URL(await running.said(/(http:\/\/127\.0\.0\.1:\d+\/mcp)/));
      const said = wanted === undefined ? undefined : running.said(wanted);
      const status = await statusOf(url, headers);
      if (said === undefined) assert.notEqual(status, 403);
      else {
        assert.equal(status, 403);
        options.push(...(await said).split(' '));
      }
    } finally {
      running.child.kill();
      await running.ended.catch(() => undefined);
    }
  }
});

/** The status of the answer to a ping with such headers. */
async function statusOf(url: URL, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const sent = request(url, { method: 'POST', headers: { ...types, ...headers } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject).end(body);
  });
}

test('a folder of credentials that others may read is closed by the command that is printed', async (t) => {
  const state = await folder(t);
  const kept = join(state, 'parley', 'credentials');
  await mkdir(kept, { recursive: true });
  await chmod(kept, 0o755);
  const login = ['logout', 'http://127.0.0.1:1/mcp'];
  const env = { XDG_STATE_HOME: state };
  const line = advised(await inThisProcess(login, env), /run: (chmod .+)$/m);
  await promisify(execFile)('/bin/sh', ['-c', line]);
  assert.doesNotMatch((await inThisProcess(login, env)).stderr, /others may read it/);
});
