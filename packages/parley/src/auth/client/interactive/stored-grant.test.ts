/** A grant in a store that other processes write too. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CredentialStore } from '../../../storage/credentials.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';
import type { Grant } from '../grant.ts';
import type { Site } from '../site.ts';
import { KeptGrant } from './stored-grant.ts';

function grantWith(accessToken: string, more: Partial<Grant> = {}): Grant {
  return {
    id: 'a',
    resource: 'https://mcp.example/mcp',
    client: 'c',
    endpoints: { issuer: 'https://as.example', token: 'https://as.example/token' },
    accessToken,
    scheme: 'Bearer',
    obtainedAt: 0,
    expiresAt: undefined,
    refreshToken: `refresh of ${accessToken}`,
    scopes: [],
    requested: [],
    identity: {},
    ...more,
  };
}

/** The grant of one server in one process. */
function keptIn(store: CredentialStore, dpop: 'auto' | 'always' = 'auto') {
  const changes: string[] = [];
  const site = { server: new URL('https://mcp.example/mcp'), options: { dpop } } as unknown as Site;
  const kept: KeptGrant = new KeptGrant(site, {
    store,
    account: undefined,
    changed: () => void changes.push('changed'),
  });
  return { kept, changes };
}

test('a grant that another process saved, renewed or deleted is seen at the next look', async () => {
  const store = memoryCredentialStore();
  const [{ kept, changes }, other] = [keptIn(store), keptIn(store)];
  await kept.ready();
  assert.deepEqual([kept.grant], [undefined]);
  for (const token of ['one', 'two']) {
    await other.kept.save(grantWith(token));
    await kept.load();
    assert.deepEqual([kept.grant?.accessToken, kept.generation], [token, other.kept.generation]);
  }
  await other.kept.forget();
  await kept.load();
  assert.deepEqual([kept.grant, kept.generation, changes.length], [undefined, undefined, 3]);
});

test('a token that is not bound takes the place of a bound one only if no binding is required', async () => {
  for (const [dpop, token] of [
    ['always', undefined],
    ['auto', 'plain'],
  ] as const) {
    const store = memoryCredentialStore();
    const { kept } = keptIn(store, dpop);
    await kept.save(grantWith('bound', { scheme: 'DPoP' }));
    await kept.load();
    assert.equal(kept.grant?.accessToken, 'bound');
    await keptIn(store).kept.save(grantWith('plain'));
    await kept.load();
    assert.equal(kept.grant?.accessToken, token);
  }
});

test('a process that ends while it saves leaves nothing, the grant before, or the new one', async () => {
  for (const before of [undefined, 'old']) {
    for (let writes = 0; writes <= 2; writes++) {
      const inner = memoryCredentialStore();
      if (before !== undefined) await keptIn(inner).kept.save(grantWith(before, { client: 'before' }));
      let left = writes;
      const store: CredentialStore = {
        ...inner,
        write: async (...given) => {
          // A store takes its time, and the next write must wait for it.
          await new Promise((resolve) => void setImmediate(resolve));
          if (left-- <= 0) throw new Error('the process ended');
          return await inner.write(...given);
        },
      };
      const saved = await keptIn(store)
        .kept.save(grantWith('new'))
        .then(
          () => true,
          () => false,
        );
      const next = keptIn(inner).kept;
      await next.load();
      assert.deepEqual([saved, next.grant?.accessToken], [writes === 2, writes === 2 ? 'new' : before]);
    }
  }
});

test('a renewed grant takes no place of a newer login, and one that cannot be stored is not used again', async () => {
  const inner = memoryCredentialStore();
  let isFull = false;
  const store: CredentialStore = {
    ...inner,
    write: async (...given) => {
      if (isFull) throw new Error('no room');
      return await inner.write(...given);
    },
  };
  const { kept } = keptIn(store);
  await kept.save(grantWith('one'));
  const over = (await kept.stored()) ?? assert.fail();
  await keptIn(inner).kept.save(grantWith('by another login'));
  assert.equal(await kept.replace(grantWith('renewed'), over), false);
  assert.equal(kept.grant?.accessToken, 'by another login');
  const current = (await kept.stored()) ?? assert.fail();
  isFull = true;
  await assert.rejects(kept.replace(grantWith('renewed'), current), { reason: 'grant-lost', message: /no room/ });
  assert.equal(await kept.stored(), undefined);
  isFull = false;
  assert.equal(await kept.replace(grantWith('renewed'), current), true);
  assert.equal((await kept.stored())?.grant.accessToken, 'renewed');
});

test('a grant is looked for once, again after a failure, and not after a login', async () => {
  const inner = memoryCredentialStore();
  let reads = 0;
  let isAway = true;
  const store: CredentialStore = {
    ...inner,
    read: async (key) => {
      reads++;
      if (isAway) throw new Error('away');
      return await inner.read(key);
    },
  };
  const { kept } = keptIn(store);
  await assert.rejects(async () => await kept.ready(), /away/);
  isAway = false;
  reads = 0;
  const looks = [kept.ready(), kept.ready()];
  await Promise.all(looks.map(async (look) => await look));
  assert.deepEqual([looks.every((look) => look !== undefined), kept.ready(), reads], [true, undefined, 1]);
  const late = keptIn(store).kept;
  await Promise.all([late.ready() ?? assert.fail(), late.save(grantWith('one'))]);
  assert.deepEqual([late.ready(), late.grant?.accessToken], [undefined, 'one']);
});

test('a lost grant is deleted, and not used again if the store refuses', async () => {
  for (const isFull of [false, true]) {
    const inner = memoryCredentialStore();
    const store: CredentialStore = {
      ...inner,
      write: async (key, text, options) => {
        if (isFull && text === undefined) throw new Error('read-only');
        return await inner.write(key, text, options);
      },
    };
    const { kept } = keptIn(store);
    await kept.save(grantWith('one'));
    await kept.lose((await kept.stored()) ?? assert.fail());
    assert.deepEqual([kept.grant, await kept.stored()], [undefined, undefined]);
    assert.equal((await keptIn(inner).kept.stored())?.grant.accessToken, isFull ? 'one' : undefined);
  }
});

test('a grant that was lost elsewhere leaves that of another client in use', async () => {
  const { kept } = keptIn(memoryCredentialStore());
  await kept.save(grantWith('one'));
  kept.adoptAt(kept.keyOf(grantWith('two', { client: 'other' })), undefined, undefined);
  assert.equal(kept.grant?.accessToken, 'one');
  kept.adoptAt(kept.keyOf(grantWith('two')), grantWith('two'), '7');
  assert.deepEqual([kept.grant?.accessToken, kept.generation], ['two', '7']);
});

test('a logout deletes every entry before it ends', async () => {
  const inner = memoryCredentialStore();
  const store: CredentialStore = {
    ...inner,
    write: async (...given) => {
      await new Promise((resolve) => void setImmediate(resolve));
      return await inner.write(...given);
    },
  };
  const { kept } = keptIn(store);
  await kept.save(grantWith('one'));
  // Another process signed in by another client meanwhile.
  await keptIn(store).kept.save(grantWith('two', { client: 'other' }));
  await kept.forget();
  assert.deepEqual([kept.grant, await inner.keys('grant'), await inner.keys('server')], [undefined, [], []]);
  await kept.forget();
});

test('a damaged entry of a server is no grant', async () => {
  const store = memoryCredentialStore();
  const { kept } = keptIn(store);
  const whole = { issuer: 'https://as.example', resource: 'https://mcp.example/mcp', client: 'c' };
  for (const text of ['no JSON', '7', ...Object.keys(whole).map((key) => JSON.stringify({ ...whole, [key]: 7 }))]) {
    await store.write(kept.serverKey, text);
    assert.equal(await kept.keptKey(), undefined);
  }
  await store.write(kept.serverKey, JSON.stringify(whole));
  assert.deepEqual([await kept.keptKey(), await kept.stored()], [kept.key(whole), undefined]);
});
