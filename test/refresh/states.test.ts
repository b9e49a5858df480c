/** The states of a client: whatever happens, every request ends, and in a state of the table. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AuthorizationError } from '../../packages/parley/src/auth/common/errors.ts';
import { carrier } from '../../packages/parley/src/transports/http/client/authorized.ts';
import { oauth } from '../../packages/parley/src/auth/client/interactive/oauth.ts';
import { credentialKeyText, type CredentialKey } from '../../packages/parley/src/storage/credentials.ts';
import { Disk, storeOf } from './disk.ts';
import { inWorld } from '../simulation/globals.ts';
import { Network, type Exchange } from './network.ts';
import { ScriptedHosts, type Step } from './scripted.ts';
import { sleep } from './program.ts';
import { Process, World } from '../simulation/world.ts';

const url = new URL('https://mcp.example/mcp');
const issuer = 'https://as1.example';

/** What one request did. */
interface Seen {
  readonly step: Step;
  readonly outcome: number | AuthorizationError;
  readonly requests: readonly Exchange[];
  readonly asked: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A client in a world where each request meets a step of its own. */
class Play {
  readonly world: World = new World(1);
  readonly hosts: ScriptedHosts = new ScriptedHosts(this.world);
  readonly #process = new Process('p');
  readonly #disk = new Disk(this.world, { locks: 'browser', compares: true }, { changed: () => {} });
  readonly #requests: Exchange[] = [];
  #asked = 0;
  readonly seen: Seen[] = [];

  async run(steps: readonly Step[]): Promise<void> {
    await inWorld(this.world, async () => {
      let failed: Error | undefined;
      this.world.later(0, this.#process, () => {
        this.#live(steps).then(
          () => this.world.end(),
          (error: unknown) => {
            failed = error instanceof Error ? error : new Error(String(error));
            this.world.end();
          },
        );
      });
      await this.world.run();
      if (failed !== undefined) throw failed;
    });
    assert.equal(this.seen.length, steps.length, 'a request never ends');
  }

  async #live(steps: readonly Step[]): Promise<void> {
    const sent = (exchange: Exchange): void => void this.#requests.push(exchange);
    const fetch = new Network(this.world, this.hosts.hosts, { sent }).fetchOf(this.#process);
    const auth = oauth({
      redirect: this.hosts.person(this.#process, () => void this.#asked++),
      redirectUri: 'http://127.0.0.1:4711/callback',
      store: storeOf(this.#disk, this.#process),
      loginTimeoutMs: 30_000,
      now: () => 1_800_000_000_000 + this.world.now,
    });
    const same: typeof fetch = (href, request) => fetch(href, request);
    const target = { url, credentials: {}, description: url.href };
    const carry = carrier({ fetch: (href, request) => same(href, { ...request, credentials: 'omit' }) }, target, {
      auth,
    });
    for (const step of steps) {
      await this.#before(step);
      this.hosts.begin(step);
      this.#requests.length = 0;
      this.#asked = 0;
      const before = this.#grant();
      const signal = new AbortController().signal;
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'any' } } as const;
      const outcome = await carry(
        url,
        { method: 'POST', headers: {}, body: '{}', redirect: 'manual', signal },
        { method: 'POST', own: {}, signal, sent: { message, options: {} } },
      ).then(
        ({ status }) => status,
        (error: unknown) => {
          if (error instanceof AuthorizationError) return error;
          throw error;
        },
      );
      this.seen.push({
        step,
        outcome,
        requests: [...this.#requests],
        asked: this.#asked,
        before,
        after: this.#grant(),
      });
    }
  }

  async #before({ before }: Step): Promise<void> {
    if (before === 'a token expires') await sleep(this.world, this.#process, 301_000);
    if (before === 'an hour passes') await sleep(this.world, this.#process, 3_601_000);
    const kept = this.#grant();
    if (kept === undefined || !before.startsWith('another')) return;
    const name = this.#name()!;
    if (before === 'another deletes')
      this.#disk.write(name, { key: { kind: 'grant', issuer }, text: undefined }, undefined);
    else {
      const { access_token: accessToken, refresh_token: refreshToken } = this.hosts.tokens(true);
      const text = JSON.stringify({
        ...(JSON.parse(kept) as object),
        accessToken,
        refreshToken,
        expiresAt: 1_800_000_000_000 + this.world.now + 300_000,
      });
      this.#disk.write(name, { key: { kind: 'grant', issuer }, text }, undefined);
    }
  }

  #grant(): string | undefined {
    const name = this.#name();
    return name === undefined ? undefined : this.#disk.read(name)?.text;
  }

  /** The name of the grant that is kept for the server. */
  #name(): string | undefined {
    const pointer: CredentialKey = { kind: 'server', issuer: url.href };
    const text = this.#disk.read(credentialKeyText(pointer))?.text;
    if (text === undefined) return undefined;
    // What the keeper wrote there.
    const { issuer: of, resource, client } = JSON.parse(text) as Record<'issuer' | 'resource' | 'client', string>;
    return credentialKeyText({ kind: 'grant', issuer: of, resource, client });
  }
}

/** The rules of the table, each about one request. */
const rules: Readonly<Record<string, (seen: Seen) => boolean>> = {
  'a request is sent 4 times at most': ({ requests }) => count(requests, '/mcp') <= 4,
  'all it leads to is bounded': ({ requests, asked }) => requests.length <= 30 && asked <= 2,
  'a client is registered twice at most': ({ requests }) => count(requests, '/register') <= 2,
  'what is of the caller is given back as it is': ({ step, outcome, asked }) =>
    step.server !== 'forbids' || outcome !== 403 || asked <= 1,
  'nothing is registered, asked or stored where discovery failed': ({ step, requests, asked, before, after }) =>
    !isUndiscoverable(step) ||
    (count(requests, '/register') === 0 && asked === 0 && (after === before || isRenewal(requests))),
  'a grant is deleted only where the authorization server called it invalid': ({ step, before, after }) =>
    before === undefined || after !== undefined || step.token === 'invalid_grant',
  'a failure of the authorization server loses nothing': ({ step, before, after, asked }) =>
    !['failing', 'busy', 'no JSON', 'silent', 'invalid_client'].includes(step.token) || asked > 0 || after === before,
  'what was refused by the person leaves what there was': ({ step, before, after, requests }) =>
    step.person === 'agrees' || step.token === 'invalid_grant' || after === before || isRenewal(requests),
  'nobody is asked for what is taken': ({ step, outcome, asked, before, requests }) =>
    !(outcome === 200 && before !== undefined && count(requests, '/mcp') === 1) ||
    (asked === 0 && step.server !== 'refuses all'),
  'what the authorization server gave is not asked for again when it is refused': ({ step, requests, asked }) =>
    step.server !== 'refuses all' || (asked <= 2 && count(requests, '/token') <= 3),
  'a server that wants something else than OAuth is told from one that wants it': ({ step, outcome, asked }) =>
    step.server !== 'wants Basic' || (asked === 0 && typeof outcome !== 'number'),
  'an error says why': ({ outcome }) =>
    typeof outcome === 'number' || (outcome.reason.length > 0 && !/(?:at|rt|code)\.as1/.test(outcome.message)),
  'no code that came back wrong is redeemed': ({ step, requests }) =>
    !['wrong state', 'wrong issuer', 'denies', 'goes away', 'never'].includes(step.person) || !isRedeemed(requests),
};

/** Whether what is discovered in a step is no authorization server. */
function isUndiscoverable({ resource, metadata, challenge }: Step): boolean {
  return (
    resource === 'failing' ||
    resource === 'foreign' ||
    (challenge && resource !== 'valid') ||
    (resource === 'valid' && metadata !== 'valid')
  );
}

function count(requests: readonly Exchange[], path: string): number {
  return requests.filter(({ request }) => request.url.pathname === path).length;
}

function isRenewal(requests: readonly Exchange[]): boolean {
  return requests.some(({ request }) => request.body.includes('grant_type=refresh_token'));
}

function isRedeemed(requests: readonly Exchange[]): boolean {
  return requests.some(({ request }) => request.body.includes('grant_type=authorization_code'));
}

/** Mostly the first, which is what lets a request come through. */
function mostly<Value extends string>(first: Value, ...others: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(first) }, { weight: 2, arbitrary: fc.constantFrom(...others) });
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    before: mostly<Step['before']>('nothing', 'a token expires', 'an hour passes', 'another renews', 'another deletes'),
    server: mostly<Step['server']>('takes', 'refuses all', 'refuses once', 'wants more', 'forbids', 'wants Basic'),
    challenge: fc.boolean(),
    resource: mostly<Step['resource']>('valid', 'missing', 'failing', 'foreign', 'a page'),
    metadata: mostly<Step['metadata']>('valid', 'foreign', 'without S256', 'missing', 'failing'),
    registration: mostly<Step['registration']>('takes', 'refuses', 'failing'),
    token: mostly<Step['token']>(
      'gives',
      'invalid_client',
      'invalid_grant',
      'failing',
      'busy',
      'no JSON',
      'silent',
      'gives no refresh token',
    ),
    person: mostly<Step['person']>('agrees', 'denies', 'never', 'wrong state', 'wrong issuer', 'goes away'),
  }),
  { minLength: 1, maxLength: 8 },
);

test('whatever happens, a request ends, and in a state of the table', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const play = new Play();
      await play.run(script);
      for (const seen of play.seen)
        for (const [rule, holds] of Object.entries(rules))
          assert.ok(
            holds(seen),
            `${rule}: ${JSON.stringify({ ...seen.step, outcome: String(seen.outcome), asked: seen.asked })} ${seen.requests.map(({ request }) => `${request.method} ${request.url.pathname}`).join(', ')}`,
          );
    }),
    { seed: 11, numRuns: 400 },
  );
});

test('where all is well a person signs in once, and every later request comes through by renewals', async () => {
  const well: Step = {
    before: 'a token expires',
    server: 'takes',
    challenge: true,
    resource: 'valid',
    metadata: 'valid',
    registration: 'takes',
    token: 'gives',
    person: 'agrees',
  };
  const play = new Play();
  await play.run([well, well, well, well]);
  assert.deepEqual(
    play.seen.map(({ outcome, asked }) => [outcome, asked]),
    [
      [200, 1],
      [200, 0],
      [200, 0],
      [200, 0],
    ],
  );
});
