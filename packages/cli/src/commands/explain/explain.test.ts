import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listen, type ListenOptions } from '../../../../parley/src/transports/node/server/http.ts';
import { revisions } from '../../../../parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../../../parley/src/server/server.ts';
import { exampleCommand, inThisProcess, run, type Ran } from '../../../../../test/support/cli-process.ts';
import { createExampleServer } from '../example/server.ts';
import type { Explanation } from './report.ts';

/** Serves something over HTTP while something runs. */
async function served<T>(server: Server, use: (url: string) => Promise<T>, options: ListenOptions = {}): Promise<T> {
  const http = await listen(server, { port: 0, ...options });
  try {
    return await use(http.url);
  } finally {
    await http.close();
    await server.close();
  }
}

/** What `--json` printed. */
function read({ stdout }: Ran): Explanation {
  return JSON.parse(stdout);
}

const dates = revisions.map(({ date }) => date);

describe('parley explain', { concurrency: 4 }, () => {
  test('says of a command that speaks everything that it does, and why it believes so', async () => {
    const { code, stdout, stderr } = await run(['explain', '--', ...exampleCommand]);
    assert.equal(stderr, '');
    assert.equal(code, 0);
    // The command wraps where the path of this folder is long.
    assert.match(
      stdout,
      /^parley-example \S+ speaks every revision\n {2}server {2}\S+\s[^]*\(stdio\)\n {2}era {5}both/,
    );
    assert.match(stdout, /\n {2}2026-07-28 {2}yes {2}server\/discover was answered: supported are 2026-07-28, /);
    assert.match(stdout, /\n {2}2025-06-18 {2}yes {2}initialize was answered with 2025-06-18\n/);
    assert.match(stdout, /\ntools \(14\)\n {2}echo\(message: string\) +Echo: Says a message back\.\n/);
    assert.match(stdout, /\nthrough a bridge, which speaks 2026-07-28 to this server, a client gets\n {2}2026-07-28 /);
  });

  test('says what a server does with tasks, in both forms', async () => {
    const server = createServer({ name: 's', version: '1' });
    for (const task of ['optional', 'required'] as const) server.tool(task, { task }, () => 'done');
    server.tool('plain', {}, () => 'done');
    await served(server, async (url) => {
      const { stdout } = await inThisProcess(['explain', url]);
      assert.match(
        stdout,
        /\ntasks\n {2}2026-07-28 {2}by the extension: the server decides which calls become tasks, /,
      );
      assert.match(
        stdout.replaceAll(/\s+/g, ' '),
        /2025-11-25 where the client asks: optional may be called as a task, required can be called as a task alone; it cancels them, and lists none/,
      );
      const { tasks } = read(await inThisProcess(['explain', '--json', url]));
      assert.deepEqual(tasks, [
        { revision: '2026-07-28', surface: 'extension', cancel: true, list: false },
        {
          revision: '2025-11-25',
          surface: 'core',
          cancel: true,
          list: false,
          tools: { optional: ['optional'], required: ['required'], more: false },
        },
      ]);
    });
  });

  test('says nothing of tasks where a server has none', async () => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('plain', {}, () => 'done');
    const explained = await served(server, async (url) => read(await inThisProcess(['explain', '--json', url])));
    assert.equal(explained.tasks, undefined);
  });

  test('says of a server at a URL what it speaks', async () => {
    const { code, stdout } = await served(createExampleServer(), (url) => inThisProcess(['explain', url]));
    assert.equal(code, 0);
    assert.match(stdout, /^parley-example \S+ speaks every revision\n {2}server {2}http:\S+ \(HTTP\)\n/);
  });

  test('explains a server that others wrote, over stdio', async () => {
    const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
    const { code, stdout, stderr } = await inThisProcess(['explain', '--', process.execPath, everything, 'stdio']);
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.match(stdout, /^mcp-servers\/everything \S+ speaks 2024-11-05 to 2025-11-25\n/);
    assert.match(stdout, /\n {2}2026-07-28 {2}no {3}server\/discover was refused with -32601 "Method not found"\n/);
    assert.match(
      stdout,
      /\ntasks\n {2}2025-11-25 {2}where the client asks: simulate-research-query can be called as a task alone; /,
    );
    assert.match(stdout, /\n {2}get-sum\(a: number, b: number\) +Get Sum Tool: /);
    assert.match(stdout, /\n {2}2025-11-25 {2}everything, but\n {4}changed {2}Tasks: /);
  });

  test('has a JSON form with everything in it', async () => {
    const explained = read(await served(createExampleServer(), (url) => inThisProcess(['explain', '--json', url])));
    assert.deepEqual(explained.revisions, dates);
    assert.deepEqual(explained.eras, ['handshake', 'stateless']);
    assert.equal(explained.works, true);
    assert.deepEqual(
      explained.tries.map(({ revision, outcome, wire }) => [revision, outcome, wire]),
      dates.toReversed().map((date) => [date, 'spoken', undefined]),
    );
    assert.equal(explained.offer?.revision, '2026-07-28');
    assert.equal(explained.offer?.tools?.items.length, 14);
    assert.equal(explained.offer?.resourceTemplates?.more, false);
    assert.deepEqual(
      explained.bridge?.map(({ client, server }) => [client, server]),
      dates.toReversed().map((date) => [date, '2026-07-28']),
    );
  });

  test('tells a server without the newest revision by its refusal', async () => {
    const server = createServer({ name: 'older', version: '1.0.0' }, { revisions: ['2025-03-26', '2025-06-18'] });
    const ran = await served(server, (url) => inThisProcess(['explain', url]));
    assert.equal(ran.code, 0);
    assert.match(ran.stdout, /^older 1\.0\.0 speaks 2025-03-26 and 2025-06-18\n/);
    assert.match(ran.stdout, /\n {2}2026-07-28 {2}no {3}server\/discover was refused with -\d+ /);
    assert.match(ran.stdout, /\n {2}2025-11-25 {2}no {3}initialize was answered with 2025-06-18 instead\n/);
  });

  test('tells a server without the handshake', async () => {
    const server = createServer({ name: 'newer', version: '1.0.0' }, { revisions: ['2026-07-28'] });
    const explained = read(await served(server, (url) => inThisProcess(['explain', '--json', url])));
    assert.deepEqual(explained.revisions, ['2026-07-28']);
    assert.deepEqual(explained.eras, ['stateless']);
    assert.ok(explained.tries.slice(1).every(({ outcome }) => outcome === 'refused' || outcome === 'other'));
  });

  test('finds a server that speaks HTTP+SSE alone', async () => {
    const server = createServer({ name: 'oldest', version: '1.0.0' }, { revisions: ['2024-11-05'] });
    server.tool('greet', { description: 'Greets.' }, () => 'hi');
    const { code, stdout } = await served(
      server,
      (url) => inThisProcess(['explain', '--wire', new URL('/sse', url).href]),
      { ssePair: { sse: '/sse', messages: '/messages' } },
    );
    assert.equal(code, 0);
    assert.match(stdout, /^oldest 1\.0\.0 speaks 2024-11-05\n {2}server {2}\S+ \(HTTP\+SSE\)\n/);
    assert.match(stdout, /\n {2}2024-11-05 {2}yes {2}initialize was answered with 2024-11-05, over HTTP\+SSE\n/);
    assert.match(stdout, /\ntools \(1\)\n {2}greet\(\) {2}Greets\.\n/);
    assert.match(stdout, /→ POST \/messages\?… {2}/);
    assert.doesNotMatch(stdout, /sessionId=/i);
  });

  test('calls, reads and gets nothing', async () => {
    const server = createExampleServer();
    const { stdout } = await served(server, (url) => inThisProcess(['explain', '--wire', '--json', url]));
    const methods = read({ code: 0, stdout, stderr: '' }).tries.flatMap(({ wire = [] }) =>
      wire.flatMap(({ from, text }) => (from === 'client' && text !== undefined ? [JSON.parse(text).method] : [])),
    );
    assert.deepEqual(
      new Set(methods),
      new Set([
        'server/discover',
        'initialize',
        'notifications/initialized',
        'tools/list',
        'resources/list',
        'resources/templates/list',
        'prompts/list',
      ]),
    );
  });

  test('asks for lists that the server did not declare last, after the ping', async () => {
    const server = createServer({ name: 'bare', version: '1.0.0' }, { revisions: ['2025-11-25'] });
    const explained = read(await served(server, (url) => inThisProcess(['explain', '--wire', '--json', url])));
    const texts = explained.tries.flatMap(({ wire = [] }) => wire.map(({ text = '' }) => text));
    assert.ok(texts.some((text) => text.includes('"ping"')));
    const lists = texts.flatMap((text, at) => (text.includes('/list"') ? [at] : []));
    assert.equal(lists.length, 4);
    assert.ok(Math.min(...lists) > texts.findIndex((text) => text.includes('"ping"')));
    assert.equal(explained.offer?.undeclared, undefined);
    assert.equal(explained.offer?.tools, undefined);
  });

  test('a list that goes on and on is cut off, and says so', async () => {
    const server = createServer({ name: 'many', version: '1.0.0' });
    for (let at = 0; at < 1010; at++) server.tool(`tool-${at}`, {}, () => 'x');
    await served(server, async (url) => {
      const explained = read(await inThisProcess(['explain', '--json', url]));
      assert.equal(explained.offer?.tools?.items.length, 1000);
      assert.equal(explained.offer?.tools?.more, true);
      const { stdout } = await inThisProcess(['explain', url]);
      assert.match(stdout, /\ntools \(1000\+\)\n/);
      assert.match(stdout, /\n {2}… and 980 or more others\n/);
    });
  });

  test('shows with --wire what travelled over HTTP, and no secret', async () => {
    const options: ListenOptions = { authenticate: () => ({ principal: 'ada' }) };
    const words = ['--header', 'Authorization: Bearer open-sesame', '--header', 'X-Key: abracadabra'];
    const { stdout } = await served(
      createServer({ name: 'says abracadabra', version: '1.0.0' }),
      (url) => inThisProcess(['explain', '--wire', ...words, url]),
      options,
    );
    assert.match(
      stdout,
      /\n {4}→ POST \/mcp {2}[^\n]*mcp-method: server\/discover {2}mcp-protocol-version: 2026-07-28\n/,
    );
    assert.match(stdout, /\n {6}\{"jsonrpc":"2\.0","id":1,"method":"server\/discover",/);
    assert.match(stdout, /\n {4}← 200 {2}content-type: application\/json\n {6}\{"jsonrpc":"2\.0"/);
    assert.match(stdout, /mcp-session-id: \(\d+ characters\)/);
    assert.doesNotMatch(stdout, /sesame|abracadabra|authorization/i);
    assert.match(stdout, /says •••/);
  });

  test('what a server says cannot reach into the terminal', async () => {
    const server = createServer({ name: 'sly', version: '1\u001b[2J' }, { instructions: 'a\u001b]0;b\u0007' });
    server.tool('sly', { description: 'a\u009b1m' }, () => 'x');
    const { stdout } = await served(server, (url) => inThisProcess(['explain', '--wire', url]));
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.match(stdout, /sly 1\ufffd\[2J/);
  });

  test('explains each server of a file, and names the entry that is wrong', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-explain-'));
    const file = join(folder, 'servers.json');
    const [command, ...args] = exampleCommand;
    try {
      await served(createServer({ name: 'remote', version: '1.0.0' }), async (url) => {
        const mcpServers = { one: { command, args }, two: { url }, three: { command, url } };
        await writeFile(file, JSON.stringify({ mcpServers }));
        const { code, stdout, stderr } = await inThisProcess(['explain', '--wire', '--config', file]);
        assert.equal(code, 1);
        assert.match(stdout, /^one: parley-example \S+ speaks every revision\n/);
        assert.match(stdout, /\n\n\ntwo: remote 1\.0\.0 speaks every revision\n/);
        assert.match(stderr, /mcpServers\.three: has both "command" and "url"/);
        const chosen = await inThisProcess(['explain', '--config', file, 'two']);
        assert.equal(chosen.code, 0);
        assert.match(chosen.stdout, /^two: remote 1\.0\.0 speaks every revision\n/);
        const unknown = await inThisProcess(['explain', '--config', file, 'tow']);
        assert.equal(unknown.code, 2);
        assert.match(unknown.stderr, /has no server "tow"; the nearest name is "two"/);
        await writeFile(file, JSON.stringify({ mcpServers: { two: { url } } }));
        const ran = await inThisProcess(['explain', '--json', '--config', file]);
        assert.equal(ran.code, 0);
        assert.deepEqual(
          JSON.parse(ran.stdout).map(({ name }: Explanation) => name),
          ['two'],
        );
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('what makes no sense is told before anything is tried', async () => {
    const lines = [
      { argv: ['explain'], says: /give the URL of a server, or -- and the command/ },
      { argv: ['explain', 'ftp://x'], says: /is no http: or https: URL/ },
      { argv: ['explain', 'http://a', 'b'], says: /one argument too many/ },
      { argv: ['explain', 'http://a', '--', 'b'], says: /give a URL or a command, not both/ },
      { argv: ['explain', '--timeout', '0', 'http://a'], says: /--timeout must be a time such as 5s/ },
      { argv: ['explain', '--env', 'A=b', 'http://a'], says: /--env is for a server that a command starts/ },
      {
        argv: ['explain', '--config', 'x', 'http://a'],
        says: /--config names the servers; give no URL and no command/,
      },
      { argv: ['explain', '--config', 'x', '--env', 'A'], says: /--env does not go with --config/ },
      { argv: ['explain', '--config', 'no-such-file'], says: /cannot read no-such-file: the file does not exist/ },
      { argv: ['explain', '--bogus', 'http://a'], says: /there is no option "--bogus"/ },
    ];
    for (const { argv, says } of lines) {
      const { code, stdout, stderr } = await inThisProcess(argv);
      assert.equal(code, 2, argv.join(' '));
      assert.equal(stdout, '');
      assert.match(stderr, says);
    }
  });

  test('is known to the help', async () => {
    assert.match((await inThisProcess(['help'])).stdout, /\n {2}explain /);
    assert.match((await inThisProcess(['explain', '--help'])).stdout, /\n {2}parley explain \[options\] <url>\n/);
  });
});
