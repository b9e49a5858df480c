import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { initializeParams, Raw, settle } from '../../../../../test/support/raw.ts';
import { ownerOf } from '../../auth/common/owner.ts';
import type { ReplyChannel } from '../../server/runtime/request-handler.ts';
import { revisionOf } from '../../protocol/revision.ts';
import type { Settings } from '../options.ts';
import { ConnectionLimit } from '../upstream/connection-limit.ts';
import type { OfPrincipal } from './entry.ts';
import { Principals } from './principals.ts';

test('whoever runs the bridge hears of sessions that end since too many people have one', async () => {
  const warnings: string[] = [];
  const bridge: OfPrincipal = {
    endpoint: {
      revisions: [],
      openConnection: () => assert.fail('nobody says anything'),
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
    const auth = { principal, scopes: [], claims: {} } as unknown as NonNullable<ReplyChannel['auth']>;
    principals.endpoint.openConnection({
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
        endpoint: { revisions: [], openConnection: () => ({ close: () => undefined }) },
        idle: true,
        heard: () => undefined,
        standings: () => [],
        close: async () => places.giveBack(owner, Promise.resolve()),
      } as unknown as OfPrincipal;
    },
  });
  for (const principal of ['ann', 'bob']) {
    const auth = { principal, scopes: [], claims: {} } as unknown as NonNullable<ReplyChannel['auth']>;
    const dismiss = (): void => void ended.push(principal);
    principals.endpoint.openConnection({ lasting: true, send: () => undefined, auth, dismiss });
    await settle();
  }
  assert.equal(places.take('eve'), undefined);
  await settle();
  assert.deepEqual([ended, warnings.length], [['ann'], 1]);
  assert.match(warnings[0] ?? '', /^a session was ended .* all 2 upstream connections/);
  await principals.close();
});

interface People {
  readonly principals: Principals;
  readonly places: ConnectionLimit;
  /** What happened, in order. */
  readonly events: string[];
  /** Lets the bridges that are closed be so. */
  closed(): void;
  enter(principal: string): Promise<void>;
}

/** Principals whose bridges take a while to close. Everybody but `nobody` has a connection. */
function people(ownLimit = 8): People {
  const events: string[] = [];
  const places = new ConnectionLimit(8, ownLimit, (message) => events.push(message));
  let closed: () => void = () => undefined;
  const closing = new Promise<void>((resolve) => (closed = resolve));
  const settings = { revisions: ['2025-11-25'], info: { name: 'b', version: '1' }, onWarning: () => undefined };
  const principals = new Principals({
    settings: settings as unknown as Settings,
    places,
    open: async ({ principal }) => {
      if (principal !== 'nobody') assert.equal(places.take(ownerOf(principal, undefined)), undefined);
      return {
        endpoint: {
          revisions: [],
          openConnection: () => ({ close: () => undefined }),
          headerParameters: () => [principal],
        },
        idle: true,
        heard: () => undefined,
        standings: () => [principal],
        close: async () => {
          events.push(`closes ${principal}`);
          places.giveBack(ownerOf(principal, undefined), closing);
          await closing;
        },
      } as unknown as OfPrincipal;
    },
  });
  const enter = async (principal: string): Promise<void> => {
    const auth = { principal, scopes: [], claims: {} } as unknown as NonNullable<ReplyChannel['auth']>;
    const dismiss = (): void => void events.push(`ends ${principal}`);
    principals.endpoint.openConnection({ lasting: true, send: () => undefined, auth, dismiss });
    await settle();
  };
  return { principals, places, events, closed, enter };
}

for (const how of ['end', 'close'] as const)
  test(`to ${how} a bridge waits until it is closed, and begins anew only after end`, async () => {
    const { principals, events, closed, enter } = people();
    await enter('ann');
    assert.deepEqual([principals.standings('ann'), principals.standings('bob')], [['ann'], []]);
    let isOver = false;
    const over = (how === 'end' ? principals.end('ann') : principals.close()).then(() => (isOver = true));
    await settle();
    assert.equal(isOver, false);
    assert.deepEqual(events, how === 'end' ? ['ends ann', 'closes ann'] : ['closes ann']);
    assert.deepEqual(principals.standings('ann'), []);
    closed();
    await over;
    await enter('ann');
    assert.deepEqual(principals.standings('ann'), how === 'end' ? ['ann'] : []);
    await principals.close();
  });

test('a client that needs another connection ends its own sessions, not those of others', async () => {
  const { principals, places, events, closed, enter } = people(1);
  for (const principal of ['nobody', 'ann', 'bob']) await enter(principal);
  assert.equal(places.take(ownerOf('bob', undefined)), undefined);
  await settle();
  assert.deepEqual(events.slice(0, 1), ['ends bob']);
  assert.match(events[1] ?? '', /the 1 upstream connections of one principal.*maxUpstreamsPerClient/);
  assert.deepEqual(events.slice(2), ['closes bob']);
  closed();
  await principals.close();
  assert.equal(places.holds(ownerOf('ann', undefined)), false);
});

test('header parameters are those that the bridge of a principal knows', async () => {
  const { principals, enter, closed } = people();
  await enter('ann');
  const auth = { principal: 'ann', scopes: [], claims: {} } as unknown as NonNullable<ReplyChannel['auth']>;
  assert.deepEqual(principals.endpoint.headerParameters('any', auth), ['ann']);
  assert.deepEqual(principals.endpoint.headerParameters('any', undefined), []);
  closed();
  await principals.close();
});

/** Principals whose bridges are opened by a function. */
function opened(t: TestContext, open: (principal: string) => Promise<OfPrincipal>) {
  const places = new ConnectionLimit(8, 8);
  const left = t.mock.method(places, 'leave');
  const settings = {
    revisions: [revisionOf('2025-11-25')],
    info: { name: 'b', version: '1' },
    onWarning: () => undefined,
    onError: () => undefined,
  };
  const principals = new Principals({
    settings: settings as unknown as Settings,
    places,
    open: async ({ principal }) => await open(principal),
  });
  /** What `initialize` of a client is answered. */
  const answered = async (principal?: string): Promise<unknown> => {
    const auth = principal === undefined ? {} : { auth: { principal, scopes: [], claims: {} } as never };
    const raw = new Raw(principals, false, auth);
    const response = await raw.ask('initialize', initializeParams('2025-11-25'));
    return (response['error'] as { message: string } | undefined)?.message;
  };
  return { principals, answered, left };
}

/** A bridge that answers everything, or is never idle. */
function bridgeOf(idle = true): OfPrincipal {
  return {
    endpoint: {
      revisions: [],
      openConnection: () => ({
        take: async ({ message }: { message: { id: number } }) => ({ jsonrpc: '2.0', id: message.id, result: {} }),
        receive: async ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, result: {} }),
        close: () => undefined,
      }),
    },
    idle,
    heard: () => undefined,
    standings: () => ['opened'],
    close: async () => undefined,
  } as unknown as OfPrincipal;
}

test('a client without a name, one too many, and one after the end are told why they are refused', async (t) => {
  const { principals, answered, left } = opened(t, async () => bridgeOf(false));
  assert.equal(await answered(), 'this bridge serves only authenticated callers');
  for (let at = 0; at < 1_000; at++) {
    const auth = { principal: `p${at}`, scopes: [], claims: {} } as unknown as NonNullable<ReplyChannel['auth']>;
    principals.endpoint.openConnection({ lasting: true, send: () => undefined, auth });
  }
  await settle();
  const tooMany = 'the bridge has too many clients now; try again later';
  assert.equal(await answered('one more'), tooMany);
  assert.equal(await answered('p7'), undefined);
  assert.equal(left.mock.callCount(), 0);
  await principals.close();
  assert.equal(left.mock.callCount(), 1);
  assert.equal(await answered('p7'), tooMany);
});

test('a client has one bridge, which is opened anew if that failed', async (t) => {
  const openings: { resolve: (bridge: OfPrincipal) => void; reject: (error: Error) => void }[] = [];
  const { principals, answered } = opened(
    t,
    () => new Promise((resolve, reject) => void openings.push({ resolve, reject })),
  );
  const failed = [answered('ann'), answered('ann')];
  await settle();
  assert.equal(openings.length, 1);
  openings[0]?.reject(new Error('not now'));
  await Promise.all(failed);
  const first = answered('ann');
  await settle();
  assert.equal(openings.length, 2);
  // What is ended before it is there, and fails then, leaves alone what was opened after it.
  const ended = principals.end('ann');
  const unknown = principals.end('unknown');
  const second = answered('ann');
  await settle();
  assert.equal(openings.length, 3);
  openings[1]?.reject(new Error('given up'));
  await Promise.all([first, ended, unknown]);
  openings[2]?.resolve(bridgeOf());
  assert.equal(await second, undefined);
  assert.deepEqual(principals.standings('ann'), ['opened']);
  await principals.close();
});
