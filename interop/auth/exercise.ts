/** The exercise that every authorization server goes through: our client, our command line and our server use it. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { oauth, memoryCredentialStore, type OAuth, type OAuthEvent } from '../../packages/parley/src/oauth.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import type { CredentialStore } from '../../packages/parley/src/storage/credentials.ts';
import { PersonBrowser } from './person.ts';
import type { AuthorizationServer, Guarded } from './server.ts';
import { trySteps, type Step } from './step.ts';

const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
const redirectUri = 'http://127.0.0.1:33418/callback';

/** Goes through all steps. */
export async function exercise(
  server: AuthorizationServer,
  guarded: Guarded & { readonly port: number },
  folder: string,
): Promise<readonly Step[]> {
  const run = new Exercise(server, guarded, folder);
  try {
    return await trySteps({
      'sign in': () => run.signIn(),
      'its token at our server': () => run.call('whoami'),
      renew: () => run.renew(),
      'step up': () => run.call('write'),
      'another audience': () => run.otherAudience(),
      ...(server.introspection === undefined || !server.jwt ? {} : { introspect: () => run.introspect() }),
      'log out': () => run.logOut(),
      'command line': () => run.commandLine(),
    });
  } finally {
    await run.close();
  }
}

class Exercise {
  readonly #server: AuthorizationServer;
  readonly #guarded: Guarded & { readonly port: number };
  readonly #folder: string;
  readonly #store: CredentialStore = memoryCredentialStore();
  readonly #events: OAuthEvent[] = [];
  readonly #auth: OAuth;
  #http: Server | undefined;
  #client: Client | undefined;

  constructor(server: AuthorizationServer, guarded: Guarded & { readonly port: number }, folder: string) {
    [this.#server, this.#guarded, this.#folder] = [server, guarded, folder];
    const { client, person } = server;
    const browser = new PersonBrowser(person);
    this.#auth = oauth({
      redirect: ({ url }) => browser.visit(url),
      redirectUri,
      store: this.#store,
      onEvent: (event) => this.#events.push(event),
      ...(client === undefined ? {} : { client }),
    });
  }

  /** Serves what the authorization server guards, which asks about tokens or verifies them. */
  async #serve({ introspects = !this.#server.jwt, resource = this.#guarded.url } = {}): Promise<void> {
    await this.#unserve();
    const { issuer, introspection, scope, more } = this.#server;
    const server = createServer({ name: 'guarded', version: '1.0.0' });
    server.tool('whoami', {}, (_, ctx) => String(ctx.auth?.subject));
    server.tool('write', { scopes: [more] }, () => 'written');
    const asked = introspects && introspection !== undefined ? { introspection } : {};
    const handler = toNodeHandler(protect(server, { resource, issuers: [{ issuer, ...asked }], scopes: [scope] }));
    this.#http = createHttpServer(handler).listen(this.#guarded.port, '127.0.0.1');
    await once(this.#http, 'listening');
  }

  async #unserve(): Promise<void> {
    const http = this.#http;
    this.#http = undefined;
    if (http === undefined) return;
    const closed = once(http, 'close');
    http.close();
    http.closeAllConnections();
    await closed;
  }

  async signIn(): Promise<void> {
    await this.#serve();
    this.#client = await connect(this.#guarded.url, { auth: this.#auth });
    assert.ok(this.#count('granted') === 1, 'nothing was granted');
    assert.equal((await this.#auth.identity())?.renewable, true, 'it gave no refresh token');
  }

  #count(kind: OAuthEvent['kind']): number {
    return this.#events.filter((event) => event.kind === kind).length;
  }

  async call(name: string): Promise<void> {
    assert.ok(this.#client, 'nobody signed in');
    const result = await this.#client.callTool(name);
    assert.notEqual(result.isError, true, JSON.stringify(result.content));
  }

  /** A token that ended is renewed, twice: the second refresh token is good too. */
  async renew(): Promise<void> {
    const [asked, renewed] = [this.#count('asked'), this.#count('refreshed')];
    for (const _ of [1, 2]) {
      const [key] = await this.#store.keys('grant');
      assert.ok(key);
      const grant = JSON.parse((await this.#store.read(key))?.text ?? '') as object;
      await this.#store.write(key, JSON.stringify({ ...grant, expiresAt: Date.now() - 1_000 }));
      await this.#auth.identity();
      await this.call('whoami');
    }
    assert.equal(this.#count('refreshed') - renewed, 2);
    assert.equal(this.#count('asked'), asked, 'a person was asked');
  }

  /** A token for this server is not taken by another one. */
  async otherAudience(): Promise<void> {
    const token = await this.#token();
    await this.#serve({ resource: `${this.#guarded.url}-other` });
    const { status, headers } = await this.#ask(token, '-other');
    assert.equal(status, 401);
    assert.match(headers.get('www-authenticate') ?? '', /invalid_token/);
    await this.#serve();
    assert.notEqual((await this.#ask(token)).status, 401);
  }

  async introspect(): Promise<void> {
    await this.#serve({ introspects: true });
    assert.notEqual((await this.#ask(await this.#token())).status, 401);
  }

  /** Whoever signed out has revoked the tokens, where our server asks about them. */
  async logOut(): Promise<void> {
    const token = await this.#token();
    const asks = this.#server.introspection !== undefined;
    const { revoked } = await this.#auth.logout();
    assert.equal(revoked, true, 'nothing was revoked');
    if (!asks) return;
    // What was said a moment ago is kept for a minute.
    await this.#serve({ introspects: true });
    assert.equal((await this.#ask(token)).status, 401, 'the token is good all the same');
  }

  async #token(): Promise<string> {
    const [key] = await this.#store.keys('grant');
    assert.ok(key, 'nothing was granted');
    return (JSON.parse((await this.#store.read(key))?.text ?? '') as { readonly accessToken: string }).accessToken;
  }

  async #ask(token: string, path = ''): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const ask = (): Promise<Response> =>
      fetch(`${this.#guarded.url}${path}`, {
        method: 'POST',
        headers,
        body: '{}',
        signal: AbortSignal.timeout(30_000),
      });
    // A connection to the server that was there before is found out to be over by the first who uses it.
    return await ask().catch(ask);
  }

  /** `login`, `call` and `logout`; the person is somewhere else, and pastes the address at which the browser ends. */
  async commandLine(): Promise<void> {
    await this.#serve();
    const { client, person } = this.#server;
    const browser = new PersonBrowser(person);
    const flags = client === undefined ? [] : ['--client-id', client.id, '--issuer', client.issuer];
    const { url } = this.#guarded;
    await this.#run(['login', url, '--no-browser', ...flags], (page) => browser.visit(page));
    assert.match(await this.#run(['whoami', url]), new RegExp(this.#server.issuer.replaceAll('.', '\\.')));
    assert.notEqual(await this.#run(['call', url, 'whoami']), '');
    assert.match(await this.#run(['logout', url, ...flags]), /signed out/);
  }

  async #run(words: readonly string[], visit?: (page: string) => Promise<string>): Promise<string> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: this.#folder, XDG_STATE_HOME: join(this.#folder, 'state') };
    const child = spawn(process.execPath, [main, ...words], { env, timeout: 60_000, killSignal: 'SIGKILL' });
    let [said, complaints, visited] = ['', '', false];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
      const page = /^\s*(https?:\S+)\s*$/m.exec(complaints)?.[1];
      if (page === undefined || visit === undefined || visited) return;
      visited = true;
      visit(page).then(
        (callback) => child.stdin.end(`${callback}\n`),
        (error: unknown) => ((complaints += String(error)), child.kill('SIGKILL')),
      );
    });
    if (visit === undefined) child.stdin.end();
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 0, `${words[0]}: ${complaints}`);
    return said;
  }

  async close(): Promise<void> {
    await this.#client?.close();
    await this.#unserve();
  }
}
