import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { revisions } from '../../../../parley/src/protocol/revision.ts';
import { inThisProcess, run, start, withTimes, type Ran } from '../../../../../test/support/cli-process.ts';
import type { Explanation, Try } from './report.ts';

const count = revisions.length;

/** Explains an HTTP server that answers everything in one way. */
async function explainHttp(listener: RequestListener, ...words: readonly string[]): Promise<Ran> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  try {
    return await inThisProcess(['explain', ...words, `http://127.0.0.1:${port}/mcp`]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Explains a server that is this program. */
function explainScript(script: string, ...words: readonly string[]): Promise<Ran> {
  return inThisProcess(['explain', ...words, '--', process.execPath, '-e', script]);
}

function tries({ stdout }: Ran): readonly Try[] {
  const { works, tries: list }: Explanation = JSON.parse(stdout);
  assert.equal(
    works,
    list.some(({ outcome }) => outcome === 'spoken'),
  );
  return list;
}

/** A server on stdio that answers `initialize` with a revision, and does as told with all else. */
function answering(date: string, otherwise: string): string {
  return `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...message }));
    const result = { protocolVersion: '${date}', capabilities: {}, serverInfo: { name: 's', version: '1' } };
    if (method === 'initialize') send({ result });
    else if (method === 'ping') send({ result: {} });
    else if (id !== undefined) { ${otherwise} }
  }).on('close', () => process.exit())`;
}

describe('parley explain, of what is no server', { concurrency: 4 }, () => {
  test('a wall of authorization is no evidence, and the challenge is shown', async () => {
    const wall: RequestListener = (_, response) =>
      response.writeHead(401, { 'www-authenticate': 'Bearer scope="mcp"' }).end();
    const { code, stdout } = await explainHttp(wall);
    assert.equal(code, 1);
    assert.match(stdout, /^no revision works: HTTP 401: authorization is wanted\n {2}server {2}http:\S+ \(HTTP\)\n/);
    assert.match(
      stdout,
      /\n {2}2026-07-28 {2}\? {2}HTTP 401: authorization is wanted, which is no evidence; WWW-Authenticate: Bearer\s+scope="mcp"\n {2}2025-11-25 {2}\? {2}the same\n/,
    );
    const found = tries(await explainHttp(wall, '--json'));
    assert.deepEqual(
      found.map(({ outcome, status, reason }) => [outcome, status, reason]),
      Array.from({ length: count }, () => ['unknown', 401, 'unauthorized']),
    );
  });

  test('a wall without a challenge is told with what it says', async () => {
    const { stdout } = await explainHttp((_, response) => response.writeHead(401).end('{"error":"no key"}'));
    assert.match(stdout, /HTTP 401: authorization is wanted, which is no evidence; it says: no key\n/);
  });

  test('a server in trouble is no evidence', async () => {
    const { code, stdout } = await explainHttp((_, response) => response.writeHead(500).end('<h1>oops</h1>'), '--wire');
    assert.equal(code, 1);
    assert.match(stdout, /^no revision works: HTTP 500/);
    assert.match(stdout, /\n {2}2024-11-05 {2}\? {2}/);
    assert.match(stdout, /\n {4}← 500\n {6}<h1>oops<\/h1>\n/);
  });

  test('a page that is not there is evidence', async () => {
    const found = tries(await explainHttp((_, response) => response.writeHead(404).end('nothing'), '--json'));
    assert.ok(found.every(({ outcome, status }) => outcome === 'refused' && status === 404));
  });

  test('JSON of something else and an empty body are evidence, and are told as they are', async () => {
    for (const [body, words] of [
      ['{"users":[1]}', 'answered with JSON that is no message of MCP: {"users":[1]}; is it the URL of an MCP server?'],
      ['', 'an empty body instead of an answer; is it the URL of an MCP server?'],
    ] as const) {
      const api: RequestListener = (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      const found = tries(await explainHttp(api, '--json'));
      assert.deepEqual([...new Set(found.map(({ outcome }) => outcome))], ['refused']);
      for (const { why, notes } of found) {
        assert.ok(why.endsWith(words), why);
        assert.deepEqual(notes, []);
      }
    }
  });

  test('a server that never answers is given up in time', async () => {
    const found = tries(await explainHttp(() => {}, '--json', '--timeout', '500'));
    assert.ok(found.every(({ outcome, reason }) => outcome === 'unknown' && reason === 'timeout'));
    assert.equal(found.length, count);
    const waits = found.map(({ why }) => Number(/ within (\d+) ms/.exec(why)?.[1] ?? 0));
    assert.ok(waits.reduce((sum, one) => sum + one, 0) <= 500, waits.join());
  });

  test('a closed port is told as it is', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo; // As above.
    await new Promise((resolve) => server.close(resolve));
    const { code, stdout } = await inThisProcess(['explain', `http://127.0.0.1:${port}/mcp`]);
    assert.equal(code, 3);
    assert.match(stdout, /^no revision works: http:\S+ cannot be reached: [^\n]*ECONNREFUSED/);
  });

  test('an interruption ends it with exit code 1', async () => {
    let asked: (() => void) | undefined;
    const server = createServer(() => asked?.()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo; // As above.
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { child, ended } = start(['explain', `http://127.0.0.1:${port}/mcp`]);
    await isAsked;
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    server.closeAllConnections();
    server.close();
    assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: 'parley: ended by SIGINT\n' });
  });

  test('a server that takes a notification and never lets go of it is given up in time', async () => {
    const listener: RequestListener = (request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const { id, method } = JSON.parse(body || '{}');
        if (method === 'notifications/initialized') return;
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };
        const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: 'no' } };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });
    };
    const ran = await withTimes(
      (time) => explainHttp(listener, '--json', '--timeout', time),
      ({ stdout }) => stdout.includes('notifications/initialized was not taken'),
    );
    assert.match(tries(ran)[1]?.why ?? '', /^notifications\/initialized was not taken within \d+ ms/);
  });
});

describe('parley explain, of a command that is no server', { concurrency: 4 }, () => {
  test('a command that does not exist', async () => {
    const { code, stdout } = await inThisProcess(['explain', '--', 'parley-no-such-command']);
    assert.equal(code, 3);
    assert.match(stdout, /^no revision works: cannot start "parley-no-such-command": the command was not found\n/);
  });

  test('a command that exits at once is started once, and its last words are told once', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-starts-'));
    t.after(() => rm(folder, { recursive: true }));
    const starts = join(folder, 'starts');
    const note = `require("node:fs").appendFileSync(${JSON.stringify(starts)}, "x")`;
    const { code, stdout, stderr } = await explainScript(`${note}; console.error("no key"); process.exitCode = 3`);
    assert.equal(code, 1);
    assert.equal(stderr, '');
    assert.match(
      stdout,
      /^no revision works: the server \(.+\) exited with code 3: no key (?:before it was asked anything|when asked initialize)\n {2}server (?:.*\n {10})*.*\n$/,
    );
    assert.equal(await readFile(starts, 'utf8'), 'x');
  });

  test('a command that exits at initialize is started once', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-starts-'));
    t.after(() => rm(folder, { recursive: true }));
    const starts = join(folder, 'starts');
    const note = `require("node:fs").appendFileSync(${JSON.stringify(starts)}, "x")`;
    const { stdout } = await explainScript(`${note}; process.stdin.once("data", () => process.exit(4))`);
    assert.match(stdout, /^no revision works: the server \(.+\) exited with code 4 when asked initialize\n/);
    assert.equal(await readFile(starts, 'utf8'), 'x');
  });

  test('a command with a long path, with how it ended', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), `${'long'.repeat(40)}-`));
    t.after(() => rm(folder, { recursive: true }));
    const node = join(folder, 'node');
    await symlink(process.execPath, node);
    const { stdout } = await run(['explain', '--', node, '-e', 'console.error("no key"); process.exitCode = 3']);
    assert.match(
      stdout,
      /^no revision works: the server \(.+\) exited with code 3: no key (?:before it was asked anything|when asked initialize)\n/,
    );
  });

  test('a command that prints what is no message, until the time is up', async () => {
    const script = 'console.log("Hello \\u001b[31m"); process.stdin.resume().on("end", () => process.exit())';
    const { code, stdout } = await withTimes(
      (time) => explainScript(script, '--timeout', time, '--wire'),
      (ran) => ran.stdout.includes('Hello \ufffd'),
    );
    assert.equal(code, 3);
    assert.match(stdout, /^no revision works: initialize was not answered within \d+ ms \(timeoutMs at /);
    assert.match(stdout, /\n {17}note: text is not JSON: Hello \ufffd\[31m\n/);
    assert.match(stdout, /← Hello \ufffd\[31m\n {6}\(no message\) text is not JSON: Hello \ufffd/);
  });

  test('a command that never answers, with what it wrote to standard error', async () => {
    const script = 'console.error("waiting for Godot"); process.stdin.resume().on("end", () => process.exit())';
    const { code, stdout } = await withTimes(
      (time) => explainScript(script, '--timeout', time),
      (ran) => ran.stdout.includes('Godot'),
    );
    assert.equal(code, 3);
    assert.match(stdout, /note: it wrote to standard error: waiting for Godot\n/);
  });

  test('a server that exits when it is asked what it does not know is started anew', async () => {
    const ran = await explainScript(answering('2025-06-18', 'process.exit(7)'));
    assert.equal(ran.code, 0);
    assert.match(ran.stdout, /^s 1 speaks 2025-06-18\n/);
    assert.match(
      ran.stdout,
      /\n {2}2026-07-28 {2}\? {4}the\s+server\s+\([^]+?\)\s+exited with code 7\s+when\s+asked\s+server\/discover\n/,
    );
    assert.match(ran.stdout, /\n {2}2025-11-25 {2}no {3}initialize was answered with 2025-06-18 instead\n/);
    assert.match(ran.stdout, /\n {2}2025-06-18 {2}yes {2}initialize was answered with 2025-06-18\n/);
  });

  test('a server that is silent when it is asked what it does not know', async () => {
    const ran = await withTimes(
      (time) => explainScript(answering('2025-11-25', ''), '--json', '--timeout', time),
      (one) => tries(one).filter(({ reason }) => reason === 'timeout').length === 1,
    );
    const [newest, ...older] = tries(ran);
    assert.deepEqual([newest?.outcome, newest?.reason], ['unknown', 'timeout']);
    assert.deepEqual(
      older.map(({ outcome, named }) => [outcome, named]),
      [['spoken', ['2025-11-25']], ...Array.from({ length: 3 }, () => ['other', ['2025-11-25']])],
    );
  });

  test('a server that says more than is shown, with how much more', async () => {
    const said = `for (let n = 0; n < 700; n++) console.log('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":' + n + '}}');`;
    const script = answering('2025-11-25', 'process.exit()').replace(
      "if (method === 'initialize')",
      `if (method === 'initialize') { ${said} }\n$&`,
    );
    const { code, stdout } = await explainScript(script, '--wire');
    assert.equal(code, 0);
    assert.match(stdout, /note: \d{3} further messages travelled and are not shown\n/);
  });

  test('a server that answers with a revision that nobody knows', async () => {
    const found = tries(await explainScript(answering('2099-01-01', 'process.exit()'), '--json'));
    assert.ok(found.slice(1).every(({ outcome, named }) => outcome === 'other' && named?.[0] === '2099-01-01'));
  });
});

test('a command that needs a second after end of input ends by itself, in each try', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-explain-'));
  t.after(() => rm(folder, { recursive: true }));
  const log = join(folder, 'log');
  const script = `const note = (text) => require('node:fs').appendFileSync(${JSON.stringify(log)}, text + '\\n');
    process.on('SIGTERM', () => (note('signalled'), process.exit()));
    ${answering('2025-11-25', `send({ error: { code: -32601, message: 'no' } })`).replace(
      'process.exit()',
      `setTimeout(() => (note('ended'), process.exit()), 1_000)`,
    )}`;
  const found = tries(await explainScript(script, '--json'));
  assert.equal(found.filter(({ outcome }) => outcome === 'spoken').length, 1);
  assert.deepEqual(
    (await readFile(log, 'utf8')).trim().split('\n'),
    found.map(() => 'ended'),
  );
});
