/** A person signs in on the command line, at a real authorization server. */

import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { run, start, type Ran } from '../support/cli-process.ts';
import { assertSilent, filesIn, scene } from '../support/command-line-scene.ts';
import { guardedServer } from '../support/guarded-server.ts';
import { visitPages } from '../support/visited-pages.ts';
import { quietPort } from '../support/quiet-port.ts';

test('a person signs in, calls a tool, looks who it is, and signs out', async (t) => {
  const { as, server, machine, said } = await scene(t);
  // Each command has a process of its own, so that it knows only what is on the disk.
  const parley = async (...argv: string[]): Promise<Ran> => {
    const ran = await run(argv, machine.env);
    said.push(ran.stdout, ran.stderr);
    return ran;
  };

  const login = await parley('login', server.url);
  assert.equal(login.code, 0, login.stderr);
  assert.match(login.stderr, new RegExp(`^parley: ${new URL(as.issuer).host} asks you to sign in`));
  assert.match(login.stdout, /^signed in at .*\n/);
  assert.match(login.stdout, /scopes {4}read\n/);
  assert.equal((await machine.opened()).length, 1);

  const called = await parley('call', server.url, 'whoami');
  assert.deepEqual(called, { code: 0, stdout: 'ann\n', stderr: '' });

  const whoami = await parley('whoami', '--json');
  assert.equal(whoami.code, 0, whoami.stderr);
  const [identity] = JSON.parse(whoami.stdout) as Record<string, unknown>[];
  assert.deepEqual(
    [identity?.['server'], identity?.['issuer'], identity?.['resource'], identity?.['scopes']],
    [server.url, as.issuer, server.url, ['read']],
  );
  assert.equal((await parley('whoami', server.url)).code, 0);

  for (const { path, mode, isFolder } of await filesIn(machine.state))
    assert.equal(mode, isFolder ? (path.endsWith('/parley') ? mode : 0o700) : 0o600, path);

  const logout = await parley('logout', server.url);
  assert.equal(logout.code, 0, logout.stderr);
  assert.equal(logout.stdout, `signed out of ${server.url}\n`);
  assert.deepEqual(as.requests.filter((request) => request.includes('revocation')).length, 2);
  const after = await parley('call', server.url, 'whoami');
  assert.equal(after.code, 1);
  assert.match(after.stderr, /parley login/);
  assert.equal((await parley('whoami')).code, 1);
  assert.equal((await machine.opened()).length, 1);

  assertSilent(said, as);
  // What was deleted is not on the disk any more.
  for (const { path, isFolder } of await filesIn(machine.state))
    if (!isFolder) assertSilent([await readFile(path, 'utf8')], as);
});

test('a client that was registered by hand signs in with its secret, which nobody is told', async (t) => {
  const secret = 'the-secret-of-the-client-0123456789';
  const redirectUris = [`http://127.0.0.1:${await quietPort()}/callback`];
  const by = { client_id: 'by-hand', client_secret: secret, redirect_uris: redirectUris, application_type: 'native' };
  const grants = {
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_basic',
  };
  const { as, server, machine, said } = await scene(t, { registration: false, clients: [{ ...by, ...grants }] });
  const env = { ...machine.env, THE_SECRET: secret };
  const who = ['--client-id', 'by-hand', '--client-secret-env', 'THE_SECRET', '--issuer', as.issuer];
  const login = await run(['login', ...who, '--redirect-port', new URL(redirectUris[0] ?? '').port, server.url], env);
  assert.equal(login.code, 0, login.stderr);
  const called = await run(['call', ...who, server.url, 'whoami'], env);
  assert.deepEqual(called, { code: 0, stdout: 'ann\n', stderr: '' });
  said.push(login.stdout, login.stderr);
  assertSilent(said, as);
  for (const { path, isFolder } of await filesIn(machine.state))
    if (!isFolder)
      assert.ok(!(await readFile(path, 'utf8')).includes(secret), `the secret of the environment is in ${path}`);
});

test('tokens are bound to a key that is kept for its owner alone [auth-152]', async (t) => {
  const { as, server, machine, parley, said } = await scene(t);
  assert.equal((await parley('login', '--dpop', server.url)).code, 0);
  const keys = (await filesIn(machine.state)).filter(({ path, isFolder }) => path.includes('/dpop-key-') && !isFolder);
  assert.deepEqual(
    keys.map(({ mode }) => mode),
    [0o600],
  );
  const { d } = /"d\\*":\\*"(?<d>[\w-]+)/.exec(await readFile(keys[0]?.path ?? '', 'utf8'))?.groups ?? {};
  assert.ok(d);
  await parley('whoami', '--json');
  await parley('call', server.url);
  await parley('explain', server.url);
  assertSilent([...said], as);
  for (const text of said) assert.ok(!text.includes(d));
});

test('a person who declines is told so, and nothing is kept', async (t) => {
  const { server, machine, parley } = await scene(t, {}, { consent: 'deny' });
  const login = await parley('login', server.url);
  assert.equal(login.code, 1);
  assert.match(login.stderr, /access_denied/);
  assert.ok(!(await filesIn(machine.state)).some(({ path }) => /\/(?:grant|server)-/.test(path)));
});

test('a person at another machine pastes the address at which the browser ended', async (t) => {
  const { as, server, machine } = await scene(t);
  const running = start(['login', '--no-browser', server.url], machine.env);
  const page = await running.said(/http:\S+\/auth\?\S+/);
  running.child.stdin.write('what is this\n');
  await running.said(/That is no address/);
  running.child.stdin.write(`${await visitPages(page)}\n`);
  const ran = await running.ended;
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(await machine.opened(), []);
  assertSilent([ran.stdout, ran.stderr], as);
});

test('a pasted address of another login is refused, and the login is over', async (t) => {
  const { as, server, machine } = await scene(t);
  const running = start(['login', '--no-browser', server.url], machine.env);
  const page = new URL(await running.said(/http:\S+\/auth\?\S+/));
  page.searchParams.set('state', 'of-somebody-else');
  running.child.stdin.write(`${await visitPages(page.href)}\n`);
  const ran = await running.ended;
  assert.equal(ran.code, 1);
  assert.match(ran.stderr, /belongs to another login/);
  assert.deepEqual(as.tokenRequests, []);
  assertSilent([ran.stdout, ran.stderr], as);
});

test('a login that nobody finishes ends in time, and the next one is not kept waiting', async (t) => {
  const { server, machine, parley } = await scene(t, {}, { absent: true });
  const late = await parley('login', '--login-timeout', '1', server.url);
  assert.equal(late.code, 1);
  assert.match(late.stderr, /the user did not sign in at \S+ within 1 s/);
  const running = start(['login', server.url], machine.env);
  const page = await running.said(/http:\S+\/auth\?\S+/);
  await fetch(await visitPages(page));
  assert.equal((await running.ended).code, 0);
});

test('a login that is interrupted ends at once', async (t) => {
  const { server, machine } = await scene(t, {}, { absent: true });
  const running = start(['login', server.url], machine.env);
  const page = await running.said(/http:\S+\/auth\?\S+/);
  running.child.kill('SIGINT');
  const ran = await running.ended;
  assert.equal(ran.code, 1);
  await assert.rejects(fetch(new URL(page).searchParams.get('redirect_uri') ?? ''), 'nothing listens there any more');
});

test('a call signs in by itself where that is asked for', async (t) => {
  const { as, server, machine, parley, said } = await scene(t);
  const never = await parley('call', server.url, 'whoami');
  assert.equal(never.code, 1);
  assert.match(never.stderr, new RegExp(`run: parley login ${server.url}`));
  const called = await parley('call', '--login', 'always', server.url, 'whoami');
  assert.deepEqual([called.code, called.stdout], [0, 'ann\n'], called.stderr);
  assert.equal((await machine.opened()).length, 1);
  assertSilent(said, as);
});

test('accounts are kept apart, and all of them are shown and signed out', async (t) => {
  const { server, parley } = await scene(t);
  assert.equal((await parley('login', server.url)).code, 0);
  assert.equal((await parley('login', '--account', 'work', server.url)).code, 0);
  const whoami = await parley('whoami', '--json');
  const accounts = (JSON.parse(whoami.stdout) as readonly { readonly account?: string }[]).map(
    ({ account }) => account,
  );
  assert.deepEqual(accounts, [undefined, 'work']);
  assert.match((await parley('whoami')).stdout, /account {3}work/);
  assert.equal((await parley('whoami', '--account', 'other')).code, 1);
  const logout = await parley('logout', '--all');
  assert.equal(logout.stdout, `signed out of ${server.url}\nsigned out of ${server.url} (account work)\n`);
  assert.equal((await parley('whoami', '--account', 'work')).code, 1);
});

test('a login that is damaged keeps nobody from the others, and registrations are forgotten without one', async (t) => {
  const { server, machine, parley } = await scene(t);
  const files = async (kind: string): Promise<readonly string[]> =>
    (await filesIn(machine.state)).flatMap(({ path, isFolder }) =>
      !isFolder && path.includes(`/${kind}-`) ? [path] : [],
    );
  assert.equal((await parley('login', server.url)).code, 0);
  const [damaged = ''] = await files('server');
  assert.equal((await parley('login', '--account', 'work', server.url)).code, 0);
  await writeFile(damaged, '{');
  const whoami = await parley('whoami');
  assert.equal(whoami.code, 0);
  assert.match(whoami.stdout, /account {3}work/);
  assert.match(whoami.stderr, /is damaged; remove it/);
  const logout = await parley('logout', '--all', '--forget-client');
  assert.deepEqual([logout.code, logout.stdout], [1, `signed out of ${server.url} (account work)\n`]);
  assert.match(logout.stderr, /is damaged; remove it/);
  assert.doesNotMatch((await parley('whoami')).stderr, /no user is signed in/);

  await rm(damaged);
  const hasClient = async (): Promise<boolean> => {
    const texts = await Promise.all((await files('client')).map((path) => readFile(path, 'utf8')));
    return texts.some((text) => 'text' in (JSON.parse(text) as object));
  };
  assert.equal((await parley('login', server.url)).code, 0);
  assert.equal((await parley('logout', server.url)).code, 0);
  assert.equal(await hasClient(), true);
  assert.equal((await parley('logout', '--forget-client', server.url)).code, 0);
  assert.equal(await hasClient(), false);
  assert.equal((await parley('login', server.url)).code, 0);
  assert.equal((await parley('logout', server.url)).code, 0);
  assert.equal((await parley('logout', '--all', '--forget-client')).code, 0);
  assert.equal(await hasClient(), false);
});

test('a login is lent to nobody who reaches a bridge from elsewhere', async (t) => {
  const { server, machine, parley } = await scene(t);
  assert.equal((await parley('login', server.url)).code, 0);
  for (const reached of [
    ['--host', '0.0.0.0'],
    ['--allow-host', 'mcp.example.com'],
  ]) {
    const refused = await parley('bridge', '--port', '0', ...reached, server.url);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(
      refused.stderr,
      new RegExp(`every client that reaches ${reached[1]} would be signed in by your login`),
    );
  }
  const running = start(['bridge', '--port', '0', server.url], machine.env);
  await running.said(/^ {2}url {6}(\S+)$/m);
  running.child.kill('SIGTERM');
  assert.equal((await running.ended).code, 0);
});

test('a bridge on standard input and output uses the login of its person', async (t) => {
  const { as, server, machine, parley } = await scene(t);
  assert.equal((await parley('login', server.url)).code, 0);
  const running = start(['bridge', '--stdio', server.url], machine.env);
  const client = { name: 'c', version: '1' };
  const lines = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: client },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
  ];
  for (const line of lines) running.child.stdin.write(`${JSON.stringify(line)}\n`);
  await running.said(/"text":"ann"/);
  running.child.stdin.end();
  const ran = await running.ended;
  assert.equal(ran.code, 0, ran.stderr);
  assertSilent([ran.stdout, ran.stderr], as);
});

test('a server of this machine is signed in at by its name, too', async (t) => {
  const { as, machine } = await scene(t);
  const server = await guardedServer(t, as.issuer, { host: 'localhost' });
  const login = await run(['login', server.url], machine.env);
  assert.equal(login.code, 0, login.stderr);
  assert.equal((await run(['call', server.url, 'whoami'], machine.env)).stdout, 'ann\n');
});

test('a client without a secret is renewed and signed out by who does not name it again', async (t) => {
  const port = await quietPort();
  const client = {
    client_id: 'open',
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    application_type: 'native',
  };
  const grants = { grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: 'none' };
  const { as, server, machine, parley } = await scene(t, { registration: false, clients: [{ ...client, ...grants }] });
  const who = ['--client-id', 'open', '--issuer', as.issuer, '--redirect-port', String(port)];
  const login = await parley('login', ...who, server.url);
  assert.equal(login.code, 0, login.stderr);
  await machine.grantsEnd(-1000);
  assert.deepEqual(await parley('call', server.url, 'whoami'), { code: 0, stdout: 'ann\n', stderr: '' });
  assert.deepEqual(
    as.tokenRequests.map(({ grantType }) => grantType),
    ['authorization_code', 'refresh_token'],
  );
  assert.equal((await parley('logout', server.url)).code, 0);
});

test('a login by another client ends the one before, and --all leaves no grant behind', async (t) => {
  const port = await quietPort();
  const client = {
    client_id: 'open',
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    application_type: 'native',
  };
  const grants = { grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: 'none' };
  const { as, server, machine, parley } = await scene(t, { clients: [{ ...client, ...grants }] });
  const grantFiles = async (): Promise<readonly string[]> => {
    const files = (await filesIn(machine.state)).filter(({ path, isFolder }) => !isFolder && path.includes('/grant-'));
    const texts = await Promise.all(files.map(({ path }) => readFile(path, 'utf8')));
    return texts.filter((text) => text.includes('refreshToken'));
  };
  const revocations = (): number => as.requests.filter((request) => request.includes('revocation')).length;
  assert.equal((await parley('login', server.url)).code, 0);
  const who = ['--client-id', 'open', '--issuer', as.issuer, '--redirect-port', String(port)];
  const again = await parley('login', ...who, server.url);
  assert.equal(again.code, 0, again.stderr);
  assert.equal(revocations(), 2);
  assert.equal((await grantFiles()).length, 1);
  assert.equal(JSON.parse((await parley('whoami', '--json')).stdout)[0].client, 'open');
  assert.equal((await parley('login', server.url)).code, 0);
  assert.equal(revocations(), 4);

  // A version before this one left grants that no server uses.
  const [pointer = ''] = (await filesIn(machine.state)).flatMap(({ path, isFolder }) =>
    isFolder && path.includes('/server-') ? [path] : [],
  );
  await rm(pointer, { recursive: true });
  const whoami = await parley('whoami');
  assert.deepEqual([whoami.code, whoami.stdout], [1, '']);
  assert.match(whoami.stderr, /grants are kept that no server uses; parley logout --all revokes and deletes them\n$/);
  const logout = await parley('logout', '--all');
  assert.deepEqual([logout.code, logout.stdout], [0, `signed out of ${server.url}\n`], logout.stderr);
  assert.equal(revocations(), 6);
  assert.deepEqual(await grantFiles(), []);
});

test('no query of a URL is shown, and a URL without it means the login', async (t) => {
  const { server, parley, said } = await scene(t);
  const url = `${server.url}?project=s3cret`;
  assert.match(
    (await parley('call', url, 'whoami')).stderr,
    /run: parley login '<url>' \(<url> is that of \S+, with its query\)/,
  );
  const login = await parley('login', url);
  assert.equal(login.code, 0, login.stderr);
  assert.equal((await parley('whoami')).code, 0);
  assert.equal((await parley('whoami', '--json', server.url)).code, 0);
  assert.equal((await parley('call', url, 'whoami')).stdout, 'ann\n');
  assert.equal((await parley('logout', server.url)).stdout, `signed out of ${server.url}\n`);
  for (const text of said) assert.doesNotMatch(text.replaceAll(/state=\S+/g, ''), /s3cret/);
});

for (const words of [[], ['--all']])
  test(`logout ${words.join('')} revokes tokens that the logout before could not revoke`, async (t) => {
    let isDown = true;
    const { as, server, parley } = await scene(t, {
      before({ url = '' }, response) {
        if (!isDown || !url.startsWith('/token/revocation')) return false;
        response.writeHead(500).end();
        return true;
      },
    });
    const logout = (): ReturnType<typeof parley> => parley('logout', ...(words.length === 0 ? [server.url] : words));
    assert.equal((await parley('login', server.url)).code, 0);
    const failed = await logout();
    assert.equal(failed.code, 1);
    assert.match(
      failed.stdout,
      /; its tokens could not be revoked, and are valid until they expire\. The next login or logout there tries again\n$/,
    );
    assert.match((await parley('whoami')).stderr, /grants are kept that no server uses/);
    isDown = false;
    const again = await logout();
    assert.deepEqual([again.code, again.stdout], [0, `signed out of ${server.url}\n`], again.stderr);
    assert.equal(as.revokedGrants(), 1);
    assert.match((await logout()).stderr, /no user is signed in/);
  });
