/** Whom a bridge is at the servers behind it must be chosen before many share it. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { createHttpHandler } from '../transports/http/server/handler.ts';
import type { HttpOptions } from '../http.ts';
import { createBridge, httpTransport, type Bridge, type BridgeOptions } from '../bridge.ts';
import { createHandler } from '../transports/http/server/fetch.ts';
import { listen } from '../transports/node/server/http.ts';
import { clientCredentials, enterpriseManaged, oauth, type Authorization } from '../oauth.ts';
import { protect } from '../auth/server/protect.ts';
import { createServer } from '../server/server.ts';
import { serveStdio } from '../transports/stdio/server/serve.ts';
import { testIssuer } from '../testing/issuer.ts';

const url = 'http://127.0.0.1/mcp';
const resource = 'https://bridge.example/mcp';
const machine = (): Authorization => clientCredentials({ id: 'm', secret: 's' });
const person = (): Authorization =>
  oauth({ redirect: () => assert.fail('nobody is asked'), redirectUri: 'http://127.0.0.1/callback' });
const enterprise = (): Authorization =>
  enterpriseManaged({
    idp: { issuer: 'https://idp.example', client: { id: 'i' } },
    client: { id: 'c', secret: 's' },
    subjectToken: () => ({ token: 't' }),
  });

/** A bridge whose upstream wants nothing, whatever credentials it is given. */
async function bridgeWith(
  t: TestContext,
  auth: Authorization | (() => string),
  more: Partial<BridgeOptions> = {},
): Promise<Bridge> {
  const handler = createHandler(createServer({ name: 's', version: '1' }));
  const fetch = (to: string, request: object): Promise<Response> => handler(new Request(to, request));
  const bridge = await createBridge({
    upstream: httpTransport(url, { auth, fetch }),
    onWarning: () => undefined,
    ...more,
  });
  t.after(() => bridge.close());
  return bridge;
}

function guard(bridge: Bridge): void {
  protect(bridge, { ...testIssuer().options, resource });
}

describe('a guarded bridge', () => {
  for (const [name, auth] of Object.entries({ person, enterprise, machine }))
    test(`does not start where nobody chose who its clients are: the credentials of a ${name}`, async (t) => {
      const bridge = await bridgeWith(t, auth());
      assert.throws(() => guard(bridge), /choose upstreamAuth, which is 'service'.*'exchange'/);
      const authenticate = (): { readonly principal: string } => ({ principal: 'ann' });
      assert.throws(() => createHttpHandler(bridge, { authenticate }), /choose upstreamAuth/);
    });

  test('may be one machine for all, and says so at its start', async (t) => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const bridge = await bridgeWith(t, machine(), { upstreamAuth: 'service', onWarning });
    guard(bridge);
    assert.deepEqual(warnings, [`all clients of this bridge are one machine at ${url} (upstreamAuth 'service')`]);
  });

  test('may be one machine by a token, which nobody can tell from others', async (t) => {
    guard(await bridgeWith(t, () => 'token', { upstreamAuth: 'service' }));
  });

  test('is no machine by the grant of a person', async (t) => {
    for (const auth of [person(), enterprise()])
      await assert.rejects(bridgeWith(t, auth, { upstreamAuth: 'service' }), /'service' is for a machine/);
  });

  test('needs what exchanges tokens where it is to exchange them', async () => {
    const bridge = await createBridge({ upstream: url, upstreamAuth: 'exchange' });
    assert.throws(() => guard(bridge), /protect needs exchange/);
    await bridge.close();
  });
});

describe('a bridge that nobody guards', () => {
  test('lends the grant of a person to this machine alone', async (t) => {
    const bridge = await bridgeWith(t, person());
    const refused = /would lend that identity to every client that reaches it as/;
    await assert.rejects(listen(bridge, { port: 0, host: '0.0.0.0' }), refused);
    const near: HttpOptions = { allowedHosts: ['localhost:3000', '127.0.0.1', '[::1]'] };
    for (const allowedHosts of [['bridge.example'], 'any'] as const)
      assert.throws(() => createHttpHandler(bridge, { allowedHosts }), refused);
    createHttpHandler(bridge, near);
    const listening = await listen(bridge, { port: 0 });
    await listening.close();
    await serveStdio(bridge, { input: new PassThrough(), output: new PassThrough(), guardStdout: false }).close();
  });

  test('answers nobody of another machine who names this one', async (t) => {
    const handler = createHttpHandler(await bridgeWith(t, person()));
    const statusFor = (remoteAddress: string): number | undefined => {
      let sent: number | undefined;
      handler.handle(
        {
          method: 'PUT',
          path: '/mcp',
          query: '',
          headerCount: 1,
          remoteAddress,
          header: (name) => (name === 'host' ? 'localhost' : undefined),
          body: () => ({ kind: 'gone' }),
        },
        {
          send: (status) => void (sent = status),
          stream: () => assert.fail(),
          closed: false,
          destroy: () => undefined,
          setHeader: () => undefined,
          onClose: () => undefined,
        },
      );
      return sent;
    };
    assert.deepEqual(['10.0.0.7', '::ffff:10.0.0.7', 'fe80::1'].map(statusFor), [403, 403, 403]);
    assert.deepEqual(['127.0.0.1', '::ffff:127.0.0.1', '::1'].map(statusFor), [405, 405, 405]);
  });

  test('answers nobody of another machine who comes by a proxy of this one that is trusted', async (t) => {
    const trustedProxies = { addresses: ['127.0.0.1'], header: 'x-forwarded-for' } as const;
    const listening = await listen(await bridgeWith(t, person()), { port: 0, drainTimeoutMs: 0, trustedProxies });
    t.after(() => listening.close());
    const statusFor = async (forwarded: string): Promise<number> =>
      (await fetch(listening.url, { method: 'PUT', headers: { 'x-forwarded-for': forwarded } })).status;
    assert.deepEqual(await Promise.all(['192.0.2.1', '127.0.0.1, 192.0.2.1', '::1'].map(statusFor)), [403, 403, 405]);
  });

  test('does not act as each of its clients, whom it does not know', async () => {
    const bridge = await createBridge({ upstream: url, upstreamAuth: 'exchange' });
    for (const serve of [
      () => createHttpHandler(bridge),
      () => serveStdio(bridge, { input: new PassThrough(), output: new PassThrough(), guardStdout: false }),
    ])
      assert.throws(serve, /guard it with protect/);
    await assert.rejects(listen(bridge, { port: 0 }), /guard it with protect/);
    await bridge.close();
  });

  test("has a machine's credentials for whoever it is served to", async (t) => {
    createHttpHandler(await bridgeWith(t, machine()), { allowedHosts: ['bridge.example'] });
  });
});

test('what does not go together is told when the bridge is made', async () => {
  const transport = httpTransport(url, {});
  for (const [options, words] of [
    [{ upstream: transport, auth: 'token' }, /auth is for an upstream that is a URL/],
    [{ upstream: transport, upstreamAuth: 'exchange' }, /give upstream as a URL, without auth/],
    [{ upstream: url, auth: 'token', upstreamAuth: 'exchange' }, /give upstream as a URL, without auth/],
    [{ upstream: url, upstreamAuth: 'everybody' }, /upstreamAuth is 'service'/],
    [{ upstream: url, upstreamAuth: { as: 'exchange', audienc: 'x' } }, /audienc/],
  ] as const)
    await assert.rejects(createBridge(options as unknown as BridgeOptions), (error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, words);
      return true;
    });
});
