/** The servers of a file, each with the login that is kept for it, or as the machine that the file says. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { run, start, type Running } from '../support/cli-process.ts';
import { assertNoFileHas, assertSilent, filesIn, scene } from '../support/command-line-scene.ts';
import { guardedServer } from '../support/guarded-server.ts';
import type { Machine } from '../support/page-opener.ts';

const secret = 'the-secret-of-the-machine-0123456789';

const machineClient = {
  client_id: 'machine',
  client_secret: secret,
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
};

async function fileWith(machine: Machine, servers: object): Promise<string> {
  const file = join(machine.state, '..', 'servers.json');
  await writeFile(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

/** Speaks to a bridge on standard input and output. */
function speak({ child, said }: Running): (method: string, params: object, pattern: RegExp) => Promise<string> {
  let id = 0;
  return (method, params, pattern) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
    return said(pattern);
  };
}

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
};

test('a bridge before several servers uses the login that is kept for each, and is the machine that the file says', async (t) => {
  const { as, server, machine, parley, said } = await scene(t, { clients: [machineClient] });
  const other = await guardedServer(t, as.issuer);
  assert.equal((await parley('login', server.url)).code, 0);
  const oauth = { grantType: 'client_credentials', clientId: 'machine', clientSecretEnv: 'SECRET', issuer: as.issuer };
  const file = await fileWith(machine, {
    person: { url: server.url },
    machine: { url: other.url, oauth: { ...oauth, scopes: ['write'] } },
  });
  const running = start(['bridge', '--stdio', '--config', file, '--prefix', 'always'], {
    ...machine.env,
    SECRET: secret,
  });
  const ask = speak(running);
  await ask('initialize', hello, /"serverInfo"/);
  running.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await ask('tools/call', { name: 'person__whoami', arguments: {} }, /"text":"ann"/);
  await ask('tools/call', { name: 'machine__whoami', arguments: {} }, /"text":"machine"/);
  await ask('tools/call', { name: 'machine__write', arguments: {} }, /"text":"written"/);
  running.child.stdin.end();
  const ran = await running.ended;
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal((await machine.opened()).length, 1, 'the page of parley login alone was opened');
  said.push(ran.stdout, ran.stderr);
  assertSilent(said, as);
  for (const text of said) assert.ok(!text.includes(secret));
  await assertNoFileHas(machine, [secret]);
});

test('a call names a server of a file, and is authorized as its entry says', async (t) => {
  const { as, server, machine, parley, said } = await scene(t, { clients: [machineClient] });
  const oauth = { grantType: 'client_credentials', clientId: 'machine', clientSecret: '${SECRET}', issuer: as.issuer };
  const file = await fileWith(machine, { one: { url: server.url, oauth }, mine: { url: server.url } });
  const env = { ...machine.env, SECRET: secret };
  assert.deepEqual(await run(['call', '--config', file, 'one', 'whoami'], env), {
    code: 0,
    stdout: 'machine\n',
    stderr: '',
  });
  const mine = await parley('call', '--config', file, 'mine', 'whoami');
  assert.equal(mine.code, 1);
  assert.match(mine.stderr, new RegExp(`run: parley login ${server.url}`));
  assert.equal((await parley('login', '--account', 'work', server.url)).code, 0);
  const work = await parley('call', '--config', file, '--account', 'work', 'mine', 'whoami');
  assert.deepEqual([work.code, work.stdout], [0, 'ann\n'], work.stderr);
  assertSilent(said, as);
  for (const { path, mode, isFolder } of await filesIn(machine.state)) if (!isFolder) assert.equal(mode, 0o600, path);
});

test('a machine signs who it is with the private key of a file', async (t) => {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const { key_ops: _, ext: __, ...open } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  const pem = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64');
  const client = {
    ...machineClient,
    client_secret: undefined,
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    jwks: { keys: [{ ...open, kid: 'k1', use: 'sig', alg: 'ES256' }] },
  };
  const { as, server, machine, parley } = await scene(t, { clients: [client] });
  const key = `-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY-----\n`;
  await writeFile(join(machine.state, '..', 'key.pem'), key, { mode: 0o600 });
  const oauth = { grantType: 'client_credentials', clientId: 'machine', issuer: as.issuer, keyId: 'k1' };
  const entries = {
    file: { url: server.url, oauth: { ...oauth, privateKeyFile: 'key.pem' } },
    variable: { url: server.url, oauth: { ...oauth, privateKeyEnv: 'KEY' } },
    lost: { url: server.url, oauth: { ...oauth, privateKeyFile: 'lost.pem' } },
  };
  const file = await fileWith(machine, entries);
  for (const name of ['file', 'variable']) {
    const called = await run(['call', '--config', file, name, 'whoami'], { ...machine.env, KEY: key });
    assert.deepEqual(called, { code: 0, stdout: 'machine\n', stderr: '' }, name);
  }
  const lost = await parley('call', '--config', file, 'lost', 'whoami');
  assert.equal(lost.code, 1);
  assert.match(lost.stderr, /^parley: the private key in \/\S+lost\.pem cannot be read: the file does not exist\n$/);
  const bad = await run(['call', '--config', file, 'variable', 'whoami'], { ...machine.env, KEY: 'no key' });
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /the private key in the variable KEY is of no use: the key is no PEM/);
  const unset = await parley('call', '--config', file, 'variable', 'whoami');
  assert.equal(unset.code, 2);
  assert.match(unset.stderr, /mcpServers\.variable\.oauth\.privateKeyEnv: the variable KEY is not set/);
});

test('an Authorization header of the file is sent as it is, and nobody signs in beside it', async (t) => {
  const seen: (string | undefined)[] = [];
  const http = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  // It listens at a port, so that the address is one of those.
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const { machine, parley } = await scene(t);
  const headers = { Authorization: 'Bearer of-the-file' };
  const file = await fileWith(machine, { own: { url, headers } });
  const called = await parley('call', '--config', file, '--login', 'always', 'own');
  assert.equal(called.code, 2);
  assert.match(
    called.stderr,
    /--login is for servers at a URL without credentials of their own, and the file names none/,
  );
  assert.equal((await parley('call', '--config', file, 'own')).code, 1);
  assert.ok(seen.length > 0 && seen.every((header) => header === headers.Authorization), String(seen));
  assert.deepEqual(await machine.opened(), []);
  const both = await fileWith(machine, { own: { url, headers, oauth: { scopes: ['a'] } } });
  const refused = await parley('bridge', '--config', both);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /mcpServers\.own\.oauth: stands beside an Authorization header; keep one of them/);
});

test('options that are about one server are refused by name where a file names the servers', async (t) => {
  const { server, machine, parley } = await scene(t);
  const file = await fileWith(machine, { one: { url: server.url } });
  for (const [option, words] of [
    [['--client-id', 'x'], /--client-id is for one server; in the file each has its own "oauth"/],
    [['--scope', 'x'], /--scope is for one server/],
    [['--issuer', 'https://x'], /--issuer is for one server/],
    [['--dpop'], /--dpop is for one server/],
    [['--token-env', 'X'], /--token-env is for one server; in the file each has its own "headers"/],
    [['--token-file', 'X'], /--token-file is for one server/],
    [['--no-browser'], /--no-browser is for one server; run parley login --no-browser/],
    [['--login', 'perhaps'], /--login takes auto or never or always/],
    [['--login', 'never', '--login-timeout', '3'], /--login-timeout is about asking you to sign in/],
  ] as const)
    for (const command of [['bridge'], ['call']]) {
      const refused = await parley(...command, '--config', file, ...option, ...(command[0] === 'call' ? ['one'] : []));
      assert.equal(refused.code, 2, `${command[0]} ${option.join(' ')}`);
      assert.match(refused.stderr, words);
    }
});

test('a login is lent to nobody who reaches a bridge before several servers, and a machine is', async (t) => {
  const { as, server, machine, parley } = await scene(t, { clients: [machineClient] });
  const oauth = { grantType: 'client_credentials', clientId: 'machine', clientSecret: secret, issuer: as.issuer };
  const alone = await fileWith(machine, { machine: { url: server.url, oauth } });
  const running = start(['bridge', '--port', '0', '--host', '0.0.0.0', '--config', alone], machine.env);
  await running.said(/^ {2}url {6}(\S+)$/m);
  running.child.kill('SIGTERM');
  assert.equal((await running.ended).code, 0);
  assert.equal((await parley('login', server.url)).code, 0);
  const both = await fileWith(machine, { machine: { url: server.url, oauth }, person: { url: server.url } });
  const refused = await parley('bridge', '--port', '0', '--host', '0.0.0.0', '--config', both);
  assert.equal(refused.code, 2, refused.stderr);
  assert.match(refused.stderr, /every client that reaches 0\.0\.0\.0 would be signed in by your login at person:/);
});
