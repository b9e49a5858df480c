/** Hostile servers, authorization servers and pages, against every way in which a client is authorized. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loopback } from '../../packages/parley/src/node.ts';
import {
  AuthorizationError,
  clientCredentials,
  enterpriseManaged,
  page,
  popup,
  workloadIdentity,
  type Authorization,
  type Fetch,
  type CredentialStore,
  type OAuth,
  type PopupWindow,
  type RedirectRequest,
} from '../../packages/parley/src/oauth.ts';
import { memoryCredentialStore } from '../../packages/parley/src/storage/memory-credentials.ts';
import { adversaries, evil, type Adversary } from './adversary-table.ts';
import { createWorld, issuer, mcp, redirectUri, type World } from '../support/authorization-world.ts';

/** What came of it. */
interface Outcome {
  readonly error: unknown;
  /** True when the way itself took the answer for none, and waited for another one. */
  readonly ignored?: boolean;
  /** True when the login goes on waiting: no stranger ends it. */
  readonly waits?: boolean;
}

type Way = (world: World, store: CredentialStore) => Promise<Outcome>;

async function outcome(world: World, auth: Authorization, signal?: AbortSignal): Promise<Outcome> {
  const error = await world.connect(auth, signal === undefined ? {} : { signal }).then(
    (client) => client.close(),
    (cause: unknown) => cause,
  );
  return { error };
}

function requestOf(url: string): RedirectRequest {
  const { searchParams } = new URL(url);
  const said = (name: string): string => searchParams.get(name) ?? '';
  return { url, redirectUri: said('redirect_uri'), state: said('state'), reason: 'login', issuer, scopes: [] };
}

const byLoopback: Way = async (world, store) => {
  const controller = new AbortController();
  let ignored = false;
  const open = async (url: string): Promise<void> => {
    const callback = await world.visit(requestOf(url));
    const { status } = URL.canParse(callback) ? await fetch(callback) : { status: 404 };
    ignored = status === 404;
    if (ignored) controller.abort(new AuthorizationError('denied', 'the person gave up'));
  };
  const done = await outcome(world, world.oauth({ store, redirect: loopback({ open }) }), controller.signal);
  return { ...done, ignored };
};

const byPopup: Way = async (world, store) => {
  let [href, looks] = ['about:blank', 0];
  const window = {
    closed: false,
    opener: undefined as unknown,
    get location() {
      // Who leads it nowhere closes it.
      if (href !== 'about:blank' && ++looks > 1) window.closed = true;
      return { href, replace: (url: string) => void world.visit(requestOf(url)).then((to) => (href = to)) };
    },
    close: () => undefined,
  };
  const opener = { location: { href: 'https://app.example/here' }, open: (): PopupWindow => window };
  const done = await outcome(world, world.oauth({ store, redirect: popup(opener) }));
  return { ...done, ignored: window.closed };
};

const byPage: Way = async (world, store) => {
  const left: string[] = [];
  const fetch: Fetch = (url, request) => world.fetch(url, request);
  const redirect = page({ redirectUri, navigate: (url) => void left.push(url) });
  const load = (): OAuth => world.oauth({ store, redirect, fetch });
  const first = await outcome(world, load());
  const [url] = left;
  if (url === undefined) return first;
  const later = load();
  const callback = await world.visit(requestOf(url));
  const states = URL.canParse(callback) ? new URL(callback).searchParams.getAll('state') : [];
  const waits = states.join() !== new URL(url).searchParams.get('state');
  const finished = await later.finish(callback, { server: mcp }).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return finished === undefined ? await outcome(world, later) : { error: finished, waits };
};

const secret = 'secret-of-a-machine';

const persons: Readonly<Record<string, Way>> = {
  'a function of the application': (world, store) => outcome(world, world.oauth({ store })),
  'the browser of this machine': byLoopback,
  'a window': byPopup,
  'a page that is left': byPage,
};

const machines: Readonly<Record<string, Way>> = {
  'the credentials of a machine': (world) => outcome(world, clientCredentials({ id: 'machine', secret })),
  'the decision of an enterprise': (world) =>
    outcome(
      world,
      enterpriseManaged({
        idp: { tokenEndpoint: 'https://idp.example/idp-token', client: { id: 'at-the-idp' } },
        client: { id: 'app', secret },
        subjectToken: () => ({ token: 'secret-of-the-person' }),
      }),
    ),
  'the identity of a workload': (world) =>
    outcome(world, workloadIdentity({ clientId: 'work', assertion: () => 'secret-of-the-workload' })),
};

/** The world of an adversary, in which the identity provider of an enterprise is in order. */
function worldOf(laws: Adversary[1]): World {
  const decision = { issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag', token_type: 'N_A' };
  const idp = { '/idp-token': () => Response.json({ ...decision, access_token: 'secret-decision' }) };
  return createWorld({ ...laws, answers: { ...laws.answers, ...idp } });
}

/** Nothing went to anybody else, and what was told or is shown has no secret in it. */
function assertQuiet(world: World, error: AuthorizationError): void {
  const known = [issuer, new URL(mcp).origin, 'https://idp.example'];
  for (const { url, body, headers } of world.asked.filter(({ url }) => !known.includes(url.origin))) {
    assert.equal(url.origin, evil, `it asked ${url.origin}`);
    const sent = JSON.stringify([url.href, body, [...headers]]);
    for (const one of world.secrets) assert.ok(!sent.includes(one), 'somebody else got a secret');
    assert.notEqual(url.pathname, '/token');
  }
  const told = JSON.stringify([error.message, error.stack, world.events]);
  for (const one of [...world.secrets, secret, 'secret-of-the-person', 'secret-of-the-workload', 'secret-decision'])
    assert.ok(!told.includes(one), 'a secret was told');
}

describe('adversaries of a person', { concurrency: 8 }, () => {
  for (const [way, run] of Object.entries(persons))
    for (const [what, laws, reason, reached] of adversaries)
      test(`by ${way}, ${what}: ${reason}, and nothing is lost or stored [auth-006]`, async () => {
        const world = worldOf(laws);
        const store = memoryCredentialStore();
        const { error, ignored = false, waits = false } = await run(world, store);
        assert.ok(error instanceof AuthorizationError, `it ended with ${String(error)}`);
        assert.equal(error.reason, ignored ? 'denied' : reason, error.message);
        if (ignored) assert.match(what, /state|not a URL/);
        assert.equal(world.pages.length, reached === 'discovery' ? 0 : 1);
        assert.equal(world.count('POST /token') > 0, reached === 'token');
        if (reached === 'discovery') assert.equal(world.count('POST /register'), 0);
        assertQuiet(world, error);
        if (!what.startsWith('a server that refuses')) assert.deepEqual(await store.keys('grant'), []);
        assert.equal((await store.keys('login')).length, waits ? 1 : 0);
      });
});

describe('adversaries of machines', { concurrency: 8 }, () => {
  const rows = adversaries.filter(([, , , reached, careful]) => careful !== 'person' && reached !== 'login');
  for (const [way, run] of Object.entries(machines))
    for (const [what, laws, reason, reached] of rows)
      test(`by ${way}, ${what}: ${reason}`, async () => {
        const world = worldOf(laws);
        const { error } = await run(world, memoryCredentialStore());
        assert.ok(error instanceof AuthorizationError, `it ended with ${String(error)}`);
        assert.equal(error.reason, reason, error.message);
        assert.equal(world.pages.length, 0);
        assert.equal(world.count('POST /token') > 0, reached === 'token');
        assertQuiet(world, error);
      });
});
