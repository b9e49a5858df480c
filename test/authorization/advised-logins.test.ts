/** What commands print about clients, devices and bound tokens is typed as it is printed, and works. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run, start } from '../support/cli-process.ts';
import { scene, type Scene } from '../support/command-line-scene.ts';
import { type AuthorizationServerOptions } from '../support/oidc-provider.ts';
import { visitPages } from '../support/visited-pages.ts';
import { quietPort } from '../support/quiet-port.ts';

const document = 'https://app.example/client.json';

/** A client without a secret that is known already. */
function known(id: string, port: number): Readonly<Record<string, unknown>> {
  return {
    client_id: id,
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  };
}

/** Changes the metadata that an authorization server publishes. */
function publishing(changes: () => object): NonNullable<AuthorizationServerOptions['before']> {
  return async (request, response) => {
    if (request.url?.startsWith('/.well-known/oauth-authorization-server') !== true) return false;
    const answer = await fetch(`http://${request.headers.host}/.well-known/openid-configuration`);
    const metadata = { ...((await answer.json()) as object), ...changes() };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
    return true;
  };
}

async function assertSignedIn({ parley, server }: Scene, ...words: readonly string[]): Promise<void> {
  const login = await parley('login', ...words, server.url);
  assert.equal(login.code, 0, login.stderr);
  const call = await parley('call', server.url, 'whoami');
  assert.deepEqual([call.code, call.stdout], [0, 'ann\n'], call.stderr);
}

/** The first group of a match in what was printed. */
function advised(text: string, advice: RegExp): string {
  return advice.exec(text)?.[1] ?? assert.fail(`no advice in: ${text}`);
}

test('the issuer that a client by hand lacks is named by the command that the error names', async (t) => {
  const port = await quietPort();
  const made = await scene(t, { registration: false, clients: [known('by-hand', port)] });
  const { parley, server, machine } = made;
  const own = ['--client-id', 'by-hand', '--redirect-port', String(port)];
  const refused = await parley('login', ...own, server.url);
  assert.equal(refused.code, 2);
  const command = advised(refused.stderr, /needs --issuer: .*; parley (explain) <url> names it$/m);
  const explained = await parley(command, server.url);
  assert.match(explained.stdout, /by hand +yes +its operator has to register the client .*for --client-id/s);
  const issuer = advised(explained.stdout, /--client-id <id> --issuer (\S+)$/m);
  await assertSignedIn(made, ...own, '--issuer', issuer);
  const file = join(machine.state, 'servers.json');
  for (const [oauth, code] of [
    [{ clientId: 'by-hand' }, 2],
    [{ clientId: 'by-hand', issuer }, 0],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- the second follows what the first one says
    await writeFile(file, JSON.stringify({ mcpServers: { here: { url: server.url, oauth } } }));
    // oxlint-disable-next-line no-await-in-loop -- as above
    const call = await parley('call', '--config', file, 'here', 'whoami');
    assert.equal(call.code, code, call.stderr);
    if (code !== 0) assert.match(call.stderr, /issuer.* is missing: .*; parley explain <url> names it$/m);
  }
});

test('a client is named by its document, where `explain` prints the option for it', async (t) => {
  const port = await quietPort();
  const made = await scene(t, {
    registration: false,
    clients: [known(document, port)],
    before: publishing(() => ({ client_id_metadata_document_supported: true })),
  });
  const { stdout } = await made.parley('explain', made.server.url);
  const option = advised(stdout, /client id metadata document +yes +(--client-metadata-url) <url>$/m);
  await assertSignedIn(made, option, document, '--redirect-port', String(port));
});

test('where there is no login by another device, the named ways sign in', async (t) => {
  const made = await scene(t, { before: publishing(() => ({ device_authorization_endpoint: undefined })) });
  const { parley, server, machine } = made;
  const { stderr } = await parley('login', '--device', server.url);
  const other = advised(stderr, /: sign in without --device, or with (--no-browser) where there is no browser$/m);
  await assertSignedIn(made);
  const running = start(['login', other, server.url], machine.env);
  const page = await running.said(/^ {2}(http\S+)$/m);
  running.child.stdin.write(`${await visitPages(page)}\n`);
  assert.equal((await running.ended).code, 0);
});

test('options of a page and of a device are given one without the other', async (t) => {
  const made = await scene(t);
  const port = String(await quietPort());
  const { code, stderr } = await made.parley('login', '--device', '--redirect-port', port, made.server.url);
  assert.equal(code, 2);
  assert.match(stderr, /--redirect-port is for the redirect from a page, and --device has no redirect$/m);
  await assertSignedIn(made, '--redirect-port', port);
});

test('a check of a guarded server uses the login that it advises', async (t) => {
  const { parley, server } = await scene(t);
  const check = ['check', '--revision', '2025-11-25', '--only', 'ping', server.url];
  const closed = await parley(...check);
  const command = advised(closed.stdout, /; parley (login) <url> signs in, and is used then$/m);
  assert.equal((await parley(command, server.url)).code, 0);
  assert.match((await parley(...check)).stdout, /^speaks 2025-11-25$/m);
});

test('a check with a token that is bound to no key advises a login whose token is', async (t) => {
  const machineClient = {
    client_id: 'machine',
    client_secret: 'the-secret-of-a-machine-0123456789',
    redirect_uris: [],
    response_types: [],
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'client_secret_post',
  };
  const { as, server, parley, machine } = await scene(t, { clients: [machineClient] });
  const { client_id, client_secret } = machineClient;
  const grant = { grant_type: 'client_credentials', client_id, client_secret, resource: server.url, scope: 'read' };
  const answer = await fetch(`${as.issuer}/token`, { method: 'POST', body: new URLSearchParams(grant) });
  const { access_token: token } = (await answer.json()) as { readonly access_token: string };
  const check = ['check', '--revision', '2025-11-25', '--verbose', '--only', 'auth-145'];
  const plain = await run([...check, '--token-env', 'OWN', server.url], { ...machine.env, OWN: token });
  const words = advised(plain.stdout, /not-allowed: .* parley (login --dpop) <url> gets one, which is used then$/m);
  assert.equal((await parley(...words.split(' '), server.url)).code, 0);
  assert.match((await parley(...check, server.url)).stdout, /^auth-145 +2025-11-25 +holds$/m);
});

test('a bridge that others reach takes a token in each way that its error names', async (t) => {
  const { server, machine, parley } = await scene(t);
  assert.equal((await parley('login', server.url)).code, 0);
  const reached = ['bridge', '--port', '0', '--allow-host', 'mcp.example.com'];
  const { stderr } = await parley(...reached, server.url);
  const options = advised(stderr, /give a token that is for all of them \((--token-env, --token-file)\)$/m).split(', ');
  const file = join(machine.state, 'token');
  await writeFile(file, 'x');
  for (const option of options) {
    const running = start([...reached, option, option.endsWith('env') ? 'OWN' : file, server.url], {
      ...machine.env,
      OWN: 'x',
    });
    // The server refuses the token: the bridge asked it with that, and with no login.
    // oxlint-disable-next-line no-await-in-loop -- one after the other is fine
    const ran = await running.ended;
    assert.equal(ran.code, 1, ran.stderr);
    assert.doesNotMatch(ran.stderr, /would be signed in by your login/);
  }
});
