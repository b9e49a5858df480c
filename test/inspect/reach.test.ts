/** Who reaches the process, what it reaches for others, and what it writes to a terminal. */

import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { start } from '../support/cli-process.ts';
import { connected, inspecting, noPage, planAt, served } from '../support/inspected.ts';

const skip = noPage;

/** Tells whether somebody listens at an address. */
async function listens(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

test('the process and its apps listen at 127.0.0.1, and at no other address of this machine', { skip }, async (t) => {
  const scene = await inspecting(t, []);
  const others = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  for (const origin of [scene.origin, scene.apps]) {
    const { hostname, port } = new URL(origin);
    assert.equal(hostname, '127.0.0.1');
    assert.ok(await listens('127.0.0.1', Number(port)));
    for (const host of new Set(['::1', '127.0.0.2', ...others]))
      if (host !== '127.0.0.1') assert.equal(await listens(host, Number(port)), false, host);
  }
});

/** Serves an address, and counts who comes. */
async function counted(t: TestContext): Promise<{ readonly url: string; readonly came: string[] }> {
  const came: string[] = [];
  const server = createServer((request, response) => {
    came.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // A server that listens on a port has the address of one.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/there`, came };
}

/** Bodies of every verb, in which each text that is no name of ours is an address; `add` is for servers, which are spoken to. */
function bodies(url: string): Readonly<Record<string, readonly object[]>> {
  const server = 'A';
  const text = JSON.stringify({ url, message: url });
  const ref = { type: 'ref/resource', uri: url };
  const app = url;
  const of = (more: object = {}): readonly object[] => [{ server, ...more }];
  return {
    connect: of({ revision: url }),
    disconnect: [],
    remove: [],
    losses: of(),
    lists: of(),
    more: of({ list: url }),
    'pages-by-one': of({ on: false }),
    call: ['tool', 'task', 'prompt', 'resource', url].map((kind) => ({ server, kind, name: url, text })),
    'call-line': of({ name: url, text }),
    outcome: [{ call: 1 }],
    cancel: [{ call: 1 }],
    validate: of({ tool: url, text }),
    complete: of({ ref, argument: url, typed: url, context: { url } }),
    watch: of({ uri: url, on: true }),
    roots: of({ roots: [{ uri: url }, { uri: `file://${url}` }] }),
    'log-level': of({ level: url }),
    'app-source': of({ uri: url }),
    'app-run': of({ uri: url, allow: [url] }),
    'app-end': [{ app }],
    'app-heard': [{ app, messages: [{ from: 'app', text: url }] }],
    'app-call': [{ app, name: url, arguments: { url } }],
    'app-read': [{ app, uri: url }],
    'app-asks-link': [{ app, url }],
    'app-link': [{ app, url }],
    answer: [{ question: 1, action: 'accept', text }],
    'validate-answer': [{ question: 1, text, tool: url }],
    visit: [{ question: 1 }],
    declare: of({ declares: [url] }),
    'open-sign-in': of(),
    'sign-in-page': of(),
    'pause-sign-in': of({ on: false }),
    'go-on': of({ step: 1 }),
    ping: of(),
    refresh: of(),
    'sign-out': of(),
    forget: of(),
    entry: [{ n: 1, reveal: true }],
    lens: [{ n: 1, revision: url }],
    search: [{ text: url }],
    export: [{ what: url, server: url }],
    clear: [{}],
    try: [{ n: 1, revision: url }],
    enter: [{}],
    feed: [],
    add: [],
  };
}

test('no route fetches what it is given', { skip }, async (t) => {
  const { url, came } = await counted(t);
  const opened: string[] = [];
  const openPage = (page: string): Promise<void> => Promise.resolve(void opened.push(page));
  const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))], { openPage });
  await connected(scene);
  const all = bodies(url);
  assert.deepEqual(Object.keys(all).toSorted(), scene.verbs.toSorted());
  for (const [verb, sent] of Object.entries(all))
    for (const body of sent) {
      const response = await scene.post(verb, body);
      const { error = '' } = (await response.json()) as { readonly error?: string };
      // A body that is no body of the verb would show nothing.
      if (response.status === 400) assert.doesNotMatch(error, /^(?:the body|\/)/, verb);
    }
  assert.deepEqual([came, opened], [[], []]);
});

// Elsewhere what opens pages is a program that no other can stand for.
const noOpener = process.platform !== 'linux' && 'xdg-open';

test('the program that opens the page is told nothing that is good twice', { skip: skip || noOpener }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-'));
  t.after(() => rm(folder, { recursive: true }));
  const [opener, told] = [join(folder, 'xdg-open'), join(folder, 'told')];
  await writeFile(opener, `#!/bin/sh\nprintf '%s\\n' "$@" > ${told}.new && mv ${told}.new ${told}\n`);
  await chmod(opener, 0o700);
  const running = start(['inspect'], { PATH: `${folder}:${process.env['PATH'] ?? ''}` });
  const printed = await running.said(/http:\S+/);
  let given = '';
  for (let times = 0; given === '' && times < 1_000; times += 1) {
    await wait(10);
    given = await readFile(told, 'utf8').catch(() => '');
  }
  const { origin, hash } = new URL(given.trim());
  assert.equal(origin, new URL(printed).origin);
  assert.ok(!given.includes(new URL(printed).hash.slice(1)));
  const enter = async (): Promise<Response> =>
    await fetch(`${origin}/api/enter`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hash.replace('#once.', '')}`, 'content-type': 'application/json' },
      body: '{}',
    });
  assert.deepEqual([(await enter()).status, (await enter()).status], [200, 401]);
  await running.said(/the page was opened twice/);
  running.child.kill('SIGTERM');
  assert.equal((await running.ended).code, 0);
});

test('nothing that a file or a server says moves the terminal', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'servers.json');
  const script = 'process.stderr.write("\\u001b]0;taken\\u0007\\u001b[2J\\u009b31m"); process.exit(3)';
  const mcpServers = {
    '\u001b[2Jnear\u0007': { command: process.execPath, args: ['-e', script, '\u001b[31m\u009b2J'] },
    '\u202efar': { url: 'http://127.0.0.1:1/\u001b[31m' },
  };
  await writeFile(file, JSON.stringify({ mcpServers }));
  const running = start(['inspect', '--no-open', '--config', file]);
  await running.said(/at http:\S+/);
  running.child.kill('SIGTERM');
  const { stdout, stderr } = await running.ended;
  assert.match(stdout, /near/);
  assert.match(stdout, /far/);
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  assert.doesNotMatch(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});
