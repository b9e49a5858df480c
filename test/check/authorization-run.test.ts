/** How a client is judged that hangs, is cut off, or is refused, and what is left when a run fails. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import {
  checkAuthorizedClient,
  type CheckAuthorizedClientOptions,
} from '../../packages/cli/src/check/client/authorization/check-authorized-client.ts';
import { judgeTrails } from '../../packages/cli/src/check/client/authorization/judge-logs.ts';
import { scenarios } from '../../packages/cli/src/check/client/authorization/scenarios.ts';
import { AuthorizationLog } from '../../packages/cli/src/check/client/authorization/authorization-log.ts';
import { checkClient } from '../../packages/cli/src/check/client/run/check-client.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { revisionOf } from '../../packages/parley/src/protocol/revision.ts';
import { parley } from '../support/cli-process.ts';

const info = { name: 'parley-check', version: '1.0.0' };
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function judged(
  t: TestContext,
  drive: NonNullable<CheckAuthorizedClientOptions['drive']>,
  more: Partial<CheckAuthorizedClientOptions> = {},
): Promise<CheckReport> {
  return await checkAuthorizedClient({ port: 0, info, limitMs: 60_000, signal: t.signal, drive, ...more });
}

const hasEnded = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

async function initialize(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  return await fetch(url, { method: 'POST', headers: { ...json, ...headers }, body });
}

test('what a client did not do by the time it was cut off is not held against it', async (t) => {
  const metadata = async (url: string): Promise<void> => {
    await (await initialize(url)).text();
    await (await fetch(`${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`)).text();
  };
  const drive =
    (hangs: boolean): NonNullable<CheckAuthorizedClientOptions['drive']> =>
    async ({ name }, url, signal) => {
      if (name !== 'plain') return;
      await metadata(url);
      if (hangs) await hasEnded(signal);
    };
  const cut = await judged(t, drive(true), { limitMs: 2_000 });
  assert.deepEqual(cut.findings, []);
  // Who ends by itself has done all that it does.
  const { findings } = await judged(t, drive(false));
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['auth-030'],
  );
});

test('a scenario in which a client hangs leaves the others their time', async (t) => {
  const driven: string[] = [];
  const { cut } = await judged(
    t,
    async ({ name }, _, signal) => {
      driven.push(name);
      if (name === 'right') await hasEnded(signal);
    },
    { limitMs: 2_600 },
  );
  assert.deepEqual(
    driven,
    scenarios.map(({ name }) => name),
  );
  assert.equal(cut, undefined);
});

test('a client whose token was refused, and that has no other, may ask without one', async (t) => {
  const { findings } = await judged(t, async ({ name }, url) => {
    if (name !== 'right') return;
    const token = await signIn(url);
    const bearer = { authorization: `Bearer ${token}` };
    const session = (await initialize(url, bearer)).headers.get('mcp-session-id') ?? '';
    const say = async (message: object, headers: object): Promise<void> => {
      const own = { ...json, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25', ...headers };
      await (
        await fetch(url, { method: 'POST', headers: own, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
      ).text();
    };
    await say({ method: 'notifications/initialized' }, bearer);
    await say({ id: 2, method: 'tools/call', params: { name: 'expire', arguments: {} } }, bearer);
    // To be told once more where tokens are to be had.
    await say({ id: 3, method: 'tools/call', params: { name: 'again', arguments: {} } }, {});
  });
  assert.deepEqual(
    findings.filter(({ id }) => id === 'auth-119'),
    [],
  );
});

/** Signs in as simply as it can be, at the issuer that the challenge leads to. */
async function signIn(url: string): Promise<string> {
  const { resource_metadata: named } = /resource_metadata="(?<resource_metadata>[^"]*)"/.exec(
    (await initialize(url)).headers.get('www-authenticate') ?? '',
  )?.groups ?? { resource_metadata: '' };
  const { authorization_servers: servers } = (await (await fetch(named ?? '')).json()) as {
    readonly authorization_servers: readonly string[];
  };
  const redirect = 'http://127.0.0.1:9/back';
  const page = new URL(`${servers[0]}/authorize`);
  for (const [name, value] of [
    ['client_id', 'parley-check'],
    ['redirect_uri', redirect],
    ['state', 's'],
  ] as const)
    page.searchParams.set(name, value);
  const back = new URL((await fetch(page, { redirect: 'manual' })).headers.get('location') ?? '');
  const form = {
    grant_type: 'authorization_code',
    client_id: 'parley-check',
    redirect_uri: redirect,
    code: back.searchParams.get('code') ?? '',
  };
  const given = await fetch(`${servers[0]}/token`, { method: 'POST', body: new URLSearchParams(form) });
  return ((await given.json()) as { readonly access_token: string }).access_token;
}

test('where a port is taken the command ends, with nothing left open', async (t) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const argv = [parley, 'check', '--client', '--auth', '--port', String(port)];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 60_000 });
  const [told, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')]);
  assert.equal(code, 3, told);
  assert.match(told, /EADDRINUSE/);
});

test('a failure of its own ends a run, and is no fault of the client', async (t) => {
  const failing = checkClient({
    door: { port: 0 },
    info,
    signal: t.signal,
    async onOpen(origin) {
      await initialize(`${origin}/mcp`);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
      await fetch(`${origin}/mcp`, { method: 'POST', headers: json, body }).catch(() => undefined);
    },
    onStep() {
      throw new Error('it fails here');
    },
  });
  await assert.rejects(failing, /it fails here/);
});

test('a secret that was given elsewhere is shown in no finding', () => {
  const [right] = scenarios;
  assert.ok(right !== undefined);
  const authorizationLog = new AuthorizationLog(right, 'http://127.0.0.1:1/mcp', ['http://127.0.0.1:2/tenant']);
  authorizationLog.revision = revisionOf('2025-11-25');
  authorizationLog.clients.set('own', {
    issuer: 'http://127.0.0.1:2/tenant',
    redirectUris: [],
    grantTypes: [],
    method: 'client_secret_basic',
    secret: 'given-here',
  });
  const basic = Buffer.from('own:sesame-of-elsewhere').toString('base64');
  const step = (place: 'token' | 'endpoint', headers: Readonly<Record<string, string>>, fields: object): void =>
    authorizationLog.add(
      {
        place,
        method: 'POST',
        url: new URL(`http://127.0.0.1:2/tenant/${place}?code=code-of-elsewhere`),
        headers,
        fields: { ...fields },
        issuer: 'http://127.0.0.1:2/tenant',
        status: 400,
        came: '',
      },
      0,
    );
  step('token', { authorization: `Basic ${basic}` }, { grant_type: 'authorization_code', code: 'code-of-elsewhere' });
  const found = judgeTrails([authorizationLog], () => true).flatMap(({ outcome }) =>
    outcome.verdict === 'breaks' ? [outcome] : [],
  );
  assert.ok(found.length > 0);
  const text = JSON.stringify(found);
  assert.doesNotMatch(text, /of-elsewhere/);
  assert.doesNotMatch(text, new RegExp(basic));
  assert.match(text, /Basic \(\d+ characters that were not given here\)/);
});

test('a row that says the same as another is judged by itself where that is not chosen', () => {
  const scenario = scenarios.find(({ name }) => name === 'no-pkce');
  assert.ok(scenario !== undefined);
  const authorizationLog = new AuthorizationLog(scenario, 'http://127.0.0.1:1/mcp', ['http://127.0.0.1:2']);
  authorizationLog.revision = revisionOf('2025-11-25');
  const issuer = 'http://127.0.0.1:2';
  for (const [place, status] of [['server-metadata', 200] as const, ['authorize', 302] as const]) {
    const url = new URL(`${issuer}/${place}`);
    authorizationLog.add({ place, method: 'GET', url, headers: {}, fields: {}, issuer, status, came: '' }, 0);
  }
  const verdicts = (...only: readonly string[]): readonly unknown[] =>
    judgeTrails([authorizationLog], (id) => only.includes(id)).map(({ outcome }) => outcome.verdict);
  assert.deepEqual(verdicts('auth-099', 'auth-100'), ['breaks', 'not-judged']);
  assert.deepEqual(verdicts('auth-100'), ['breaks']);
});

test('values of whatever type are taken at every place, and end no run', async (t) => {
  const odd = { toString: 1, valueOf: 1 };
  const statuses: number[] = [];
  const report = await judged(t, async ({ name }, url) => {
    if (name !== 'right') return;
    await (await initialize(url)).text();
    const named = (await (await fetch(`${new URL(url).origin}/elsewhere/metadata`)).json()) as {
      readonly authorization_servers: readonly [string];
    };
    const [issuer] = named.authorization_servers;
    const names = ['application_type', 'token_endpoint_auth_method', 'scope', 'client_id', 'resource', 'grant_type'];
    const fields = Object.fromEntries(
      [...names, 'code', 'code_verifier', 'redirect_uri', 'refresh_token'].map((field) => [field, odd]),
    );
    for (const [place, body] of [
      [`${issuer}/register`, { ...fields, redirect_uris: [odd] }],
      [`${issuer}/register`, [odd]],
      [`${issuer}/token`, fields],
      [url, { jsonrpc: '2.0', id: odd, method: 'tools/call', params: { name: odd } }],
    ] as const) {
      const came = await fetch(place, { method: 'POST', headers: json, body: JSON.stringify(body) });
      await came.text();
      statuses.push(came.status);
    }
  });
  assert.deepEqual(statuses, [201, 201, 400, 401]);
  // Such an address is none of this machine, and none of https.
  assert.deepEqual(
    report.findings.map(({ id }) => id),
    ['auth-108'],
  );
});
