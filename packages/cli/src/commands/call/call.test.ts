import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listen, type ListenOptions } from '../../../../parley/src/transports/node/server/http.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import { revisions } from '../../../../parley/src/protocol/revision.ts';
import { createServer } from '../../../../parley/src/server/server.ts';
import { exampleCommand, inThisProcess, run, start, withTimes } from '../../../../../test/support/cli-process.ts';
import { createExampleServer } from '../example/server.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';

/** Serves the example over HTTP while something runs. */
async function withExample(use: (url: string) => Promise<void>, options: ListenOptions = {}): Promise<void> {
  const server = createExampleServer();
  const http = await listen(server, { port: 0, ...options });
  try {
    await use(http.url);
  } finally {
    await http.close();
    await server.close();
  }
}

describe('parley call', { concurrency: 4 }, () => {
  test('lists what a server at a URL offers', async () => {
    await withExample(async (url) => {
      const { code, stdout, stderr } = await run(['call', url]);
      assert.equal(stderr, '');
      assert.equal(code, 0);
      assert.ok(stdout.startsWith(`Parley example ${version}, revision ${revisions.at(-1)?.date}, ${url}\n`), stdout);
      assert.match(stdout, /tools\n {2}echo\(message: string\) +Echo: Says a message back\.\n/);
      assert.match(stdout, /forecast\(city: string, days\?: integer\)/);
      assert.match(stdout, /resources\n {2}example:\/\/manual +The manual \(text\/markdown, \d+ bytes\)\n/);
      assert.match(stdout, /resource templates\n {2}example:\/\/cities\/\{city\} +A city/);
      assert.match(stdout, /prompts\n {2}greet\(name, tone\?\)/);
    });
  });

  test('lists as JSON', async () => {
    const { stdout } = await run(['call', '--json', '--', ...exampleCommand, '--']);
    const catalogue = JSON.parse(stdout);
    assert.equal(catalogue.server.name, 'parley-example');
    assert.deepEqual(
      catalogue.prompts.map((prompt: { readonly name: string }) => prompt.name),
      ['greet', 'pack'],
    );
    assert.equal(catalogue.tools.length, 14);
  });

  test('calls a tool of a command, named before -- or after a second --', async () => {
    const lines = [
      ['call', '--', ...exampleCommand, '--', 'add', 'a=1', 'b=2'],
      ['call', 'add', 'a=1', 'b=2', '--', ...exampleCommand],
      ['call', 'add', 'b=2', '--json', '{"a":1,"b":7}', '--', ...exampleCommand],
      ['call', '--', ...exampleCommand, '--', 'add', '--json', '{"a":1}', 'b=2'],
    ];
    for (const { code, stdout } of await Promise.all(lines.map((line) => run(line)))) {
      assert.deepEqual(JSON.parse(stdout), { sum: 3 });
      assert.equal(code, 0);
    }
  });

  test('speaks the revision that it is told to', async () => {
    await withExample(async (url) => {
      for (const { date } of revisions) {
        const { stdout } = await inThisProcess(['call', '--revision', date, '--json', url]);
        assert.equal(JSON.parse(stdout).revision, date);
      }
    });
  });

  test('prints text as it is, and describes what is no text', async () => {
    await withExample(async (url) => {
      const shown = async (...words: readonly string[]): Promise<string> =>
        (await inThisProcess(['call', url, ...words])).stdout;
      const [echo, picture, tone, cities, manual] = await Promise.all([
        shown('echo', 'message=12'),
        shown('picture'),
        shown('tone'),
        shown('cities'),
        shown('manual'),
      ]);
      assert.equal(echo, '12\n');
      assert.match(picture, /^The sun, from memory:\n\[image image\/png, \d+ bytes\]\n$/);
      assert.match(tone, /^\[audio audio\/wav, 2044 bytes\]\n$/);
      assert.match(cities, /^\[resource example:\/\/cities\/Lisbon: Lisbon \(text\/markdown, Facts of Lisbon\.\)\]\n/);
      assert.match(manual, /\[resource example:\/\/manual text\/markdown\]\n# The Parley example/);
    });
  });

  test('tells progress and log messages on stderr', async () => {
    await withExample(async (url) => {
      const { stdout, stderr } = await inThisProcess(['call', url, 'countdown', 'from=2', 'pauseMs=1']);
      assert.equal(stdout, 'lift-off\n');
      assert.deepEqual(stderr.trimEnd().split('\n').toSorted(), [
        '[info] countdown: {"left":0}',
        '[info] countdown: {"left":1}',
        'progress 1/2 1 to go',
        'progress 2/2 0 to go',
      ]);
    });
  });

  test('a tool that fails gives exit code 1, with its words on stderr', async () => {
    await withExample(async (url) => {
      const { code, stdout, stderr } = await inThisProcess(['call', url, 'fail']);
      assert.deepEqual(
        { code, stdout, stderr },
        { code: 1, stdout: '', stderr: 'the kettle is empty; fill it and try again\n' },
      );
    });
  });

  test('a tool that fails gives exit code 1 and JSON when asked for it', async () => {
    await withExample(async (url) => {
      const { code, stdout, stderr } = await inThisProcess(['call', url, 'fail', '--json']);
      assert.equal(code, 1);
      assert.equal(stderr, '');
      assert.equal(JSON.parse(stdout).isError, true);
    });
  });

  test('a value of the wrong type is told before anything is called', async () => {
    const { code, stderr } = await run(['call', 'add', 'a=one', 'b=2', '--', ...exampleCommand]);
    assert.equal(stderr, 'parley: argument a must be number, not "one"\n');
    assert.equal(code, 2);
  });

  test('an unknown tool is told with those that are known', async () => {
    const { code, stderr } = await run(['call', '--', ...exampleCommand, '--', 'ad', 'a=1']);
    assert.match(
      stderr,
      /^parley: the server has no tool "ad": it has echo, add, [^\n]*; if "ad" belongs to the command, end the line with one more --\n$/,
    );
    assert.equal(code, 1);
  });

  test('headers reach the server, and are shown nowhere', async () => {
    let seen: string | undefined;
    const authenticate: ListenOptions['authenticate'] = (request) => {
      seen = request.header('authorization');
      return { principal: 'ada' };
    };
    await withExample(
      async (url) => {
        const { stdout, stderr } = await inThisProcess([
          'call',
          url,
          '--header',
          'Authorization: Bearer sesame',
          'echo',
          'message=hi',
        ]);
        assert.equal(seen, 'Bearer sesame');
        assert.equal(stdout, 'hi\n');
        assert.equal(stderr, '');
      },
      { authenticate },
    );
  });

  test('a server that refuses is told in one line', async () => {
    await withExample(
      async (url) => {
        const { code, stderr } = await inThisProcess(['call', url]);
        assert.equal(code, 1);
        assert.match(stderr, /^parley: [^\n]*401[^\n]*\n$/);
      },
      { authenticate: () => ({ status: 401 }) },
    );
  });

  test('what a server says cannot reach into the terminal', async () => {
    const server = createServer({ name: 'sly', version: '1.0.0' });
    server.tool('sly', { description: 'a\u001b[2Jb' }, () => 'c\u001b]0;d\u0007e\u009b1m');
    const http = await listen(server, { port: 0 });
    const [listed, called] = await Promise.all([
      inThisProcess(['call', http.url]),
      inThisProcess(['call', http.url, 'sly']),
    ]);
    await http.close();
    await server.close();
    assert.match(listed.stdout, /a\ufffd\[2Jb/);
    assert.equal(called.stdout, 'c\ufffd]0;d\ufffde\ufffd1m\n');
  });

  test('what a server hides in tag characters is seen, and kept in --json', async () => {
    const hidden = String.fromCodePoint(0xe0061, 0xe0062);
    const server = createServer({ name: 'sly', version: '1.0.0' });
    server.tool('sly', { description: `plain${hidden}` }, () => 'x');
    const http = await listen(server, { port: 0 });
    const [listed, json] = await Promise.all([
      inThisProcess(['call', http.url]),
      inThisProcess(['call', http.url, '--json']),
    ]);
    await http.close();
    await server.close();
    assert.match(listed.stdout, /plain\ufffd\ufffd$/m);
    assert.ok(json.stdout.includes(String.raw`plain\udb40\udc61\udb40\udc62`));
    assert.equal(JSON.parse(json.stdout).tools[0].description, `plain${hidden}`);
  });

  test('neither controls nor what turns writing round is raw in --json, which means the same', async () => {
    const said = 'a\u0085b\u009b1mc\u202ed\u2066e\u200ff';
    const server = createServer({ name: `sly${said}`, version: '1.0.0' });
    server.tool('sly', { description: said }, () => ({ content: [{ type: 'text', text: said }] }));
    const http = await listen(server, { port: 0 });
    const [listed, called, explained] = await Promise.all([
      inThisProcess(['call', http.url, '--json']),
      inThisProcess(['call', http.url, 'sly', '--json']),
      inThisProcess(['explain', http.url, '--json']),
    ]);
    await http.close();
    await server.close();
    for (const { stdout } of [listed, called, explained])
      assert.doesNotMatch(stdout, /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    assert.equal(JSON.parse(listed.stdout).tools[0].description, said);
    assert.equal(JSON.parse(called.stdout).content[0].text, said);
  });

  test("a line break in a server's name, a tool or a log forges no line", async () => {
    const server = createServer({ name: 'sly\nparley: forged', version: '1\r\n  url      http://forged.example' });
    server.tool('sly', { title: 'a\u2028forged' }, (_, ctx) => {
      ctx.progress(1, 2, 'b\nparley: forged');
      ctx.log('info', 'c\nparley: forged');
      return { content: [{ type: 'image', mimeType: 'image/png\nforged', data: '' }] };
    });
    const http = await listen(server, { port: 0 });
    const runs = await Promise.all([
      inThisProcess(['call', http.url]),
      inThisProcess(['call', http.url, 'sly']),
      inThisProcess(['call', http.url, 'other\nparley: forged']),
      inThisProcess(['explain', http.url]),
    ]);
    await http.close();
    await server.close();
    for (const { stdout, stderr } of runs) assert.doesNotMatch(stdout + stderr, /^(?:parley: |  url      )?forged/m);
    assert.match(runs[1].stderr, /^\[info\] c\n {2}parley: forged$/m);
  });

  test('what is very long is cut off where a person reads it, and whole in --json', async () => {
    const long = 'n'.repeat(100_000);
    const server = createServer({ name: long, version: '1.0.0', title: long });
    server.tool('fail', {}, () => {
      throw new McpError('invalidParams', long);
    });
    server.tool(`echo-${long}`.slice(0, 128), { title: long, description: long }, () => long);
    server.prompt(long, {}, () => 'x');
    const http = await listen(server, { port: 0 });
    const [listed, refused, whole] = await Promise.all([
      inThisProcess(['call', http.url]),
      inThisProcess(['call', http.url, 'fail']),
      inThisProcess(['call', http.url, '--json']),
    ]);
    await http.close();
    await server.close();
    assert.ok(listed.stdout.length < 5_000);
    assert.match(listed.stdout, /^n+…, revision /);
    assert.ok(refused.stderr.length < 5_000 && refused.stderr.endsWith('n…\n'), refused.stderr.slice(-80));
    assert.ok(whole.stdout.includes(long));
  });

  test('a program that prints on stdout before it serves is told of with its first line', async () => {
    for (const [code, words] of [
      ["console.log('Server ready!\\nMore.'); setInterval(() => {}, 1000)", /initialize was not answered/],
      ["console.log('Server ready!\\nMore.'); process.exitCode = 3", /exited with code 3/],
    ] as const) {
      const { stderr } = await withTimes(
        (timeout) => inThisProcess(['call', '--timeout', timeout, '--', process.execPath, '-e', code, '--']),
        (ran) => ran.stderr.includes('Server ready') && words.test(ran.stderr),
        ['700', '5000', '60000'],
      );
      const last = stderr.trim().split('\n').at(-1) ?? '';
      assert.match(last, words);
      assert.match(
        last,
        /; its first output is not a message \([^)]*: Server ready!\): its standard output must hold only messages; write logs to standard error$/,
      );
    }
  });

  test('--timeout ends a call whose server sends progress for ever', async () => {
    const code = `const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } },
  'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' } }] },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const { progressToken } = params?._meta ?? {};
  if (id === undefined) return;
  if (method !== 'tools/call') return say(results[method] ? { id, result: results[method] } : { id, error: { code: -32601, message: 'no' } });
  let progress = 0;
  setInterval(() => say({ method: 'notifications/progress', params: { progressToken, progress: ++progress } }), 20);
});`;
    const words = /tools\/call was not answered within \d+ ms \(maxTotalTimeoutMs/;
    const { stderr } = await withTimes(
      (timeout) => inThisProcess(['call', 't', '--timeout', timeout, '--', process.execPath, '-e', code]),
      (ran) => words.test(ran.stderr) && /^progress 2$/m.test(ran.stderr),
      ['400', '3000', '30000'],
    );
    assert.match(stderr, words);
    assert.match(stderr, /^progress 2$/m);
  });

  test('an unknown tool is told with the names that are nearest', async () => {
    await withExample(async (url) => {
      const { code, stderr } = await inThisProcess(['call', url, 'ehco']);
      assert.equal(code, 1);
      assert.match(stderr, /has no tool "ehco": it has [^\n]*; the nearest name is "echo"\n$/);
    });
  });

  test('a variable is passed on only when it is named', async () => {
    const code =
      'process.stderr.write(`[${process.env.KEY} ${process.env.OTHER} ${process.env.MADE}]`); process.exit(1)';
    const { stderr } = await run(
      ['call', '--env', 'KEY', '--env', 'MADE=x=y', '--', process.execPath, '-e', code, '--'],
      { KEY: 'k', OTHER: 'o' },
    );
    assert.match(stderr, /\[k undefined x=y\]/);
  });

  test('an interrupted call ends with exit code 1', async () => {
    await withExample(async (url) => {
      const { child, said, ended } = start(['call', url, 'countdown', 'from=100', 'pauseMs=150']);
      await said(/progress \d+\/100/);
      child.kill('SIGINT');
      const { code, stdout } = await ended;
      assert.equal(code, 1);
      assert.equal(stdout, '');
    });
  });
});

/** Writes the words of its command line to standard error, does nothing with its input, and ends. */
const spy = `console.error('pid ' + process.pid + ' got ' + process.argv.slice(1).join(' ')); process.exitCode = 2;`;

describe('a command that ends at once', { concurrency: 4 }, () => {
  for (const command of ['call', 'bridge'])
    test(`${command}: it is started with the words that were typed, and tells its error once`, async () => {
      const { code, stdout, stderr } = await inThisProcess([
        command,
        '--',
        process.execPath,
        '-e',
        spy,
        'delete',
        'old',
      ]);
      assert.equal(code, 3);
      assert.equal(stdout, '');
      const [said, why, ...more] = stderr.trimEnd().split('\n');
      assert.match(said ?? '', /^pid \d+ got delete old$/);
      assert.match(why ?? '', /^parley: the server \([^)]*\) exited with code 2$/);
      assert.deepEqual(more, []);
    });

  test('an entry of a file tells its error once', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-call-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'servers.json');
    const entry = { command: process.execPath, args: ['-e', spy, 'delete'] };
    writeFileSync(file, JSON.stringify({ mcpServers: { one: entry } }));
    const { stderr } = await inThisProcess(['call', '--config', file, 'one']);
    assert.match(stderr, /^pid \d+ got delete\nparley: the server [^\n]* exited with code 2\n$/);
  });

  test('an interpreter is not given the messages as a program', async () => {
    const { code, stderr } = await inThisProcess(['call', '--', process.execPath, 'no-such-file.mjs']);
    assert.equal(code, 3);
    assert.equal(stderr.match(/Cannot find module/g)?.length, 1, stderr);
  });
});

test('a tool in the words of a command is listed, with a hint that calls it', async () => {
  const server = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
      'tools/list': { tools: [{ name: 'add', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'added' }] },
    }[method];
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) }));
  });`;
  const command = [process.execPath, '-e', server];
  const listed = await inThisProcess(['call', '--', ...command, 'add', 'a=1']);
  assert.match(listed.stdout, /tools\n {2}add\(\)/);
  assert.equal(listed.stderr, 'parley: the command was given "add"; put -- before it to call that tool\n');
  const called = await inThisProcess(['call', '--', ...command, '--', 'add', 'a=1']);
  assert.deepEqual(called, { code: 0, stdout: 'added\n', stderr: '' });
});
