import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stderr } from 'node:process';
import { describe, test, type TestContext } from 'node:test';
import {
  ConnectionError,
  failedLoads,
  unknownSessions,
  type Transport,
} from '../../../parley/src/jsonrpc/transport.ts';
import { inThisProcess } from '../../../../test/support/cli-process.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from './config/config.ts';
import { masked } from './masked.ts';
import { hiding } from '../../../parley/src/auth/common/secrets.ts';

/** A server that refuses every request with a status and repeats what it was sent. */
async function echoing(t: TestContext, status: number): Promise<string> {
  const said = ({ url, headers }: IncomingMessage): string =>
    `you sent ${url} with ${headers.authorization ?? 'nothing'} and ${String(headers['x-key'])}`;
  const http = createServer((request, response) => void response.writeHead(status).end(said(request)));
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  // It listens on a port.
  return `127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** What a way to a server is called, and how a request over it fails. */
async function failureOf(transport: Transport): Promise<readonly [string, string]> {
  const channel = await transport.open({ message() {}, problem() {}, closed() {} });
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
  const error: unknown = await channel.send(ping).catch((reason: unknown) => reason);
  await channel.close();
  assert.ok(error instanceof ConnectionError);
  return [transport.description, `${error.message} ${error.body}`];
}

test('a way that is masked still tells which process carries it', async () => {
  const channel = { send: () => Promise.resolve(), close: () => Promise.resolve(), pid: 412 };
  const way: Transport = { description: 'node server.js', open: () => Promise.resolve(channel) };
  const opened = await masked(way, { hide: hiding([]) }).open({ message() {}, problem() {}, closed() {} });
  assert.equal(opened.pid, 412);
});

test('a failure that is masked keeps what is known of it', async () => {
  const [unloaded, forgotten] = [new ConnectionError('exited', 'a key'), new ConnectionError('http', 'a key')];
  failedLoads.add(unloaded);
  unknownSessions.add(forgotten);
  const shown: ConnectionError[] = [];
  const send = (): Promise<void> => Promise.reject(forgotten);
  const way: Transport = {
    description: 'node server.js',
    open: async ({ closed }) => (closed(unloaded), { send, close: () => Promise.resolve() }),
  };
  const closed = (error: ConnectionError): void => void shown.push(error);
  const channel = await masked(way, { hide: (text) => text.replace('key', '…') }).open({
    message() {},
    problem() {},
    closed,
  });
  await channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' }).catch(closed);
  assert.deepEqual(
    shown.map(({ message }) => message),
    ['a …', 'a …'],
  );
  assert.deepEqual(
    shown.map((error) => [failedLoads.has(error), unknownSessions.has(error)]),
    [
      [true, false],
      [false, true],
    ],
  );
});

describe('what fails on the way to a server', () => {
  for (const status of [404, 500])
    test(`holds no variable of the path of its URL (${status})`, async (t) => {
      const host = await echoing(t, status);
      const env = { KEY: 'open-sesame', SHORT: 'abc', WHOLE: `http://${host}/s/open-sesame/mcp`, HOST: host };
      const entries = {
        path: { url: 'http://${HOST}/${KEY}/${SHORT}/mcp' },
        whole: { url: '${WHOLE}' },
      };
      const { upstreams } = configOf({ mcpServers: entries }, { file: 'servers.json', io: { env, stderr } });
      const found = await Promise.all(Object.values(upstreams).map(({ upstream }) => failureOf(upstream)));
      assert.deepEqual(
        found.map(([description]) => description),
        [`http://${host}/\${KEY}/\${SHORT}/mcp`, '${WHOLE}'],
      );
      assert.doesNotMatch(found.join(), /sesame|abc/);
      assert.match(found.join(), new RegExp(`HTTP ${status} from `));
    });

  test('holds no header and no password, should the server repeat them', async (t) => {
    const host = await echoing(t, 500);
    const url = `http://ada:open-sesame@${host}/mcp?token=hocus-pocus`;
    const basic = Buffer.from('ada:open-sesame').toString('base64');
    const { stderr } = await inThisProcess(['call', '--header', 'X-Key: abracadabra', url]);
    assert.match(stderr, /HTTP 500 from \S+: you sent \/mcp\?token=••• with Basic ••• and •••/);
    assert.ok(!stderr.includes(basic));
  });
});

test('a token that was given is told to nobody, should the server repeat it', async (t) => {
  const host = await echoing(t, 500);
  const folder = await mkdtemp(join(tmpdir(), 'parley-masked-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'token'), 'alakazam-alakazam-0123\n');
  for (const given of [
    ['--token-env', 'TOKEN'],
    ['--token-file', join(folder, 'token')],
  ])
    for (const argv of [['call'], ['bridge', '--stdio']]) {
      const env = { TOKEN: 'hocus-pocus-hocus-pocus-0123' };
      // oxlint-disable-next-line no-await-in-loop -- one after the other is fine
      const { stdout, stderr } = await inThisProcess([...argv, ...given, `http://${host}/mcp`], env);
      assert.match(stderr, /HTTP 500 from \S+ you sent \/mcp with Bearer ••• and undefined/);
      assert.doesNotMatch(stdout + stderr, /hocus|alakazam/);
    }
});

test('a secret is hidden in the JSON of whoever escapes more of it than they must', () => {
  const hide = hiding(["to/ken+of'many<signs>==0123"]);
  for (const written of [
    String.raw`to\/ken+of'many<signs>==0123`,
    String.raw`to/ken\u002Bof\u0027many\u003Csigns\u003E==0123`,
    String.raw`to/ken+of\u0027many\u003csigns\u003e\u003d\u003d0123`,
    'to%2fken%2bof%27many%3csigns%3e%3d%3d0123',
  ])
    assert.equal(hide(`it is ${written}.`), 'it is •••.');
});

test('a key in the path of a URL is told to nobody, and its other parts are', async (t) => {
  const host = await echoing(t, 500);
  const url = `http://${host}/s/sk-0123456789abcdefghij/mcp`;
  const { upstreams } = configOf({ mcpServers: { one: { url } } }, { file: 'servers.json', io: { env: {}, stderr } });
  for (const argv of [
    ['call', url],
    ['bridge', '--stdio', url],
    ['explain', url],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is fine
    const { stdout, stderr } = await inThisProcess(argv);
    assert.doesNotMatch(stdout + stderr, /sk-0123/);
    assert.ok(`${stdout}${stderr}`.includes(`http://${host}/s/•••/mcp`), stdout + stderr);
  }
  assert.equal(upstreams['one']?.upstream.description, `http://${host}/s/•••/mcp`);
});

describe('a secret is hidden', () => {
  const hide = hiding(['s p/e"cial-secret', 'short']);

  test('as it is, in JSON and in a URL', () => {
    assert.equal(hide('a s p/e"cial-secret b'), 'a ••• b');
    assert.equal(hide(JSON.stringify({ a: 's p/e"cial-secret' })), '{"a":"•••"}');
    assert.equal(hide(`http://a/${encodeURIComponent('s p/e"cial-secret')}/b`), 'http://a/•••/b');
  });

  test('whole, where it repeats its own beginning', () => {
    assert.equal(hiding(['hocus-pocus-hocus-pocus-0123'])('a hocus-pocus-hocus-pocus-0123 b'), 'a ••• b');
  });

  test('where it is cut off', () => {
    assert.equal(hide('a s p/e"cial-sec…'), 'a •••…');
    assert.equal(hide('a s p/e"cia…'), 'a s p/e"cia…');
  });

  test('unless it is so short that it hides other words', () => {
    assert.equal(hide('a short word'), 'a short word');
  });
});
