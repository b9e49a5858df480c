/** `parley tasks` says what to type, and that works. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { listen } from '../../packages/parley/src/node.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { exampleCommand, inThisProcess, type Ran } from '../support/cli-process.ts';
import { served } from '../support/inspected.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

function asking(): Server {
  const server = createServer({ name: 'tasks', version: '1' });
  server.tool('one', { task: 'required' }, async (_, ctx) =>
    JSON.stringify(await ctx.elicit({ message: 'Whose?', schema })),
  );
  server.tool('two', { task: 'required' }, async (_, ctx) => {
    const questions = ['first', 'second'].map((message) => ctx.elicit({ message, schema }));
    return JSON.stringify(await Promise.all(questions));
  });
  server.tool('page', { task: 'required' }, async (_, ctx) =>
    JSON.stringify(await ctx.elicitUrl({ message: 'Look', url: 'https://a.example/' })),
  );
  return server;
}

type Variables = Readonly<Record<string, string>>;

async function begun(words: readonly string[], env: Variables = {}): Promise<string> {
  const { code, stdout, stderr } = await inThisProcess(['call', '--task', '--detach', ...words], env);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

/** The part of an error that says what to do. */
function advised({ code, stderr }: Ran, advice: RegExp): string {
  assert.notEqual(code, 0);
  return advice.exec(stderr)?.[1] ?? assert.fail(`no advice in: ${stderr}`);
}

async function assertAnswered(reference: string, words: readonly string[], says: RegExp): Promise<void> {
  const { code, stderr } = await inThisProcess(['tasks', 'answer', ...words]);
  assert.equal(code, 0, stderr);
  const { stdout } = await inThisProcess(['tasks', 'wait', reference]);
  assert.match(stdout, says);
}

test('an answer that is no acceptance is given without values, as the error says', async (t) => {
  const reference = await begun([await served(t, asking()), 'one']);
  const words = ['--action', 'decline', reference];
  advised(await inThisProcess(['tasks', 'answer', ...words, 'name=Ada']), /(--action decline) gives no values/);
  await assertAnswered(reference, words, /^\{"action":"decline"\}$/m);
});

test('a question of 2025-11-25 is answered without --key, as the error says', async (t) => {
  const reference = await begun(['--revision', '2025-11-25', await served(t, asking()), 'one']);
  const words = [reference, 'name=Ada'];
  advised(await inThisProcess(['tasks', 'answer', '--key', 'a', ...words]), /(--key) is for questions that have one/);
  await assertAnswered(reference, words, /"name":"Ada"/);
});

test('one of two questions is answered with --key, as the error says', async (t) => {
  const reference = await begun(['--revision', '2026-07-28', await served(t, asking()), 'two']);
  for (const name of ['Ada', 'Bob']) {
    const ran = await inThisProcess(['tasks', 'answer', reference, `name=${name}`]);
    if (ran.code === 0) break;
    const key = /so say with --key which one you give: "([^"]+)"/.exec(ran.stderr)?.[1] ?? assert.fail(ran.stderr);
    const answered = await inThisProcess(['tasks', 'answer', '--key', key, reference, `name=${name}`]);
    assert.equal(answered.code, 0, answered.stderr);
  }
  const { stdout } = await inThisProcess(['tasks', 'wait', reference]);
  assert.match(stdout, /"name":"Ada".*"name":"Bob"/);
});

test('a page is answered with --action accept, as the error says', async (t) => {
  const reference = await begun([await served(t, asking()), 'page']);
  const words = advised(
    await inThisProcess(['tasks', 'answer', reference, 'name=Ada']),
    /(--action accept) says that you did/,
  );
  await assertAnswered(reference, [...words.split(' '), reference], /"action":"accept"/);
});

test('tasks are listed without --revision, as the error says', async () => {
  const words = ['--', ...exampleCommand];
  const ran = await inThisProcess(['tasks', 'list', '--revision', '2026-07-28', ...words]);
  assert.equal(advised(ran, /alone: leave (--revision) out/), '--revision');
  const { code, stderr } = await inThisProcess(['tasks', 'list', ...words]);
  assert.equal(code, 0, stderr);
});

test('a reference of a listed task is printed by the command that a list names', async (t) => {
  const issuers = { authorizationServers: ['https://as.example'], resource: 'http://127.0.0.1/mcp' };
  const verify = (token: string): Readonly<Record<string, unknown>> => ({
    sub: token,
    aud: issuers.resource,
    iss: 'https://as.example',
  });
  const guarded = protect(asking(), { ...issuers, verify });
  const http = await listen(guarded, { port: 0 });
  t.after(() => http.close());
  const { url } = http;
  const own = ['--token-env', 'OWN'];
  await begun(['--revision', '2025-11-25', ...own, url, 'one'], { OWN: 'ann' });
  const { code, stdout, stderr } = await inThisProcess(['tasks', 'list', ...own, url], { OWN: 'ann' });
  assert.equal(code, 0, stderr);
  const line = /^parley (tasks list --json) gives a reference of each/m.exec(stdout)?.[1] ?? assert.fail(stdout);
  const listed = await inThisProcess([...line.split(' '), ...own, url], { OWN: 'ann' });
  const [{ reference }] = JSON.parse(listed.stdout) as [{ readonly reference: object }];
  const standing = await inThisProcess(['tasks', 'get', ...own, JSON.stringify(reference)], { OWN: 'ann' });
  assert.match(standing.stdout, /^status +(?:input_required|working)/, standing.stderr);
});

test('a task of a URL with a variable is found by the option that the error names', async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-tasks-'));
  t.after(() => rm(folder, { recursive: true }));
  const url = await served(t, asking());
  const file = join(folder, 'servers.json');
  // What a variable puts into a path may be secret.
  await writeFile(file, JSON.stringify({ mcpServers: { here: { url: url.replace(/mcp$/, '${P}') } } }));
  const env = { P: 'mcp' };
  const reference = await begun(['--config', file, 'here', 'one'], env);
  const option = advised(await inThisProcess(['tasks', 'get', reference], env), /: give (--config) <file> <name>$/m);
  const { code, stdout, stderr } = await inThisProcess(['tasks', 'get', option, file, reference, 'here'], env);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^status +(?:input_required|working)/);
});
