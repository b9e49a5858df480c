import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CredentialKey, CredentialStore } from '../../packages/parley/src/storage/credentials.ts';

/** Two stores that share what they keep, as those of two processes or of two pages do. */
export interface SharedStores {
  readonly one: CredentialStore;
  readonly other: CredentialStore;
  close(): Promise<void>;
}

const grant: CredentialKey = { kind: 'grant', issuer: 'https://as.example', resource: 'https://mcp.example/mcp' };

/** The tests that every store of credentials passes. */
export function credentialStoreContract(name: string, open: () => Promise<SharedStores>): void {
  const check = (title: string, run: (stores: SharedStores) => Promise<void>): void => {
    test(`${name}: ${title}`, async () => {
      const stores = await open();
      try {
        await run(stores);
      } finally {
        await stores.close();
      }
    });
  };

  check('what was written is read by everybody, and nothing is before', async ({ one, other }) => {
    assert.equal(await other.read(grant), undefined);
    assert.equal(await one.write(grant, 'a "text"\n\u{1f511}'), true);
    assert.equal((await other.read(grant))?.text, 'a "text"\n\u{1f511}');
  });

  check('keys that differ in one part keep different texts', async ({ one }) => {
    const keys: readonly CredentialKey[] = [
      grant,
      { ...grant, kind: 'client' },
      { ...grant, issuer: 'https://as.example/' },
      { ...grant, resource: 'https://mcp.example/mcp/' },
      { ...grant, resource: undefined },
      { ...grant, account: 'work' },
      { ...grant, principal: 'work' },
      { ...grant, client: 'work' },
    ];
    for (const [at, key] of keys.entries()) await one.write(key, String(at));
    const read = await Promise.all(keys.map(async (key) => (await one.read(key))?.text));
    assert.deepEqual(
      read,
      keys.map((_, at) => String(at)),
    );
  });

  check('a write that expects another generation changes nothing', async ({ one, other }) => {
    await one.write(grant, 'first');
    const seen = (await other.read(grant))?.generation;
    assert.equal(await one.write(grant, 'second', { ifGeneration: seen }), true);
    assert.equal(await other.write(grant, 'third', { ifGeneration: seen }), false);
    assert.equal(await other.write(grant, undefined, { ifGeneration: seen }), false);
    assert.equal(await other.write(grant, 'third', { ifGeneration: null }), false);
    assert.equal((await other.read(grant))?.text, 'second');
  });

  check('a write that expects nothing succeeds once', async ({ one, other }) => {
    const written = await Promise.all([
      one.write(grant, 'mine', { ifGeneration: null }),
      other.write(grant, 'theirs', { ifGeneration: null }),
    ]);
    assert.notEqual(written[0], written[1]);
    assert.equal((await one.read(grant))?.text, written[0] ? 'mine' : 'theirs');
  });

  check('the same text written again is another generation, also after a deletion', async ({ one }) => {
    const generations: (string | undefined)[] = [];
    for (const text of ['same', 'same', undefined, 'same']) {
      await one.write(grant, text);
      generations.push((await one.read(grant))?.generation);
    }
    assert.equal(new Set(generations).size, 4);
  });

  check('what was deleted is gone, and deleting it again is fine', async ({ one, other }) => {
    await one.write(grant, 'a');
    assert.equal(await other.write(grant, undefined), true);
    assert.equal(await other.write(grant, undefined), true);
    assert.equal(await one.read(grant), undefined);
    assert.deepEqual(await one.keys('grant'), []);
  });

  check('of many who count up by comparing none is lost', async ({ one, other }) => {
    await one.write(grant, '0');
    const countUp = async (store: CredentialStore): Promise<void> => {
      for (let done = 0; done < 10;) {
        const there = await store.read(grant);
        assert.ok(there);
        const next = String(Number(there.text) + 1);
        if (await store.write(grant, next, { ifGeneration: there.generation })) done++;
      }
    };
    await Promise.all([countUp(one), countUp(other), countUp(one)]);
    assert.equal((await other.read(grant))?.text, '30');
  });

  check('keys lists those of one kind', async ({ one, other }) => {
    const client: CredentialKey = { kind: 'client', issuer: 'https://as.example' };
    await one.write(grant, 'a');
    await one.write(client, 'b');
    await one.write({ ...grant, account: 'x' }, 'c');
    const found = await other.keys('grant');
    const { issuer, resource } = grant;
    const shown = found.map(({ kind, issuer, resource, account }) =>
      [kind, issuer, resource, account ?? 'none'].join(' '),
    );
    assert.deepEqual(new Set(shown), new Set([`grant ${issuer} ${resource} none`, `grant ${issuer} ${resource} x`]));
    assert.equal(found.length, 2);
  });

  check('a lock is held by one at a time, and those of other keys at once', async ({ one, other }) => {
    let inside = 0;
    const enter = async (store: CredentialStore): Promise<void> => {
      await store.lock(grant, async () => {
        assert.equal(++inside, 1);
        await store.lock({ ...grant, kind: 'client' }, async () => {});
        inside--;
      });
    };
    await Promise.all([enter(one), enter(other), enter(one), enter(other)]);
  });

  check('a lock gives what was run, and lets go after a failure', async ({ one, other }) => {
    await assert.rejects(
      one.lock(grant, async () => {
        throw new Error('inside');
      }),
      /inside/,
    );
    assert.equal(await other.lock(grant, async () => 'given'), 'given');
  });

  check('who gives up waiting for a lock gets the reason, and nobody else is hurt', async ({ one, other }) => {
    const order: string[] = [];
    const gaveUp = new AbortController();
    let letGo = (): void => {};
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const held = one.lock(grant, () => {
      entered();
      return new Promise<void>((resolve) => (letGo = resolve));
    });
    await inside;
    const waits = other.lock(grant, async () => void order.push('waited'), gaveUp.signal);
    gaveUp.abort(new Error('enough'));
    await assert.rejects(waits, /enough/);
    const next = other.lock(grant, async () => void order.push('next'));
    letGo();
    await Promise.all([held, next]);
    assert.deepEqual(order, ['next']);
  });

  check('who watches hears of a write of another, where the store can tell', async ({ one, other }) => {
    if (one.watch === undefined) return;
    let heard = (): void => {};
    const told = new Promise<void>((resolve) => (heard = resolve));
    const stop = one.watch(grant, heard);
    await other.write(grant, 'a');
    await told;
    stop();
  });
}
