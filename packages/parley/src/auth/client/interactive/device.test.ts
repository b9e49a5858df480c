import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import {
  createWorld,
  issuer,
  mcp,
  refuse,
  type Laws,
  type World,
} from '../../../../../../test/support/authorization-world.ts';
import { AuthorizationError, type DevicePrompt, type LoginOptions, type OAuthOptions } from '../../../oauth.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const metadata = createWorld().laws.server as Readonly<Record<string, unknown>>;
const server = { ...metadata, device_authorization_endpoint: `${issuer}/device` };

const authorized = {
  device_code: 'device-code-secret',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://as.example/enter',
  verification_uri_complete: 'https://as.example/enter?user_code=WDJB-MJHT',
  expires_in: 900,
};

/** A world whose authorization server answers token requests of a device as a list says, and gives tokens after that. */
function deviceWorld(
  answers: readonly (string | (() => Response))[] = [],
  changes: { readonly code?: object; readonly laws?: Partial<Laws> } = {},
): World {
  const left = [...answers];
  const world = createWorld({ server, ...changes.laws });
  world.laws.answers = {
    ...world.laws.answers,
    '/device': () => Response.json({ ...authorized, ...changes.code }),
    '/token': ({ body }) => {
      const isOurs = body['refresh_token'] === 'refresh-device-secret';
      if (isOurs) return Response.json({ access_token: 'access-device-renewed', token_type: 'Bearer' });
      if (body['grant_type'] !== deviceGrant) return undefined;
      const next = left.shift();
      if (typeof next === 'function') return next();
      if (next !== undefined) return refuse(next);
      world.tokens.set('access-device-secret', ['a']);
      const tokens = { access_token: 'access-device-secret', token_type: 'Bearer', expires_in: 3600 };
      return Response.json({ ...tokens, refresh_token: 'refresh-device-secret', scope: 'a' });
    },
  };
  return world;
}

interface Login {
  readonly prompts: readonly DevicePrompt[];
  /** The pauses between the requests, in seconds. */
  readonly pauses: readonly number[];
  readonly error: unknown;
}

/** Signs in by another device, by a clock that runs as fast as anybody waits. */
async function byDevice(world: World, options: Partial<OAuthOptions> = {}, login: LoginOptions = {}): Promise<Login> {
  mock.timers.enable({ apis: ['setTimeout'] });
  world.tokens.delete('access-device-secret');
  const prompts: DevicePrompt[] = [];
  const pauses: number[] = [];
  const auth = world.oauth({ fetch: (url, request) => world.fetch(url, request), ...options });
  let ended = false;
  let error: unknown;
  const device = (prompt: DevicePrompt): void => void prompts.push(prompt);
  const running = auth
    .login({ server: mcp, device, ...login })
    .catch((reason: unknown) => (error = reason))
    .finally(() => (ended = true));
  let waited = 0;
  let seen = world.count('POST /token');
  try {
    while (!ended) {
      // Everything that is ready goes first; what is loaded takes its own time.
      // oxlint-disable-next-line no-await-in-loop -- turn by turn
      for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
      const count = world.count('POST /token');
      if (count > seen) {
        pauses.push(waited);
        [waited, seen] = [0, count];
      }
      if (ended || prompts.length === 0 || world.tokens.has('access-device-secret')) continue;
      mock.timers.tick(1000);
      waited++;
    }
    await running;
  } finally {
    mock.timers.reset();
  }
  return { prompts, pauses, error };
}

function failureIn({ error }: Login): AuthorizationError {
  assert.ok(error instanceof AuthorizationError, `it ended with ${String(error)}`);
  assert.ok(!`${error.message} ${error.stack}`.includes('device-code-secret'));
  return error;
}

test('a person signs in by a code on another device', async () => {
  const world = deviceWorld(['authorization_pending'], { laws: { challenge: 'Bearer scope="a"' } });
  const store = memoryCredentialStore();
  const { prompts, error } = await byDevice(world, { store, parameters: { authorization: { audience: 'x' } } });
  assert.equal(error, undefined);
  assert.deepEqual(prompts, [
    {
      userCode: 'WDJB-MJHT',
      verificationUri: 'https://as.example/enter',
      verificationUriComplete: 'https://as.example/enter?user_code=WDJB-MJHT',
      expiresIn: 900,
      issuer,
      scopes: ['a'],
    },
  ]);
  assert.deepEqual(world.asked.find(({ url }) => url.pathname === '/device')?.body, {
    client_id: 'client-1',
    scope: 'a',
    resource: mcp,
    audience: 'x',
  });
  assert.deepEqual(world.asked.findLast(({ url }) => url.pathname === '/token')?.body, {
    client_id: 'client-1',
    grant_type: deviceGrant,
    device_code: 'device-code-secret',
    resource: mcp,
  });
  assert.deepEqual(world.pages, []);
  assert.deepEqual(
    world.events.map(({ kind }) => kind),
    ['discovered', 'registered', 'asked', 'granted'],
  );
  const identity = await world.oauth({ store }).identity({ server: mcp });
  assert.deepEqual([identity?.scopes, identity?.renewable], [['a'], true]);
});

test('a login by another device is registered for, and a registration that is not for it stays of use', async () => {
  const world = deviceWorld();
  const store = memoryCredentialStore();
  const registered = (): readonly unknown[] =>
    world.asked.filter(({ url }) => url.pathname === '/register').map(({ body }) => body['grant_types']);
  await (await world.connect(world.oauth({ store }))).close();
  assert.equal((await byDevice(world, { store })).error, undefined);
  assert.equal((await byDevice(world, { store })).error, undefined);
  assert.deepEqual(registered(), [
    ['authorization_code', 'refresh_token'],
    ['authorization_code', deviceGrant, 'refresh_token'],
  ]);
});

test('the pauses are those of the server, grow when it says so, and double while it cannot answer', async () => {
  const gone = (): Response => new Response('', { status: 503 });
  const usual = await byDevice(deviceWorld(['authorization_pending', 'slow_down', 'authorization_pending']));
  assert.deepEqual(usual.pauses, [5, 5, 10, 10]);
  const own = await byDevice(deviceWorld(['authorization_pending', gone, gone], { code: { interval: 2 } }));
  assert.deepEqual(own.pauses, [2, 2, 4, 8]);
  const none = await byDevice(deviceWorld(['authorization_pending'], { code: { interval: 0.001 } }));
  assert.deepEqual(none.pauses, [1, 1]);
});

test('a code that expired, and a person who declines, end the login', async () => {
  const said = failureIn(await byDevice(deviceWorld(['expired_token'])));
  assert.deepEqual([said.reason, /expired before anybody entered it/.test(said.message)], ['timeout', true]);
  const denied = failureIn(await byDevice(deviceWorld(['authorization_pending', 'access_denied'])));
  assert.deepEqual([denied.reason, denied.code], ['denied', 'access_denied']);
  const pending = Array.from({ length: 100 }, () => 'authorization_pending');
  const silent = deviceWorld(pending, { code: { expires_in: 30 } });
  assert.equal(failureIn(await byDevice(silent)).reason, 'timeout');
  assert.ok(silent.count('POST /token') <= 6);
});

test('nobody is waited for longer than a login may take', async () => {
  const pending = Array.from({ length: 100 }, () => 'authorization_pending');
  const error = failureIn(await byDevice(deviceWorld(pending), { loginTimeoutMs: 20_000 }));
  assert.equal(error.reason, 'timeout');
  assert.match(error.message, /the user did not sign in at https:\/\/as\.example within 20 s/);
});

test('a prompt that nobody gets to see is waited for no longer than the login may take', async () => {
  const world = deviceWorld();
  const auth = world.oauth({ fetch: (url, request) => world.fetch(url, request) });
  const controller = new AbortController();
  const device = async (): Promise<void> => {
    controller.abort(new Error('given up'));
    await new Promise(() => {});
  };
  await assert.rejects(auth.login({ server: mcp, device, signal: controller.signal }), /given up/);
  assert.equal(world.count('POST /token'), 0);
});

test('a way to show the code that is no function is refused before anything is asked for', async () => {
  const world = deviceWorld();
  const auth = world.oauth({ fetch: (url, request) => world.fetch(url, request) });
  // What a program without types may do.
  const options = { server: mcp, device: true } as unknown as LoginOptions;
  await assert.rejects(auth.login(options), TypeError);
  assert.equal(world.count('POST /register') + world.count('POST /device'), 0);
});

test('a login by another device that is given up asks no more', async () => {
  const controller = new AbortController();
  const stop = (): Response => {
    controller.abort(new Error('given up'));
    return refuse('authorization_pending');
  };
  const world = deviceWorld([stop]);
  const { error } = await byDevice(world, {}, { signal: controller.signal });
  assert.equal((error as Error).message, 'given up');
  assert.equal(world.count('POST /token'), 1);
});

test('a client that the server has forgotten is registered once more', async () => {
  const world = deviceWorld();
  const store = memoryCredentialStore();
  await byDevice(world, { store });
  const { '/device': answer } = world.laws.answers;
  let forgotten = true;
  world.laws.answers = {
    ...world.laws.answers,
    '/device': (asked) => (forgotten ? ((forgotten = false), refuse('invalid_client', 401)) : answer?.(asked)),
  };
  assert.equal((await byDevice(world, { store })).error, undefined);
  assert.equal(world.count('POST /register'), 2);
});

test('a server without such an endpoint is told of before anything is sent there', async () => {
  const world = deviceWorld([], { laws: { server: metadata } });
  const error = failureIn(await byDevice(world));
  assert.equal(error.reason, 'discovery');
  assert.match(error.message, /no device_authorization_endpoint\): sign in without the option device$/);
  assert.equal(world.count('POST /register'), 0);
});

test('an endpoint for devices in an inner network is not asked', async () => {
  for (const endpoint of ['https://10.0.0.1/device', 'http://as.example/device', 'javascript:alert(1)']) {
    const world = deviceWorld([], { laws: { server: { ...server, device_authorization_endpoint: endpoint } } });
    // oxlint-disable-next-line no-await-in-loop -- one after the other is fine
    const { reason } = failureIn(await byDevice(world));
    assert.ok(reason === 'address-refused' || reason === 'insecure-url', reason);
  }
});

test('a page or a code that nobody could use is not shown', async () => {
  const bad: readonly object[] = [
    { verification_uri: 'javascript:alert(1)' },
    { verification_uri: 'http://as.example/enter' },
    { verification_uri_complete: 'file:///etc/passwd' },
    { verification_uri: null },
    { user_code: 'A\u001b[2J' },
    { user_code: 'A\u202eB' },
    { user_code: 'A\nparley: all is well' },
    { user_code: 'A'.repeat(200) },
    { user_code: '' },
    { device_code: undefined },
    { expires_in: 'soon' },
    { expires_in: 0 },
  ];
  for (const code of bad) {
    const world = deviceWorld([], { code });
    // oxlint-disable-next-line no-await-in-loop -- one after the other is fine
    const ran = await byDevice(world);
    assert.ok(['invalid-response', 'insecure-url'].includes(failureIn(ran).reason), JSON.stringify(code));
    assert.deepEqual(ran.prompts, []);
    assert.equal(world.count('POST /token'), 0);
  }
});

test('no server makes a client begin a login by another device', async () => {
  const world = deviceWorld();
  await (await world.connect(world.oauth())).close();
  assert.equal(world.count('POST /device'), 0);
  assert.equal(world.pages.length, 1);
});
