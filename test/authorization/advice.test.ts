/** What a command advises about a login is run as it is printed, and the command works then. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { credentialFolder } from '../../packages/parley/src/transports/node/credentials/folder.ts';
import { storeIn } from '../../packages/parley/src/transports/node/credentials/file-credentials.ts';
import { parley, run, type Ran } from '../support/cli-process.ts';
import { assertSilent, scene, type Scene } from '../support/command-line-scene.ts';
import { quietPort } from '../support/quiet-port.ts';

/** Runs a line in a shell of the machine, where `parley` is a program. */
async function inShell({ machine }: Scene, line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const bin = machine.env['PATH']?.split(':', 1)[0] ?? '';
  const program = join(bin, 'parley');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${parley}' "$@"\n`);
  await chmod(program, 0o755);
  return await new Promise((resolve) => {
    execFile('/bin/sh', ['-c', line], { env: { ...machine.env, ...env }, cwd: dirname(bin) }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** The command that an error advises to run. */
function advised(stderr: string): string {
  return /run: (parley login .+?)(?:;| \()/.exec(stderr)?.[1] ?? assert.fail(`no advice in: ${stderr}`);
}

interface Case {
  readonly title: string;
  /** The command that fails, without the program and the URL. */
  readonly words: readonly string[];
  readonly tool: string;
  /** What is done before. */
  readonly before?: (made: Scene) => Promise<unknown>;
  readonly advice: (url: string) => string;
  readonly prints: string;
}

const cases: readonly Case[] = [
  { title: 'without a login', words: [], tool: 'whoami', advice: (url) => `parley login ${url}`, prints: 'ann\n' },
  {
    title: 'without a login of an account',
    words: ['--account', "the bos's"],
    tool: 'whoami',
    advice: (url) => `parley login --account 'the bos'\\''s' ${url}`,
    prints: 'ann\n',
  },
  {
    title: 'without a token that is bound to a key',
    words: ['--dpop'],
    tool: 'scheme',
    advice: (url) => `parley login --dpop ${url}`,
    prints: 'DPoP\n',
  },
  {
    title: 'for lack of a scope (HTTP 403)',
    words: [],
    tool: 'write',
    before: (made) => made.parley('login', made.server.url),
    advice: (url) => `parley login --scope 'read write' ${url}`,
    prints: 'written\n',
  },
];

for (const { title, words, tool, before, advice, prints } of cases)
  test(`a call that is refused ${title} prints the login that helps`, async (t) => {
    const made = await scene(t);
    await before?.(made);
    const call = ['call', ...words, made.server.url, tool];
    const refused = await made.parley(...call);
    assert.equal(refused.code, 1);
    const line = advised(refused.stderr);
    assert.equal(line, advice(made.server.url));
    const login = await inShell(made, line);
    assert.equal(login.code, 0, login.stderr);
    const { code, stdout, stderr } = await made.parley(...call);
    assert.deepEqual([code, stdout], [0, prints], stderr);
    assertSilent(made.said, made.as);
  });

test('a call by a client that was registered by hand prints its options, but not its secret', async (t: TestContext) => {
  const secret = 'the-secret-of-the-client-0123456789';
  const port = String(await quietPort());
  const client = {
    client_id: 'by-hand',
    client_secret: secret,
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_basic',
  };
  const made = await scene(t, { registration: false, clients: [client] });
  const env = { ...made.machine.env, THE_SECRET: secret };
  const who = ['--client-id', 'by-hand', '--client-secret-env', 'THE_SECRET', '--issuer', made.as.issuer];
  const call = ['call', ...who, made.server.url, 'whoami'];
  // The port is of the login alone, which the call does not open; it is typed with both.
  const refused = await run([...call.slice(0, 1), '--redirect-port', port, '--login', 'auto', ...call.slice(1)], env);
  assert.equal(refused.code, 1);
  assert.ok(!refused.stderr.includes(secret));
  const login = await inShell(made, advised(refused.stderr), { THE_SECRET: secret });
  assert.equal(login.code, 0, login.stderr);
  assert.deepEqual(await run(call, env), { code: 0, stdout: 'ann\n', stderr: '' });
});

/** The words of a login that an error advises to give: `--issuer … --as-metadata '…'`. */
function givenWords(stderr: string): string {
  return /with (--issuer \S+ --as-metadata '[^']+')/.exec(stderr)?.[1] ?? assert.fail(`no advice in: ${stderr}`);
}

/** A scene whose authorization server does not say that it protects codes. */
async function unsaidScene(t: TestContext): Promise<Scene> {
  return await scene(t, {
    async before(request, response) {
      if (request.url?.startsWith('/.well-known/oauth-authorization-server') !== true) return false;
      const { host = '' } = request.headers;
      const answer = await fetch(`http://${host}/.well-known/openid-configuration`);
      const { code_challenge_methods_supported: _, ...metadata } = (await answer.json()) as Record<string, unknown>;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
      return true;
    },
  });
}

test('an authorization server that does not say that it protects codes is used as the error advises', async (t) => {
  const made = await unsaidScene(t);
  const refused = await made.parley('login', made.server.url);
  assert.equal(refused.code, 1);
  const explained = (await made.parley('explain', made.server.url)).stdout.replaceAll(/\s+/g, ' ');
  const words = givenWords(refused.stderr);
  // What is explained has the issuer in a line of its own.
  assert.ok(explained.includes(words.replace(made.as.issuer, '<issuer>')), explained);
  const login = await inShell(made, `parley login ${words} ${made.server.url}`);
  assert.equal(login.code, 0, login.stderr);
  assert.deepEqual(await made.parley('call', made.server.url, 'whoami'), { code: 0, stdout: 'ann\n', stderr: '' });
});

test('a login that needed options is repeated with them until it is ended', async (t) => {
  const made = await unsaidScene(t);
  const { url } = made.server;
  const words = givenWords((await made.parley('login', url)).stderr);
  assert.equal((await inShell(made, `parley login ${words} ${url}`)).code, 0);
  // The advice has the options, and works.
  const line = advised((await made.parley('call', url, 'write')).stderr);
  assert.equal(line, `parley login ${words} --scope 'read write' ${url}`);
  const more = await inShell(made, line);
  assert.equal(more.code, 0, more.stderr);
  assert.equal((await made.parley('call', url, 'write')).stdout, 'written\n');
  // So does a login without them, which names them.
  const again = await made.parley('login', url);
  assert.equal(again.code, 0, again.stderr);
  assert.ok(again.stderr.includes(`with the options of the last login there: ${words}; `), again.stderr);
  assert.equal((await made.parley('logout', url)).code, 0);
  assert.equal((await made.parley('login', url)).code, 1);
});

test('what whoami and logout advise ends what is kept', async (t) => {
  const made = await scene(t);
  const nobody = await made.parley('whoami');
  const line = /(parley login )<url> does it/.exec(nobody.stderr)?.[1] ?? assert.fail(nobody.stderr);
  assert.equal((await inShell(made, `${line}${made.server.url}`)).code, 0);
  const kept = await made.parley('whoami');
  assert.deepEqual([kept.code, kept.stderr], [0, '']);
  const store = storeIn(credentialFolder(made.machine.env));
  const [key] = await store.keys('grant');
  if (key === undefined) return assert.fail('no grant');
  await store.write({ ...key, client: 'replaced before' }, (await store.read(key))?.text);
  const note = await made.parley('whoami');
  const end = /(parley logout )<url> revokes them/.exec(note.stderr)?.[1] ?? assert.fail(note.stderr);
  assert.equal((await inShell(made, `${end}${made.server.url}`)).code, 0);
  assert.equal((await made.parley('whoami')).code, 1);
  assert.deepEqual(await store.keys('grant'), []);
  assert.equal((await made.parley('login', made.server.url)).code, 0);
  assert.equal((await inShell(made, 'parley logout --all')).code, 0);
  assert.equal((await made.parley('whoami')).code, 1);
});
