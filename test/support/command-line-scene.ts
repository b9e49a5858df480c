/** A person at a machine, an authorization server and a server that it guards, for commands to be run there. */

import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { inThisProcess, run, type Ran } from './cli-process.ts';
import { guardedServer, type GuardedServer } from './guarded-server.ts';
import { authorizationServer, type AuthorizationServer, type AuthorizationServerOptions } from './oidc-provider.ts';
import { machineWithPerson, type Machine, type PersonOptions } from './page-opener.ts';

/** The stage on which commands run. */
export interface Scene {
  readonly as: AuthorizationServer;
  readonly server: GuardedServer;
  readonly machine: Machine;
  /** Runs a command on the machine, and keeps what it said. `whoami` and `logout` run in this process, since they open no page. */
  parley(...argv: string[]): Promise<Ran>;
  readonly said: string[];
}

/** Commands that open no page: whether a process runs them makes no difference. */
const inProcess: ReadonlySet<string> = new Set(['whoami', 'logout']);

/** Sets the stage; it is cleared at the end of the test. */
export async function scene(
  t: TestContext,
  options: AuthorizationServerOptions = {},
  person: PersonOptions = {},
): Promise<Scene> {
  const as = await authorizationServer(t, options);
  const server = await guardedServer(t, as.issuer);
  const machine = await machineWithPerson(t, person);
  const said: string[] = [];
  const parley = async (...argv: string[]): Promise<Ran> => {
    const ran = await (inProcess.has(argv[0] ?? '') ? inThisProcess : run)(argv, machine.env);
    said.push(ran.stdout, ran.stderr);
    return ran;
  };
  return { as, server, machine, parley, said };
}

/** Every file under a folder, with its mode. */
export async function filesIn(
  folder: string,
): Promise<readonly { readonly path: string; readonly mode: number; readonly isFolder: boolean }[]> {
  const found = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    found.push({ path, mode: (await stat(path)).mode & 0o777, isFolder: entry.isDirectory() });
  }
  return found;
}

/** No text has a secret in it, but for the authorization URL, which has none that lasts. */
export function assertSilent(texts: readonly string[], { secrets }: AuthorizationServer): void {
  assert.ok(secrets.size > 0, 'there were secrets to tell');
  for (const text of texts)
    for (const secret of secrets) assert.ok(!text.includes(secret), `a secret was told in ${JSON.stringify(text)}`);
}

/** No file of a machine has one of some texts in it. */
export async function assertNoFileHas(machine: Machine, texts: readonly string[]): Promise<void> {
  for (const { path, isFolder } of await filesIn(machine.state)) {
    const content = isFolder ? '' : await readFile(path, 'utf8');
    for (const text of texts) assert.ok(!content.includes(text), `a secret is in ${path}`);
  }
}
