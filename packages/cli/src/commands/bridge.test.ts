import assert from 'node:assert/strict';
import { request } from 'node:http';
import { createServer as createSilent, type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listen } from '../../../parley/src/transports/node/server/http.ts';
import { revisions } from '../../../parley/src/protocol/revision.ts';
import { createServer } from '../../../parley/src/server/server.ts';
import { spawnNode } from '../../../../test/support/programs.ts';
import { exampleCommand, inThisProcess, parley, start } from '../../../../test/support/cli-process.ts';
import { connect } from '../../../parley/src/client.ts';
import { isGone } from '../../../../test/support/is-gone.ts';

const hung = fileURLToPath(new URL('../../../../test/bridge/servers/hung.ts', import.meta.url));
const urlLine = /^ {2}url {6}(\S+)$/m;

describe('parley bridge over HTTP', { concurrency: 4 }, () => {
  test('says what it is in front of, what it serves and where', async () => {
    const { child, said, ended } = start(['bridge', '--port', '0', '--', ...exampleCommand]);
    const url = await said(urlLine);
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    assert.match(stdout, /^parley \S+ in front of parley-example \S+, which speaks \d{4}-\d{2}-\d{2} over stdio\n/);
    assert.ok(stdout.includes(`  serves   ${revisions.map(({ date }) => date).join(', ')}\n`));
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    assert.ok(stdout.includes(`{"mcpServers":{"parley-example":{"type":"http","url":"${url}"}}}`));
    assert.doesNotMatch(stdout, /warning/);
    assert.equal(stderr, '');
    assert.equal(code, 0);
  });

  test('warns that clients share the state of a server, unless it serves sessions alone', async () => {
    const old = ['--upstream-revision', '2025-11-25'];
    for (const advised of [[], ['--revision', '2025-11-25']]) {
      const { child, said, ended } = start(['bridge', '--port', '0', ...advised, ...old, '--', ...exampleCommand]);
      await said(urlLine);
      child.kill('SIGTERM');
      const warning = /^ {2}warning {2}clients of 2026-07-28 cannot be told apart here: .* can reach the next of them/m;
      assert.equal(warning.test((await ended).stdout), advised.length === 0);
    }
  });

  test('says how a host that was refused is allowed, and nothing of a pair that no served revision has', async () => {
    const few = ['--revision', '2025-06-18'];
    const { child, said, ended } = start(['bridge', '--port', '0', ...few, '--', ...exampleCommand]);
    const url = new URL(await said(urlLine));
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
      const options = { method: 'POST', port: url.port, path: url.pathname, headers };
      const status = await new Promise((resolve) =>
        request(options, (response) => resolve(response.resume().statusCode)).end('{}'),
      );
      assert.equal(status, 403);
    }
    await said(/--allow-origin/);
    child.kill('SIGTERM');
    const { stdout, stderr } = await ended;
    assert.match(stderr, /^parley: a request for the Host evil\.example .* serve with --allow-host evil\.example$/m);
    assert.match(stderr, /^parley: .* of the Origin \S+ .* serve with --allow-origin https:\/\/evil\.example$/m);
    assert.doesNotMatch(stdout, /^ {2}also|^ {2}warning/m);
    assert.match(stdout, /^ {11}for Claude Code and Cursor; VS Code has servers in place of mcpServers$/m);
  });

  test("a line break in a server's name forges no line of the banner", async () => {
    const server = createServer({ name: 'sly\n  url      http://forged.example/\u202e', version: '1' });
    const upstream = await listen(server, { port: 0 });
    const { child, said, ended } = start(['bridge', '--port', '0', upstream.url]);
    const url = await said(urlLine);
    child.kill('SIGTERM');
    const { stdout } = await ended;
    await upstream.close();
    await server.close();
    assert.match(url, /^http:\/\/127/);
    assert.match(stdout, /^parley \S+ in front of sly url http:\/\/forged\.example\/\ufffd 1, which speaks/);
    assert.ok(stdout.includes('{"mcpServers":{"sly\\n  url      http://forged.example/\\u202e":'));
  });

  test('lets each client ask as often as --limit says', async () => {
    const limits = ['--limit', 'tools=2/h', '--limit', '600/m'];
    const { child, said, ended } = start(['bridge', '--port', '0', ...limits, '--', ...exampleCommand]);
    const client = await connect(await said(urlLine));
    const failed: boolean[] = [];
    for (let call = 0; call < 3; call++)
      failed.push((await client.callTool('forecast', { city: 'Oslo' })).isError === true);
    await client.close();
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
    assert.deepEqual(failed, [false, false, true]);
  });

  for (const limit of ['20', '0/s', '20/d', '1.5/s', 'pings=1/s', '=1/s', 'tools=', '-1/s'])
    test(`refuses --limit ${limit} before anything is started`, async () => {
      const { code, stderr } = await inThisProcess(['bridge', '--port', '0', `--limit=${limit}`, '--', 'nothing-such']);
      assert.equal(code, 2);
      assert.match(stderr, /--limit takes a number for each second, minute or hour, such as 20\/s/);
      assert.ok(stderr.includes(JSON.stringify(limit)), stderr);
    });

  test('refuses two limits of the same', async () => {
    const { code, stderr } = await inThisProcess(['bridge', '--limit', '1/s', '--limit', 'requests=2/s', '--', 'x']);
    assert.deepEqual([code, /--limit for requests is given twice/.test(stderr)], [2, true]);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`ends cleanly at ${signal}, and its server with it`, async () => {
      const server = `process.stderr.write('[pid ' + process.pid + ']'); process.argv[2] = 'example'; import(${JSON.stringify(parley)})`;
      const { child, said, ended } = start(['bridge', '--port', '0', '--', process.execPath, '-e', server, 'x', 'x']);
      const pid = Number(await said(/\[pid (\d+)\]/));
      await said(urlLine);
      child.kill(signal);
      assert.equal((await ended).code, 0);
      assert.ok(await isGone(pid), 'the server lives on');
    });
  }

  test('tells a platform how it is, and that it is to end before it refuses anybody', async () => {
    const { child, said, ended } = start([
      'bridge',
      '--port',
      '0',
      '--health',
      '--ready-ms',
      '600000',
      '--drain-ms',
      '100',
      '--',
      ...exampleCommand,
    ]);
    const url = await said(urlLine);
    const statusOf = async (path: string): Promise<number> => (await fetch(new URL(path, url))).status;
    assert.deepEqual(
      [await statusOf('/livez'), await statusOf('/readyz'), await statusOf('/healthz')],
      [200, 200, 404],
    );
    child.kill('SIGTERM');
    while ((await statusOf('/readyz')) === 200) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await statusOf('/livez'), 200);
    const client = await connect(url);
    assert.ok((await client.listTools()).length > 0);
    await client.close();
    child.kill('SIGKILL');
    await ended;
  });

  test('names the pair of endpoints only where sessions are served', async () => {
    const { child, said, ended } = start([
      'bridge',
      '--port',
      '0',
      '--revision',
      '2026-07-28',
      '--',
      ...exampleCommand,
    ]);
    const url = await said(urlLine);
    const pair = await fetch(new URL('/sse', url));
    await pair.body?.cancel();
    child.kill('SIGTERM');
    assert.equal(pair.status, 404);
    assert.doesNotMatch((await ended).stdout, /also|HTTP\+SSE/);
  });

  test('answers clients of every revision', async () => {
    const { child, said, ended } = start(['bridge', '--port', '0', '--', ...exampleCommand]);
    const url = await said(urlLine);
    for (const { date } of revisions) {
      const client = await connect(url, { revisions: [date] });
      assert.equal(client.revision, date);
      const { content } = await client.callTool('echo', { message: date });
      assert.deepEqual(content, [{ type: 'text', text: date }]);
      await client.close();
    }
    child.kill('SIGTERM');
    await ended;
  });

  test('stands in front of a server at a URL', async () => {
    const inner = start(['start', '--port', '0']);
    const outer = start([
      'bridge',
      '--port',
      '0',
      '--path',
      '/other',
      '--revision',
      '2025-06-18',
      await inner.said(urlLine),
    ]);
    const url = await outer.said(urlLine);
    assert.match(url, /\/other$/);
    const { stdout } = await inThisProcess(['call', url, '--json']);
    assert.equal(JSON.parse(stdout).revision, '2025-06-18');
    for (const running of [outer, inner]) {
      running.child.kill('SIGTERM');
      assert.equal((await running.ended).code, 0);
    }
  });

  test('speaks to its server only the revision that it is told to', async () => {
    const { child, said, ended } = start(['start', '--port', '0', '--upstream-revision', '2025-03-26']);
    await said(urlLine);
    child.kill('SIGTERM');
    assert.match((await ended).stdout, /which speaks 2025-03-26 over stdio/);
  });

  test('opens as many connections to its server as it is told to', async () => {
    const { code, stderr } = await inThisProcess(['start', '--max-upstreams', '0']);
    assert.equal(code, 2);
    assert.match(stderr, /--max-upstreams must be a whole number from 1/);
    const argv = ['start', '--port', '0', '--upstream-revision', '2025-03-26', '--max-upstreams', '1'];
    const { child, said, ended } = start(argv);
    // A session needs another one than that which all share.
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const refused = await fetch(await said(urlLine), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    child.kill('SIGTERM');
    await ended;
  });

  test('takes port and host from the environment, and rather from options', async () => {
    const { child, said, ended } = start(['start', '--host', '127.0.0.1'], { PORT: '0', HOST: 'host.invalid' });
    assert.match(await said(urlLine), /^http:\/\/127\.0\.0\.1:(?!3000\/)\d+\/mcp$/);
    child.kill('SIGTERM');
    await ended;
    const { code, stderr } = await inThisProcess(['start'], { PORT: '0', HOST: 'host.invalid' });
    assert.equal(code, 1);
    assert.match(stderr, /^parley: cannot listen on host\.invalid:0/);
  });

  test('on all addresses it says which names it answers to', async () => {
    const { child, said, ended } = start(['start', '--port', '0', '--host', '0.0.0.0', '--allow-host', 'mcp.example']);
    const url = await said(urlLine);
    assert.match(url, /^http:\/\/127\.0\.0\.1:/);
    const port = new URL(url).port;
    const status = async (host: string): Promise<number> => {
      const { request } = await import('node:http');
      return new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, path: '/mcp', method: 'GET', headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on('error', reject)
          .end();
      });
    };
    assert.equal(await status('evil.example'), 403);
    assert.notEqual(await status('mcp.example'), 403);
    child.kill('SIGTERM');
    assert.match(
      (await ended).stdout,
      /it answers to the names localhost, mcp\.example alone \(--allow-host adds one\)/,
    );
  });

  test('limits each client of a proxy that it is told to trust', async () => {
    const trusted = ['--trusted-proxy', '127.0.0.1', '--proxy-header', 'x-forwarded-for'];
    const { child, said, ended } = start(['start', '--port', '0', '--limit', 'initialize=1/h', ...trusted]);
    const url = await said(urlLine);
    const clientInfo = { name: 'c', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const openFor = async (client: string): Promise<number> =>
      (await fetch(url, { method: 'POST', headers: { ...accept, 'x-forwarded-for': client }, body })).status;
    assert.equal(await openFor('192.0.2.1'), 200);
    assert.equal(await openFor('192.0.2.2'), 200);
    assert.equal(await openFor('192.0.2.77, 192.0.2.1'), 429);
    child.kill('SIGTERM');
    await ended;
  });

  test('lives on when its standard input ends', async () => {
    const { child, said, ended } = start(['start', '--port', '0']);
    child.stdin.end();
    const url = await said(urlLine);
    assert.equal((await inThisProcess(['call', url, 'echo', 'message=here'])).stdout, 'here\n');
    child.kill('SIGTERM');
    await ended;
  });
});

describe('parley bridge over stdio', { concurrency: 4 }, () => {
  test('writes nothing but the protocol to stdout', async () => {
    const { child, said, ended } = start(['bridge', '--stdio', '--', ...exampleCommand]);
    await said(/client {3}standard input and output/);
    child.stdin.write(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n',
    );
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    child.stdin.end('{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n');
    const { code, stdout, stderr } = await ended;
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      messages.map(({ jsonrpc, id }) => [jsonrpc, id]),
      [
        ['2.0', 1],
        ['2.0', 2],
      ],
    );
    assert.equal(messages[0].result.protocolVersion, '2024-11-05');
    assert.equal(messages[1].result.tools.length, 14);
    assert.match(stderr, /^parley \S+ in front of parley-example/);
    assert.equal(code, 0);
  });

  test('ends with its input', async () => {
    const { child, said, ended } = start(['bridge', '--stdio', '--', ...exampleCommand]);
    await said(/client {3}standard input and output/);
    child.stdin.end();
    assert.equal((await ended).code, 0);
  });

  test('ends with its input while its server has not answered once', { timeout: 240_000 }, async () => {
    const silent = createSilent((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const { child, ended } = start(['bridge', '--stdio', `http://127.0.0.1:${port}/mcp`]);
    child.stdin.end();
    const { code, stderr } = await ended;
    silent.close();
    assert.match(stderr, /^parley: standard input ended before the server had answered$/m);
    assert.equal(code, 1);
  });

  test('brings a server at a URL to clients of stdio, at every revision', async (t) => {
    const server = start(['start', '--port', '0']);
    t.after(() => server.child.kill('SIGKILL'));
    const url = await server.said(urlLine);
    for (const { date } of revisions) {
      const client = await connect(spawnNode([parley, 'bridge', '--stdio', url], { stderr: 'ignore' }), {
        revisions: [date],
      });
      // A process that is left running keeps this one from its end.
      t.after(() => client.close());
      assert.equal(client.revision, date);
      const { isError, content } = await client.callTool('forecast', { city: 'Oslo', days: 1 });
      assert.equal(isError ?? false, false);
      assert.ok(content.length > 0);
      await client.close();
    }
    server.child.kill('SIGTERM');
    await server.ended;
  });
});

test('a server that does not end by itself ends before its bridge is killed', { timeout: 60_000 }, async () => {
  const pids: number[] = [];
  const words = [parley, 'bridge', '--stdio', '--', process.execPath, hung];
  // A little less time than a host gives, so that a bridge which gave its server as much would leave it behind.
  const transport = spawnNode(words, {
    killTimeoutMs: 1_700,
    onStderr: (text) => {
      for (const [, pid] of text.matchAll(/^pid (\d+)$/gm)) pids.push(Number(pid));
    },
  });
  const client = await connect(transport);
  await client.close();
  assert.ok(pids.length > 0);
  for (const pid of pids) assert.ok(await isGone(pid), `${pid} lives on`);
});
