/** Programs of others that want authorization, or are authorized: their client at our server, and ours at theirs. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from '../../packages/parley/src/client.ts';
import { memoryCredentialStore, oauth, type OAuthEvent } from '../../packages/parley/src/oauth.ts';
import { authorizationServer } from '../../test/support/oidc-provider.ts';
import { visitPages } from '../../test/support/visited-pages.ts';
import { guardedServer } from '../../test/support/guarded-server.ts';
import { buildPython } from '../harness/build-python.ts';
import { programOf } from '../harness/cache.ts';
import { freePort, started, untilAnswered } from './server.ts';
import { trySteps, type Step } from './step.ts';

const sources = join(import.meta.dirname, 'peers/python');

/** What is closed at the end. */
class Ends {
  readonly #all: (() => unknown)[] = [];

  after(end: () => unknown): void {
    this.#all.push(end);
  }

  async close(): Promise<void> {
    for (const end of this.#all.toReversed()) await end();
  }
}

async function python(of: 'python' | 'fastmcp', file: string): Promise<readonly string[]> {
  const { command } = await buildPython(programOf(of));
  return [...command.slice(0, -1), join(sources, file)];
}

/** The client of the official SDK of Python, our server, and oidc-provider between them; tokens are good for five seconds. */
export async function pythonClient(): Promise<readonly Step[]> {
  const ends = new Ends();
  try {
    const words = await python('python', 'client.py');
    const as = await authorizationServer(ends, {
      tokenSeconds: 5,
      // It registers with the scopes of the server, which are to be known there then.
      configuration: { scopes: ['openid', 'read', 'write'] },
    });
    const server = await guardedServer(ends, as.issuer);
    const [command = '', ...args] = words;
    const child = spawn(command, [...args, server.url], { timeout: 120_000, killSignal: 'SIGKILL' });
    ends.after(() => child.kill('SIGKILL'));
    child.stdin.on('error', () => undefined);
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-2_000)));
    const cookies = new Map<string, string>();
    const steps = new Map<string, Step>();
    for await (const line of createInterface({ input: child.stdout })) {
      // The lines of the program beside this one.
      const said = JSON.parse(line) as { readonly page?: string; readonly step?: string; readonly problem?: string };
      if (said.page !== undefined) child.stdin.write(`${await visitPages(said.page, { cookies })}\n`);
      if (said.step !== undefined) steps.set(said.step, { what: said.step, problem: said.problem });
    }
    if (steps.size === 0) throw new Error(complaints);
    return [...steps.values()];
  } finally {
    await ends.close();
  }
}

/** A server of the official SDK of Python that verifies the JWTs of oidc-provider, and our client. */
export async function pythonServer(): Promise<readonly Step[]> {
  const ends = new Ends();
  try {
    const words = await python('python', 'verifying.py');
    const as = await authorizationServer(ends);
    const port = await freePort();
    const server = started([...words, String(port), as.issuer]);
    ends.after(server.close);
    await untilAnswered(`http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`, server, 60_000);
    const cookies = new Map<string, string>();
    return await ourClient(`http://127.0.0.1:${port}/mcp`, (url) => visitPages(url, { cookies }));
  } finally {
    await ends.close();
  }
}

/** A server of FastMCP that is its own authorization server, and our client. */
export async function fastmcpServer(): Promise<readonly Step[]> {
  const port = await freePort();
  const server = started([...(await python('fastmcp', 'issuing.py')), String(port)]);
  try {
    await untilAnswered(`http://127.0.0.1:${port}/.well-known/oauth-authorization-server`, server, 60_000);
    // It agrees by itself.
    const visit = async (url: string): Promise<string> =>
      (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
    return await ourClient(`http://127.0.0.1:${port}/mcp`, visit);
  } finally {
    await server.close();
  }
}

async function ourClient(url: string, visit: (page: string) => Promise<string>): Promise<readonly Step[]> {
  const [store, events] = [memoryCredentialStore(), [] as OAuthEvent[]];
  const auth = oauth({
    redirect: (page) => visit(page.url),
    redirectUri: 'http://127.0.0.1:33418/callback',
    store,
    onEvent: (event) => events.push(event),
  });
  const client = connect(url, { auth });
  client.catch(() => undefined);
  const call = async (): Promise<void> => {
    const { isError, content } = await (await client).callTool('whoami');
    assert.notEqual(isError, true, JSON.stringify(content));
  };
  const steps = await trySteps({
    'our client signs in': async () => void (await client),
    'our client calls': call,
    'our client renews': async () => {
      const [key] = await store.keys('grant');
      assert.ok(key, 'nothing was granted');
      const grant = JSON.parse((await store.read(key))?.text ?? '') as object;
      await store.write(key, JSON.stringify({ ...grant, expiresAt: Date.now() - 1_000 }));
      await auth.identity();
      await call();
      assert.ok(
        events.some(({ kind }) => kind === 'refreshed'),
        'nothing was renewed',
      );
    },
    'our client logs out': async () => assert.deepEqual(await auth.logout(), { revoked: true }),
  });
  await (await client.catch(() => undefined))?.close();
  return steps;
}
