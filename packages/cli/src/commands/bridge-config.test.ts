/** The bridge in front of the servers that a file names, as a program of its own. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { spawnNode } from '../../../../test/support/programs.ts';
import { exampleCommand, inThisProcess, parley, start } from '../../../../test/support/cli-process.ts';
import { connect } from '../../../parley/src/client.ts';
import { isGone } from '../../../../test/support/is-gone.ts';

const [node = '', ...exampleWords] = exampleCommand;
const fixture = fileURLToPath(new URL('../../../../test/fixture-front-server.ts', import.meta.url));
const urlLine = /^ {2}url {6}(\S+)$/m;

function fileWith(t: TestContext, servers: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-front-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

/** The example server, a small one that has a tool of the same name, and one that cannot be started. */
const servers = {
  example: { command: node, args: exampleWords },
  small: { command: node, args: [fixture], env: { WORD: '${WORD}' } },
  dead: { command: 'no-such-program-here' },
};

describe('parley bridge --config', { concurrency: 4 }, () => {
  for (const revisions of [['2025-11-25'], ['2026-07-28']] as const) {
    test(`makes one of several servers on stdio, for a client of ${revisions[0]}`, async (t) => {
      const said: string[] = [];
      const transport = spawnNode([parley, 'bridge', '--stdio', '--config', fileWith(t, servers)], {
        env: { WORD: 'given' },
        onStderr: (text) => said.push(text),
      });
      const client = await connect(transport, { revisions });
      t.after(() => client.close());
      let changed = (): void => undefined;
      await client.subscribe({ tools: true }, () => changed());
      // A server that starts later than the other joins.
      for (;;) {
        const change = new Promise<void>((resolve) => (changed = resolve));
        const names = new Set((await client.listTools()).map(({ name }) => name));
        if (['example__echo', 'small__echo', 'add'].every((name) => names.has(name))) break;
        await change;
      }
      const { content } = await client.callTool('small__echo', { message: 'x' });
      assert.deepEqual(content, [{ type: 'text', text: 'given x' }]);
      const other = await client.callTool('example__echo', { message: 'x' });
      assert.deepEqual(other.content, [{ type: 'text', text: 'x' }]);
      assert.match(said.join(''), /parley: dead cannot be reached, and its part is missing until it is: cannot start/);
      assert.match(said.join(''), / {2}server {3}dead: not reached: cannot start/);
    });
  }

  test('a name in the file forges no line of the banner', async (t) => {
    const file = fileWith(t, { 'sly\n  url      http://forged.example': { command: node, args: [fixture] } });
    const { child, said, ended } = start(['bridge', '--stdio', '--config', file]);
    await said(/client {3}standard input and output/);
    child.stdin.end();
    assert.match((await ended).stderr, /^ {2}server {3}sly url http:\/\/forged\.example: .*, which speaks/m);
  });

  test('ends its servers with it, and those that they started', async (t) => {
    const both = {
      one: { command: node, args: [fixture], env: { PIDS: '1' } },
      two: { command: node, args: [fixture], env: { PIDS: '2' } },
    };
    const { child, said, ended } = start(['bridge', '--port', '0', '--config', fileWith(t, both)]);
    await said(urlLine);
    const pids = await Promise.all([1, 2].map((at) => said(new RegExp(`\\[server ${at}: (\\d+ \\d+)\\]`))));
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
    for (const pid of pids.join(' ').split(' ').map(Number)) assert.ok(await isGone(pid), `${pid} lives on`);
  });

  test('skips a wrong entry, and fails for it with --config-errors fail', async (t) => {
    const file = fileWith(t, { wrong: { command: 7 }, small: { command: node, args: [fixture] } });
    const { code, stderr } = await inThisProcess(['bridge', '--config', file, '--config-errors', 'fail']);
    assert.equal(code, 2);
    assert.match(stderr, /servers\.json: mcpServers\.wrong\.command: must be a text, not a number\n/);
    assert.match(stderr, /parley: 1 of the servers is wrong; --config-errors skip runs the others\n$/);
    const running = start(['bridge', '--port', '0', '--config', file]);
    const url = await running.said(urlLine);
    const listed = await inThisProcess(['call', url, 'echo', 'message=here']);
    assert.equal(listed.stdout, ' here\n');
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
  });

  test('fails when no server is reached', async (t) => {
    const { code, stderr } = await inThisProcess(['bridge', '--config', fileWith(t, { dead: servers.dead })]);
    assert.equal(code, 3);
    assert.match(stderr, /parley: no server could be reached: dead: cannot start/);
  });

  test('keeps a server whose name every object has', async (t) => {
    const names = ['__proto__', 'constructor', 'toString'];
    const named = Object.fromEntries(names.map((name) => [name, servers.dead]));
    const { code, stderr } = await inThisProcess(['bridge', '--config', fileWith(t, named)]);
    assert.equal(code, 3);
    for (const name of names) assert.match(stderr, new RegExp(`${name}: cannot start`));
  });

  for (const [argv, words] of [
    [['--config', 'x.json', 'http://127.0.0.1/'], /--config names the servers/],
    [['--config', 'x.json', '--', 'node'], /--config names the servers/],
    [['--config', 'x.json', '--header', 'a: b'], /--header is for one server/],
    [['--config', 'x.json'], /cannot read x\.json: the file does not exist/],
    [['--prefix', 'always', '--', 'node'], /--prefix is for servers of a --config file/],
    [['--config', 'x.json', '--prefix', 'never'], /--prefix takes collisions or always, not "never"/],
  ] as const) {
    test(`makes no sense of ${argv.join(' ')}`, async () => {
      const { code, stderr } = await inThisProcess(['bridge', ...argv]);
      assert.equal(code, 2);
      assert.match(stderr, words);
    });
  }
});
