/** Authorization servers that are slow, dead or back again, and clocks that are set back. */
import type { Fetch } from '../../jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { entries, type Wire } from '../../../../../test/support/http-entries.ts';
import { testIssuer } from '../../testing/issuer.ts';
import {
  bearer,
  call,
  open,
  resource,
  type GuardedEntrance,
  type Wishes,
} from '../../../../../test/support/guarded-entrance.ts';

const entry = entries['createHttpHandler'] ?? assert.fail();
const hour = 3_600_000;
const who = (token: string): Wire => call('tools/call', { name: 'who' }, bearer(token));

interface Reachable extends GuardedEntrance {
  /** Failures that were told. */
  readonly told: unknown[];
  pass(ms: number): void;
  /** Makes the authorization server take requests and never answer, or answer again. */
  hang(isHanging: boolean): void;
  /** Resolves when the authorization server has taken a request that it does not answer. */
  taken(): Promise<void>;
  /** The status of a request with another token each time. */
  status(header?: object): Promise<number>;
}

async function reachable(
  t: TestContext,
  protect: Wishes['protect'] = {},
  http: Wishes['http'] = {},
): Promise<Reachable> {
  let time = Date.now();
  const now = (): number => time;
  const told: unknown[] = [];
  const source = testIssuer({ audience: resource, now });
  let [answers, answer] = [Promise.resolve(), (): void => {}];
  let [taken, take] = [Promise.resolve(), (): void => {}];
  const fetch: Fetch = async (url, request) => {
    take();
    await answers;
    return await source.fetch(url, request);
  };
  const wish = { fetch, now, onError: (error: unknown): void => void told.push(error), ...protect };
  const opened = await open(t, entry, { protect: wish, http });
  const { issue } = source;
  return {
    ...opened,
    issuer: source,
    told,
    pass: (ms) => void (time += ms),
    hang: (isHanging) => {
      answer();
      answers = isHanging ? new Promise((resolve) => (answer = resolve)) : Promise.resolve();
      taken = new Promise((resolve) => (take = resolve));
    },
    taken: () => taken,
    status: async (header = {}) => (await opened.send(who(await issue({ header: { ...header } })))).status,
  };
}

test('a clock that is set back does not keep a server waiting for its authorization server', async (t) => {
  const { status, issuer, pass } = await reachable(t);
  issuer.outage(true);
  assert.equal(await status(), 503);
  issuer.outage(false);
  pass(-24 * hour);
  assert.equal(await status(), 200);
});

test('a clock that is set back does not keep keys longer', async (t) => {
  const { status, issuer, pass } = await reachable(t);
  assert.equal(await status(), 200);
  pass(-24 * hour);
  issuer.outage(true);
  assert.equal(await status(), 200);
  pass(24 * hour);
  assert.equal(await status(), 503);
});

const introspection = { clientId: 'mcp', clientSecret: 'secret' };
const asking = { issuers: [{ issuer: 'https://issuer.test', introspection }] };

test('a clock that is set back does not keep what was said of a token longer', async (t) => {
  const { send, issuer, pass } = await reachable(t, asking);
  const token = await issuer.issue();
  assert.equal((await send(who(token))).status, 200);
  issuer.revoke(token);
  pass(-24 * hour);
  assert.equal((await send(who(token))).status, 401);
});

test('a key that is unknown while nobody can be asked for it is no bad token', async (t) => {
  const { status, issuer, pass, told } = await reachable(t);
  assert.equal(await status(), 200);
  pass(60_000);
  issuer.rotate();
  issuer.outage(true);
  for (let turn = 0; turn < 2; turn++) assert.equal(await status(), 503);
  assert.match(String(told[0]), /was not reached/);
  issuer.outage(false);
  pass(30_000);
  assert.equal(await status(), 200);
  assert.equal(await status({ kid: 'made-up' }), 401);
});

test('who runs a server hears that its keys cannot be fetched, while the old ones are used', async (t) => {
  const { status, issuer, pass, told } = await reachable(t);
  assert.equal(await status(), 200);
  issuer.outage(true);
  pass(hour);
  assert.equal(await status(), 200);
  assert.match(String(told[0]), /was not reached/);
});

test('requests that wait for an authorization server leave room for those that need not', async (t) => {
  const { send, issuer, hang } = await reachable(t, asking, { maxRequests: 1200 });
  const [kept = '', ...others] = await Promise.all(Array.from({ length: 601 }, () => issuer.issue()));
  assert.equal((await send(who(kept))).status, 200);
  hang(true);
  const waiting = others.map((token) => send(who(token)).then(({ status }) => status));
  assert.equal(await Promise.race(waiting), 503);
  assert.equal((await send(who(kept))).status, 200);
  hang(false);
  const answers = await Promise.all(waiting);
  assert.equal(answers.filter((one) => one === 200).length, 500);
});

test('keys that take long to fetch are waited for a second where there are old ones', async (t) => {
  const { status, pass, hang } = await reachable(t);
  assert.equal(await status(), 200);
  pass(hour);
  hang(true);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  assert.equal(await ticking(t, status()), 200);
  assert.equal(await status(), 200);
  hang(false);
});

test('nobody joins a wait of more than a second where there are no keys', async (t) => {
  const { status, hang, taken, told } = await reachable(t);
  hang(true);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const first = status();
  await taken();
  t.mock.timers.tick(1_100);
  assert.equal(await status(), 503);
  assert.match(String(told[0]), /takes long/);
  hang(false);
  assert.equal(await first, 200);
});

test('a function that verifies and never answers holds nobody for ever', async (t) => {
  const own = { issuers: undefined as never, authorizationServers: ['https://login.example.com'] };
  // Queries of databases can be awaited, and are no promises.
  const query = { then: () => {} } as unknown as Promise<undefined>;
  for (const never of [new Promise<undefined>(() => {}), query]) {
    const { send, told } = await reachable(t, { ...own, verify: () => never });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const answer = send(who('opaque')).then(({ status }) => status);
    assert.equal(await ticking(t, answer), 503);
    assert.match(String(told[0]), /within 30 s/);
    t.mock.timers.reset();
  }
});

/** Lets time pass until something is there, slower than what goes on meanwhile. */
async function ticking<T>(t: TestContext, awaited: Promise<T>): Promise<T> {
  const over = awaited.then(() => true);
  const turn = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false));
  for (let turns = 0; turns < 1000 && !(await Promise.race([over, turn()])); turns++) t.mock.timers.tick(100);
  return await awaited;
}
