/** A person signs in on the command line by a code that is entered on another device, at a real authorization server. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { start } from '../support/cli-process.ts';
import { assertSilent, filesIn, scene } from '../support/command-line-scene.ts';
import { visitPages } from '../support/visited-pages.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** The page and the code that a login says. */
const page = /open this page in a browser on any device:\n\n {2}(http\S+)\n/;
const code = /and enter this code:\n\n {2}(\S+)\n/;
const complete = /where the code is entered already:\n\n {2}(http\S+)\n/;

test('a person signs in by a code on another device, and the grant is used and renewed as others are', async (t) => {
  const { as, server, machine, parley, said } = await scene(t, { deviceInterval: 1 });
  const running = start(['login', '--device', server.url], machine.env);
  const at = await running.said(complete);
  assert.equal(await running.said(page), `${as.issuer}/device`);
  assert.ok(at.includes(await running.said(code)));
  const commands = await commandLines();
  assert.ok(process.platform !== 'linux' || commands.some((line) => line.includes(server.url)));
  assert.match(await visitPages(at), /Signed in/);
  const ran = await running.ended;
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, new RegExp(`^parley: ${new URL(as.issuer).host} asks you to sign in`));
  assert.match(ran.stdout, /^signed in at .*\n/);
  assert.match(ran.stdout, /scopes {4}read\n/);
  assert.deepEqual(await machine.opened(), []);

  await machine.grantsEnd(-1000);
  const called = await parley('call', '--json', server.url, 'whoami');
  assert.equal(called.code, 0, called.stderr);
  assert.match(called.stdout, /"ann"/);
  assert.equal(as.tokenRequests.at(-1)?.grantType, 'refresh_token');
  assert.ok(as.tokenRequests.every(({ resource }) => resource === server.url));
  assert.equal((await parley('whoami', '--json')).code, 0);
  assert.equal((await parley('explain', '--wire', server.url)).code, 1);

  for (const { path, mode, isFolder } of await filesIn(machine.state))
    assert.equal(mode, isFolder ? (path.endsWith('/parley') ? mode : 0o700) : 0o600, path);
  assert.equal((await parley('logout', server.url)).code, 0);
  assertSilent([...said, ran.stdout, ran.stderr, ...commands], as);
  for (const { path, isFolder } of await filesIn(machine.state))
    if (!isFolder) assertSilent([await readFile(path, 'utf8')], as);
});

test('a person who declines on another device is told so, and nothing is kept', async (t) => {
  const { as, server, machine } = await scene(t, { deviceInterval: 1 });
  const running = start(['login', '--device', server.url], machine.env);
  await visitPages(await running.said(complete), { consent: 'deny' });
  const ran = await running.ended;
  assert.equal(ran.code, 1);
  assert.match(ran.stderr, /parley: .*was not allowed to let this client in: access_denied\n$/);
  assert.ok(!(await filesIn(machine.state)).some(({ path }) => /\/(?:grant|server)-/.test(path)));
  assertSilent([ran.stdout, ran.stderr], as);
});

test('a login by another device ends in time, and at once where it is interrupted', async (t) => {
  const { as, server, machine, parley } = await scene(t, { deviceInterval: 1 });
  const late = await parley('login', '--device', '--login-timeout', '2', server.url);
  assert.equal(late.code, 1);
  assert.match(late.stderr, /the user did not sign in at \S+ within 2 s/);
  const running = start(['login', '--device', server.url], machine.env);
  await running.said(complete);
  running.child.kill('SIGINT');
  const ran = await running.ended;
  assert.deepEqual([ran.code, ran.stderr.endsWith('parley: ended by SIGINT\n')], [1, true], ran.stderr);
  assert.ok(as.tokenRequests.every(({ grantType, error }) => grantType === deviceGrant && error !== undefined));
});

test('a server that has no such login says what to do instead', async (t) => {
  const { server, parley, as } = await scene(t, {
    configuration: { features: { devInteractions: { enabled: true } } },
  });
  const ran = await parley('login', '--device', server.url);
  assert.equal(ran.code, 1);
  assert.match(
    ran.stderr,
    /^parley: \S+ has no sign-in through another device .*: sign in without --device, or with --no-browser/,
  );
  assert.ok(!as.requests.includes('POST /reg'));
});

test('options of coming back from a page make no sense beside --device, and calls do not have it', async (t) => {
  const { server, parley } = await scene(t);
  for (const argv of [
    ['login', '--device', '--no-browser'],
    ['login', '--device', '--redirect-port', '8000'],
    ['login', '--timeout', '5'],
    ['call', '--device'],
    ['bridge', '--stdio', '--device'],
  ])
    // oxlint-disable-next-line no-await-in-loop -- one after the other is fine
    assert.equal((await parley(...argv, server.url)).code, 2, argv.join(' '));
});

/** The command lines of the processes of this machine, which everybody on it may read; none where Linux does not run. */
async function commandLines(): Promise<readonly string[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  // One that has ended has none.
  return await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
}
