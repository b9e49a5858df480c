/**
 * What is found in the authorization of the official clients, and nothing else.
 *
 * Read against the pages of authorization: metadata without `code_challenge_methods_supported` must stop a client, and both go on
 * (`startAuthorization` looks at the list only where there is one); 1.32.2 renews its token where a scope is missing, and shows
 * its person no page, since it has a refresh token. The session that `close` leaves open is in official-clients.test.ts.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { checkAuthorizedClient } from '../../packages/cli/src/check/client/authorization/check-authorized-client.ts';
import type { Scenario } from '../../packages/cli/src/check/client/authorization/scenarios.ts';

type Loaded = Readonly<Record<string, unknown>>;

/** As much of the official clients as is used, whose own types differ from one to the next. */
interface OfficialClient {
  connect(transport: OfficialTransport): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(params: object): Promise<unknown>;
  close(): Promise<void>;
}

interface OfficialTransport {
  finishAuth(code: string, iss?: string): Promise<void>;
}

const redirectUri = 'http://127.0.0.1:6277/callback';

/** A store and a person, in the words of the official clients: ids and tokens are kept by their issuer, if they say it. */
class Person {
  readonly redirectUrl = redirectUri;
  readonly clientMetadata = {
    client_name: 'official',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
  };
  readonly pages: URL[] = [];
  readonly #state = crypto.randomUUID();
  readonly #kept = new Map<string, unknown>();
  #discovered: unknown;
  #verifier = '';

  state(): string {
    return this.#state;
  }

  clientInformation(about?: { readonly issuer: string }): unknown {
    return this.#kept.get(`client ${about?.issuer ?? ''}`);
  }

  saveClientInformation(client: unknown, about?: { readonly issuer: string }): void {
    this.#kept.set(`client ${about?.issuer ?? ''}`, client);
  }

  tokens(about?: { readonly issuer: string }): unknown {
    return about === undefined ? this.#kept.get('last') : this.#kept.get(`tokens ${about.issuer}`);
  }

  saveTokens(tokens: unknown, about?: { readonly issuer: string }): void {
    this.#kept.set(`tokens ${about?.issuer ?? ''}`, tokens);
    this.#kept.set('last', tokens);
    // A server may name another issuer next time.
    this.#discovered = undefined;
  }

  redirectToAuthorization(url: URL): void {
    this.pages.push(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovered: unknown): void {
    this.#discovered = discovered;
  }

  discoveryState(): unknown {
    return this.#discovered;
  }

  invalidateCredentials(scope: string): void {
    if (scope === 'all' || scope === 'tokens')
      for (const key of this.#kept.keys()) if (!key.startsWith('client ')) this.#kept.delete(key);
    if (scope === 'all' || scope === 'discovery') this.#discovered = undefined;
  }

  /** Goes through the last page, and looks at what the browser comes back with. */
  async answer(): Promise<{ readonly code: string; readonly iss: string | undefined }> {
    const { headers } = await fetch(this.pages.at(-1) ?? '', { redirect: 'manual' });
    const { searchParams } = new URL(headers.get('location') ?? 'about:blank');
    if (searchParams.get('state') !== this.#state) throw new Error('this is the answer to another question');
    return { code: searchParams.get('code') ?? '', iss: searchParams.get('iss') ?? undefined };
  }
}

interface Kind {
  readonly name: string;
  readonly load: () => Promise<readonly Loaded[]>;
  readonly mode?: string;
  readonly found: readonly string[];
}

const ofFirst = (file: string): Promise<Loaded> => import(`sdk-1.32.2/${file}`) as Promise<Loaded>;
const second = async (): Promise<readonly Loaded[]> => [await import('@modelcontextprotocol/client')];

const kinds: readonly Kind[] = [
  {
    name: 'SDK 1.32.2',
    load: () => Promise.all(['client/index.js', 'client/streamableHttp.js'].map(ofFirst)),
    found: ['auth-099 MUST', 'auth-054 SHOULD', 'http-049 SHOULD'],
  },
  { name: 'client 2.4 at 2025-11-25', load: second, mode: 'legacy', found: ['auth-099 MUST', 'http-049 SHOULD'] },
  { name: 'client 2.4 at 2026-07-28', load: second, mode: 'auto', found: ['auth-099 MUST'] },
];

async function run({ load, mode }: Kind, { tools }: Scenario, url: string): Promise<void> {
  const parts: Loaded = Object.assign({}, ...(await load()));
  const Client = parts['Client'] as new (info: object, options: object) => OfficialClient;
  const Transport = parts['StreamableHTTPClientTransport'] as new (url: URL, options: object) => OfficialTransport;
  const person = new Person();
  let transport: OfficialTransport;
  const signedIn = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const before = person.pages.length;
    try {
      return await act();
    } catch (error) {
      if (person.pages.length === before) throw error;
      const { code, iss } = await person.answer();
      await transport.finishAuth(code, iss);
      return await act();
    }
  };
  const client = await signedIn(async () => {
    transport = new Transport(new URL(url), { authProvider: person });
    const made = new Client({ name: 'c', version: '1' }, mode === undefined ? {} : { versionNegotiation: { mode } });
    await made.connect(transport);
    return made;
  });
  try {
    await client.listTools();
    for (const name of tools) await signedIn(() => client.callTool({ name, arguments: {} }));
  } finally {
    await client.close();
  }
}

async function judge(t: TestContext, kind: Kind) {
  return await checkAuthorizedClient({
    port: 0,
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 120_000,
    signal: t.signal,
    // What it refuses ends it.
    drive: (scenario, url) => run(kind, scenario, url).catch(() => undefined),
  });
}

for (const kind of kinds)
  test(`nothing false is found in ${kind.name}, which signs in`, async (t) => {
    const { findings, counts } = await judge(t, kind);
    assert.ok(counts.judged > 40, `${counts.judged} rows were judged`);
    assert.deepEqual([...new Set(findings.map(({ id, level }) => `${id} ${level}`))], kind.found);
  });
