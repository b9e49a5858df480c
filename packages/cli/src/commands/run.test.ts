import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { root } from '../../../../test/support/sources.ts';
import { scenarios } from '../check/client/authorization/scenarios.ts';
import { inThisProcess, run, type Ran } from '../../../../test/support/cli-process.ts';

function assertOneLine(
  { code, stdout, stderr }: Ran,
  expected: { readonly code: number; readonly says: RegExp },
): void {
  assert.match(stderr, expected.says);
  assert.match(stderr, /^parley: [^\n]+\n$/);
  assert.equal(stdout, '');
  assert.equal(code, expected.code);
}

describe('the program', { concurrency: 4 }, () => {
  test('without words it says what it can do', async () => {
    const { code, stdout, stderr } = await run([]);
    assert.match(stdout, /\n {2}parley bridge /);
    assert.equal(stderr, '');
    assert.equal(code, 0);
  });

  test('--help and help say the same', async () => {
    const [long, word] = await Promise.all([inThisProcess(['--help']), inThisProcess(['help'])]);
    assert.equal(long.stdout, word.stdout);
  });

  test('--version prints the version alone', async () => {
    assert.match((await run(['--version'])).stdout, /^\d+\.\d+\.\d+\S*\n$/);
  });

  test('help says at how many servers check --client --auth judges, and so do the documents', async () => {
    const { stdout } = await inThisProcess(['check', '--help-all']);
    const page = readFileSync(join(root, 'docs/check.md'), 'utf8');
    const testing = readFileSync(join(root, 'docs/testing.md'), 'utf8');
    for (const [text, told] of [
      [stdout, /(\d+) servers and their authorization\s+servers/],
      [testing, /at (\d+) servers with right and wrong authorization servers/],
      [page, /--auth +# prints (\d+) URLs/],
    ] as const)
      assert.equal(Number(told.exec(text)?.[1]), scenarios.length);
  });

  test('--help after -- belongs to the command there', async () => {
    assertOneLine(await run(['bridge', '--', '/nonexistent/server', '--help']), {
      code: 3,
      says: /cannot start "\/nonexistent\/server"/,
    });
  });
});

describe('what makes no sense is told in one line, with exit code 2', () => {
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown command', ['brigde'], /no command "brigde"/],
    ['an unknown option in place of a command', ['--verbose'], /no option "--verbose"/],
    ['an unknown command that is near to one', ['brigde'], /; the nearest name is "bridge"; parley --help/],
    ['an unknown option of bridge', ['bridge', '--verbose'], /--verbose/],
    [
      'an option that is near to one',
      ['bridge', '--healt'],
      /^parley: there is no option "--healt"; the nearest name is "--health"$/m,
    ],
    [
      'a negative number',
      ['bridge', '--drain-ms', '-1', 'http://127.0.0.1:1/'],
      /--drain-ms must be a time such as 5s or 500ms, from 0 to 3600000 ms, not "-1"/,
    ],
    [
      'an option in place of a value',
      ['bridge', '--host', '--stdio'],
      /^parley: --host takes a value, and what follows it is an option/,
    ],
    [
      'a variable that is not set',
      ['bridge', '--env', 'NOPE_X', '--', 'node'],
      /the variable NOPE_X, which --env is to pass on, is not set$/m,
    ],
    [
      'a variable that is a member of every object',
      ['call', '--env', 'constructor', '--', 'node'],
      /the variable constructor, which --env is to pass on, is not set$/m,
    ],
    ['a variable whose name has a space', ['call', '--env', 'A B=1', '--', 'node'], /a name has no spaces$/m],
    [
      'a port that does not exist',
      ['call', 'http://127.0.0.1:99999/mcp'],
      /there is no port 99999, the last one is 65535/,
    ],
    ['an unknown option of call', ['call', '--verbose', 'http://127.0.0.1:9/'], /--verbose/],
    ['help on an unknown command', ['help', 'brigde'], /no command "brigde"/],
    ['a bridge to nowhere', ['bridge'], /give the URL/],
    ['a call to nowhere', ['call'], /give the URL/],
    ['no command after --', ['bridge', '--'], /no command follows --/],
    ['a URL that is none', ['bridge', 'localhost:3000/mcp'], /write http:\/\/localhost:3000\/mcp; a command/],
    ['a URL that is not of HTTP', ['call', 'ftp://127.0.0.1/'], /no http: or https: URL/],
    ['a URL and a command', ['bridge', 'http://127.0.0.1:9/', '--', 'node'], /not both/],
    ['a URL and a command to call', ['call', 'http://127.0.0.1:9/', '--', 'node'], /not both/],
    ['a word too many', ['bridge', 'http://127.0.0.1:9/', 'more'], /"more"/],
    ['a port that is none', ['bridge', '--port', '70000', 'http://127.0.0.1:9/'], /from 0 to 65535, not "70000"/],
    ['a path without its slash', ['bridge', '--path', 'mcp', 'http://127.0.0.1:9/'], /--path/],
    ['a path that a URL writes otherwise', ['start', '--path', '/ä'], /--path must be written as in a URL: \/%C3%A4/],
    ['a path that leads up', ['start', '--path', '/a/../b'], /as in a URL: \/b, not "\/a\/\.\.\/b"/],
    ['an address that is empty', ['start', '--host', ''], /--host must name an address/],
    [
      'a proxy whose header nobody knows',
      ['start', '--trusted-proxy', '10.0.0.1'],
      /--trusted-proxy needs --proxy-header x-forwarded-for or --proxy-header forwarded/,
    ],
    ['a header of nobody', ['start', '--proxy-header', 'forwarded'], /--proxy-header needs --trusted-proxy <address>/],
    [
      'a header that no proxy is read by',
      ['start', '--trusted-proxy', '10.0.0.1', '--proxy-header', 'x-real-ip'],
      /--proxy-header takes x-forwarded-for or forwarded, not "x-real-ip"/,
    ],
    [
      'a proxy that is a name',
      ['start', '--trusted-proxy', 'proxy.example', '--proxy-header', 'forwarded'],
      /--trusted-proxy has "proxy\.example", which is neither an address/,
    ],
    [
      'everybody as a proxy',
      ['start', '--trusted-proxy', '0.0.0.0/0', '--proxy-header', 'forwarded'],
      /--trusted-proxy has "0\.0\.0\.0\/0", which is everybody/,
    ],
    ['proxies beside --stdio', ['start', '--stdio', '--trusted-proxy', '10.0.0.1'], /--trusted-proxy is for HTTP/],
    ['a port beside --stdio', ['start', '--stdio', '--port', '3'], /--port is for HTTP/],
    ['paths of health beside --stdio', ['start', '--stdio', '--health'], /--health is for HTTP/],
    ['a time that is none', ['start', '--drain-ms', 'soon'], /--drain-ms .*soon/],
    [
      'a name beside --stdio',
      ['bridge', '--stdio', '--allow-host', 'a', 'http://127.0.0.1:9/'],
      /--allow-host is for HTTP/,
    ],
    [
      'an origin that is none',
      ['bridge', '--allow-origin', 'https://a.example/x', 'http://127.0.0.1:9/'],
      /--allow-origin/,
    ],
    [
      'an unknown revision',
      ['call', '--revision', '2025-01-01', 'http://127.0.0.1:9/'],
      /unknown revision "2025-01-01"/,
    ],
    ['a timeout that is none', ['call', '--timeout', 'soon', 'http://127.0.0.1:9/'], /--timeout/],
    ['arguments that are not JSON', ['call', 'http://127.0.0.1:9/', 'add', '--json', '{a:1}'], /not JSON/],
    ['arguments without a tool', ['call', 'http://127.0.0.1:9/', '--json', '{}'], /no tool/],
    ['an argument without its value', ['call', 'http://127.0.0.1:9/', 'add', 'one'], /"one" is no argument/],
    [
      'a header for a command',
      ['call', '--header', 'A: b', '--', 'node', 'x', '--'],
      /--header is for a server at a URL/,
    ],
    ['a variable for a URL', ['call', '--env', 'A', 'http://127.0.0.1:9/'], /--env/],
    ['an example with words', ['example', 'more'], /"more"/],
    ['a start with words', ['start', 'more'], /"more"/],
  ];
  for (const [title, argv, says] of cases) {
    test(title, async () => assertOneLine(await inThisProcess(argv), { code: 2, says }));
  }

  test('an unknown option, as a process', async () => {
    assertOneLine(await run(['bridge', '--verbose']), { code: 2, says: /--verbose/ });
  });

  test('a malformed header, without showing it', async () => {
    const ran = await inThisProcess(['bridge', '--header', 'secret-value', 'http://127.0.0.1:9/']);
    assertOneLine(ran, { code: 2, says: /'Name: value'/ });
    assert.doesNotMatch(ran.stderr, /secret-value/);
  });

  test('a port in the environment that is none', async () => {
    assertOneLine(await inThisProcess(['bridge', 'http://127.0.0.1:9/'], { PORT: 'http' }), {
      code: 2,
      says: /not "http"/,
    });
  });
});

describe('what fails is told in one line, with its exit code', { concurrency: 4 }, () => {
  for (const command of ['bridge', 'call']) {
    test(`${command}: a command that is not there`, async () => {
      assertOneLine(await run([command, '--', '/nonexistent/server', '--']), {
        code: 3,
        says: /cannot start "\/nonexistent\/server"/,
      });
    });

    test(`${command}: a command that ends at once`, async () => {
      assertOneLine(await run([command, '--', process.execPath, '-e', 'process.exit(3)', '--']), {
        code: 3,
        says: /exited with code 3/,
      });
    });

    test(`${command}: a URL where nobody listens`, async () => {
      assertOneLine(await run([command, `http://127.0.0.1:${await freePort()}/mcp`]), {
        code: 3,
        says: /cannot be reached/,
      });
    });
  }

  test('a port in use', async () => {
    const blocker = createServer();
    const { port } = await new Promise<AddressInfo>((resolve) => {
      // A server that listens on a port has an address that is an object.
      blocker.listen(0, '127.0.0.1', () => resolve(blocker.address() as AddressInfo));
    });
    const ran = await run(['start', '--port', String(port)]);
    blocker.close();
    assertOneLine(ran, { code: 1, says: new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use`) });
  });
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    // A server that listens on a port has an address that is an object.
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

for (const [status, code] of [
  [404, 1],
  [500, 1],
  [502, 3],
  [503, 3],
  [504, 3],
] as const)
  test(`HTTP ${status} gives the exit code ${code}`, async (t) => {
    const server = createHttpServer((_request, response) => void response.writeHead(status).end('no')).listen(
      0,
      '127.0.0.1',
    );
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ran = await inThisProcess(['call', `http://127.0.0.1:${port}/mcp`, 'add']);
    assert.match(ran.stderr, new RegExp(`HTTP ${status}`));
    assert.equal(ran.code, code);
  });
