import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../test/support/raw.ts';
import { ownerOf } from '../../auth/owner.ts';
import type { Link } from '../../host/endpoint.ts';
import type { Settings } from '../options.ts';
import { ConnectionLimit } from '../upstream/connection-limit.ts';
import type { OfPrincipal } from './entry.ts';
import { Principals } from './principals.ts';

test('whoever runs the bridge hears of sessions that end since too many people have one', async () => {
  const warnings: string[] = [];
  const bridge: OfPrincipal = {
    endpoint: {
      revisions: [],
      converse: () => assert.fail('nobody says anything'),
    } as unknown as OfPrincipal['endpoint'],
    idle: true,
    heard: () => undefined,
    standings: () => [],
    close: async () => undefined,
  };
  // Of all settings it needs these here.
  const settings = {
    revisions: [],
    onWarning: (message: string) => void warnings.push(message),
  } as unknown as Settings;
  const principals = new Principals({ settings, places: new ConnectionLimit(8, 8), open: async () => bridge });
  const ended: string[] = [];
  const enter = (principal: string): void => {
    const auth = { principal, scopes: [], claims: {} } as unknown as NonNullable<Link['auth']>;
    principals.endpoint.converse({
      lasting: true,
      send: () => undefined,
      auth,
      dismiss: () => void ended.push(principal),
    });
  };
  for (let at = 0; at < 1_000; at++) enter(`p${at}`);
  await settle();
  assert.deepEqual([ended, warnings], [[], []]);
  enter('one more');
  assert.deepEqual(ended, ['p0']);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^a session was ended to make room for another, since all 1000 places for clients/);
  await principals.close();
});

test('the principal that was used least recently gives its connection up for another, and its sessions end', async () => {
  const ended: string[] = [];
  const warnings: string[] = [];
  const settings = { revisions: [] } as unknown as Settings;
  const places = new ConnectionLimit(2, 2, (message) => warnings.push(message));
  const principals = new Principals({
    settings,
    places,
    open: async ({ principal }) => {
      const owner = ownerOf(principal, undefined);
      assert.equal(places.take(owner), undefined);
      return {
        endpoint: { revisions: [], converse: () => ({ close: () => undefined }) },
        idle: true,
        heard: () => undefined,
        standings: () => [],
        close: async () => places.giveBack(owner, Promise.resolve()),
      } as unknown as OfPrincipal;
    },
  });
  for (const principal of ['ann', 'bob']) {
    const auth = { principal, scopes: [], claims: {} } as unknown as NonNullable<Link['auth']>;
    const dismiss = (): void => void ended.push(principal);
    principals.endpoint.converse({ lasting: true, send: () => undefined, auth, dismiss });
    await settle();
  }
  assert.equal(places.take('eve'), undefined);
  await settle();
  assert.deepEqual([ended, warnings.length], [['ann'], 1]);
  assert.match(warnings[0] ?? '', /^a session was ended .* all 2 upstream connections/);
  await principals.close();
});
