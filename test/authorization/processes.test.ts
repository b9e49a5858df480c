/** Several processes of one person, who share what is kept, at an authorization server that takes a refresh token once. */

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { run, start, type Ran } from '../support/cli-process.ts';
import { guardedServer, type GuardedServer } from '../support/guarded-server.ts';
import {
  authorizationServer,
  type AuthorizationServer,
  type AuthorizationServerOptions,
} from '../support/oidc-provider.ts';
import { machineWithPerson, type Machine, type PersonOptions } from '../support/page-opener.ts';

/** How long processes run beside each other where tokens end, in milliseconds; longer by the variable. */
const lastingMs = Number(process.env['PARLEY_LASTING_MS'] ?? 8_000);

interface Scene {
  readonly as: AuthorizationServer;
  readonly server: GuardedServer;
  readonly machine: Machine;
  call(...options: string[]): Promise<Ran>;
  /** Calls at once, each in a process of its own. */
  calls(count: number, ...options: string[]): Promise<readonly Ran[]>;
}

async function scene(
  t: TestContext,
  options: AuthorizationServerOptions = {},
  person: PersonOptions = {},
  calling: () => Promise<void> | undefined = () => undefined,
): Promise<Scene> {
  const as = await authorizationServer(t, options);
  const server = await guardedServer(t, as.issuer, { calling });
  const machine = await machineWithPerson(t, person);
  const call = (...words: string[]): Promise<Ran> => run(['call', ...words, server.url, 'whoami'], machine.env);
  return {
    as,
    server,
    machine,
    call,
    calls: (count, ...words) => Promise.all(Array.from({ length: count }, () => call(...words))),
  };
}

function assertGood(rans: readonly Ran[]): void {
  for (const ran of rans) assert.deepEqual([ran.code, ran.stdout], [0, 'ann\n'], ran.stderr);
}

/** The refresh tokens that came, and that none came twice. */
function assertOnce({ tokenRequests, revokedGrants }: AuthorizationServer): readonly string[] {
  const tokens = tokenRequests.flatMap(({ refreshToken }) => refreshToken ?? []);
  assert.equal(new Set(tokens).size, tokens.length, 'a refresh token came twice');
  assert.deepEqual(
    tokenRequests.filter(({ error }) => error !== undefined),
    [],
  );
  assert.equal(revokedGrants(), 0);
  return tokens;
}

describe('processes of one person', { concurrency: 3 }, () => {
  test('of processes that want a login at once one opens a page', async (t) => {
    const { as, machine, calls } = await scene(t, {}, { takesMs: 300 });
    assertGood(await calls(6, '--login', 'always'));
    assert.equal((await machine.opened()).length, 1);
    assert.deepEqual(assertOnce(as), []);
    assert.deepEqual(
      as.tokenRequests.map(({ grantType }) => grantType),
      ['authorization_code'],
    );
  });

  test('of processes whose token has ended one renews it', async (t) => {
    const { as, machine, call, calls } = await scene(t);
    assertGood([await call('--login', 'always')]);
    for (let round = 1; round <= 2; round++) {
      await machine.grantsEnd(-1000);
      assertGood(await calls(5));
      assert.equal(assertOnce(as).length, round);
    }
    assert.equal((await machine.opened()).length, 1);
  });

  test('processes go on for as long as their person likes, with tokens of five seconds', async (t) => {
    const { as, machine, call } = await scene(t, { tokenSeconds: 5 });
    assertGood([await call('--login', 'always')]);
    const until = performance.now() + lastingMs;
    const one = async (): Promise<void> => {
      while (performance.now() < until) assertGood([await call()]);
    };
    await Promise.all([one(), one(), one()]);
    assert.ok(assertOnce(as).length >= 1);
    assert.equal((await machine.opened()).length, 1);
  });

  test('a call that ends while its token is renewed loses nothing', async (t) => {
    let begun = (): void => {};
    const renewing = new Promise<void>((resolve) => (begun = resolve));
    let slowly = false;
    const answering = async ({ url }: IncomingMessage): Promise<void> => {
      if (!slowly || url !== '/token') return;
      begun();
      // Longer than the rest of the call takes.
      await setTimeout(1500);
    };
    const calling = (): Promise<void> | undefined => (slowly ? renewing : undefined);
    const { as, machine, call } = await scene(t, { answering }, {}, calling);
    assertGood([await call('--login', 'always')]);
    slowly = true;
    await machine.grantsEnd(30_000);
    assertGood([await call()]);
    slowly = false;
    await machine.grantsEnd(-1000);
    assertGood([await call()]);
    assert.equal(assertOnce(as).length, 2);
    assert.equal((await machine.opened()).length, 1);
  });

  test('a process that dies before its renewal came through takes nothing with it', async (t) => {
    let stalled: (() => void) | undefined;
    const before = ({ url }: IncomingMessage): boolean => {
      if (stalled === undefined || url !== '/token') return false;
      const tell = stalled;
      stalled = undefined;
      tell();
      // Nothing of it comes through.
      return true;
    };
    const { as, server, machine, call, calls } = await scene(t, { before });
    assertGood([await call('--login', 'always')]);
    await machine.grantsEnd(-1000);
    const stall = new Promise<void>((resolve) => (stalled = resolve));
    const dying = start(['call', server.url, 'whoami'], machine.env);
    await stall;
    const others = calls(4);
    dying.child.kill('SIGKILL');
    assertGood(await others);
    assert.equal(assertOnce(as).length, 1);
    assert.equal((await machine.opened()).length, 1);
  });

  test('a process that dies while its person signs in is taken over from', async (t) => {
    const { as, server, machine, call } = await scene(t, {}, { takesMs: 300, absentFirst: true });
    const dying = start(['login', server.url], machine.env);
    await dying.said(/http:\S+\/auth\?/);
    // It is the first whose page nobody looks at, be it ever so slow to open it.
    while ((await machine.opened()).length === 0) await setTimeout(20);
    const waiting = call('--login', 'always');
    dying.child.kill('SIGKILL');
    assertGood([await waiting]);
    assert.equal((await machine.opened()).length, 2);
    assert.deepEqual(
      as.tokenRequests.map(({ grantType }) => grantType),
      ['authorization_code'],
    );
  });
});
