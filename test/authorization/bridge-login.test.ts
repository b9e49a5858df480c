/** A bridge whose login is lost: it answers at once, and asks the person when a call needs it. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { exampleCommand, parley } from '../support/cli-process.ts';
import { connect, type Client, type ConnectOptions } from '../../packages/parley/src/client.ts';
import { spawnNode } from '../support/programs.ts';
import { assertSilent, scene, type Scene } from '../support/command-line-scene.ts';
import { visitPages } from '../support/visited-pages.ts';
import type { PersonOptions } from '../support/page-opener.ts';

/** A client of a bridge on standard input and output, and what the bridge said to its person. */
async function bridged(
  t: TestContext,
  { server, machine }: Scene,
  argv: readonly string[],
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly said: string[] }> {
  const said: string[] = [];
  const way = spawnNode([parley, 'bridge', '--stdio', ...argv, server.url], {
    env: machine.env,
    onStderr: (text) => said.push(text),
  });
  const client = await connect(way, { timeoutMs: 40_000, ...options });
  t.after(() => client.close());
  return { client, said };
}

/** A machine on which a bridge was used once, and whose login is lost since. */
async function lost(t: TestContext, person: PersonOptions = {}): Promise<Scene> {
  const made = await scene(t, {}, person);
  const login = await made.parley('login', made.server.url);
  assert.equal(login.code, 0, login.stderr);
  const { client } = await bridged(t, made, []);
  assert.equal(client.server?.name, 'guarded');
  await client.close();
  await made.machine.grantsGo();
  return made;
}

/** Signs in at a page, and goes where that leads. */
async function finish(url: string): Promise<void> {
  await fetch(await visitPages(url));
}

const text = async (client: Client, options = {}): Promise<unknown> => {
  const { content } = await client.callTool('whoami', {}, options);
  return (content[0] as { readonly text?: string } | undefined)?.text;
};

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`it is there at once, opens one page for the calls that need it, and they go on after it, at ${revision}`, async (t) => {
    const made = await lost(t);
    const { machine, as } = made;
    const { client, said } = await bridged(t, made, [], { revisions: [revision] });
    assert.equal(client.server?.name, 'guarded');
    assert.equal((await machine.opened()).length, 1, 'nobody is asked before anything needs it');
    const reports: unknown[] = [];
    const calls = await Promise.all([text(client, { onProgress: (one: unknown) => reports.push(one) }), text(client)]);
    assert.deepEqual(calls, ['ann', 'ann']);
    assert.equal((await machine.opened()).length, 2);
    assert.deepEqual((reports[0] as { readonly message?: string } | undefined)?.message, 'waiting for you to sign in');
    assertSilent(said, as);
  });

  test(`it asks by the client where that can show pages, at ${revision}`, async (t) => {
    const made = await lost(t);
    const { machine, as } = made;
    const asked: string[] = [];
    const { client, said } = await bridged(t, made, [], {
      revisions: [revision],
      onElicitUrl: ({ url, message }) => {
        asked.push(message);
        void finish(url);
        return { action: 'accept' };
      },
    });
    assert.equal(await text(client), 'ann');
    assert.deepEqual(asked, [
      `Sign in at ${new URL(as.issuer).host}, so that Parley can use ${new URL(made.server.url).host} for you.`,
    ]);
    assert.equal((await machine.opened()).length, 1, 'no page was opened beside it');
    assertSilent(said, as);
  });

  test(`a person who declines is told so, and may be asked again, at ${revision}`, async (t) => {
    const made = await lost(t);
    const actions = ['decline', 'accept'] as const;
    let at = 0;
    const { client } = await bridged(t, made, [], {
      revisions: [revision],
      onElicitUrl: ({ url }) => {
        const action = actions[at++] ?? 'accept';
        if (action === 'accept') void finish(url);
        return { action };
      },
    });
    await assert.rejects(text(client), /the login that the upstream server wants was declined/);
    assert.equal(await text(client), 'ann');
    assert.equal((await made.machine.opened()).length, 1);
  });
}

test('where nobody may be asked a call fails at once with what to do, and works when that was done', async (t) => {
  const made = await lost(t);
  const { client } = await bridged(t, made, ['--login', 'never']);
  await assert.rejects(text(client), new RegExp(`run: parley login ${made.server.url}`));
  assert.equal((await made.machine.opened()).length, 1);
  assert.equal((await made.parley('login', made.server.url)).code, 0);
  assert.equal(await text(client), 'ann');
});

test('a call that nobody signs in for ends in time, and says so', async (t) => {
  const made = await lost(t, { absentLater: true });
  const { client } = await bridged(t, made, ['--login-timeout', '1']);
  await assert.rejects(text(client), /the upstream server cannot be used: the user did not sign in at \S+ within 1 s/);
});

test('a grant whose renewal fails is as good as lost', async (t) => {
  const made = await scene(t);
  assert.equal((await made.parley('login', made.server.url)).code, 0);
  const { client: before } = await bridged(t, made, []);
  await before.close();
  await made.machine.grantsEnd(-1_000, { accessToken: 'of-yesterday' });
  await made.as.close();
  const { client } = await bridged(t, made, []);
  assert.equal(client.server?.name, 'guarded');
  await assert.rejects(text(client), /the upstream server cannot be used: /);
});

test('who signed out is asked when the bridge starts', async (t) => {
  const made = await lost(t);
  assert.equal((await made.parley('login', made.server.url)).code, 0);
  assert.equal((await made.parley('logout', made.server.url)).code, 0);
  await assert.rejects(bridged(t, made, ['--login', 'never']));
});

test('more is asked for when a tool needs more', async (t) => {
  const made = await scene(t);
  assert.equal((await made.parley('login', made.server.url)).code, 0);
  const { client } = await bridged(t, made, []);
  const { content } = await client.callTool('write');
  assert.deepEqual(content, [{ type: 'text', text: 'written' }]);
  const pages = await made.machine.opened();
  assert.deepEqual(
    pages.map((page) => new URL(page).searchParams.get('scope')),
    ['read', 'read write'],
  );
});

test('of several servers the one whose login is lost keeps no other waiting', async (t) => {
  const made = await lost(t);
  const { machine, server, as } = made;
  const file = join(machine.state, '..', 'servers.json');
  const [node = '', ...words] = exampleCommand;
  await writeFile(
    file,
    JSON.stringify({ mcpServers: { lost: { url: server.url }, open: { command: node, args: words } } }),
  );
  const said: string[] = [];
  const way = spawnNode([parley, 'bridge', '--stdio', '--config', file, '--prefix', 'always'], {
    env: machine.env,
    onStderr: (line) => said.push(line),
  });
  const client = await connect(way, { timeoutMs: 40_000 });
  t.after(() => client.close());
  assert.deepEqual((await client.callTool('open__echo', { message: 'x' })).content, [{ type: 'text', text: 'x' }]);
  assert.deepEqual((await client.callTool('lost__whoami')).content, [{ type: 'text', text: 'ann' }]);
  assert.equal((await machine.opened()).length, 2, 'one page is opened, whatever needs it');
  assertSilent(said, as);
});
