/**
 * Clients by hand of small services of one process: they read slowly, break in the middle of a write, and come back too early and too often.
 */

import type { Process } from '../world.ts';
import type { GuestParts } from './raw.ts';
import { Shop, type ShopOptions, type Visit } from './shop.ts';

/** Runs all of it. */
export async function beClientOfService(process: Process, parts: GuestParts): Promise<void> {
  for (const [name, { options, clientSession }] of Object.entries(talks())) {
    const shop = new Shop(process, parts, name, options);
    await clientSession(shop).catch((error: unknown) => shop.violated(`fails: ${String(error)}`));
    await shop.close();
  }
}

interface ClientSession {
  readonly options: ShopOptions;
  clientSession(shop: Shop): Promise<void>;
}

const has = (visit: Visit, words: string): boolean => visit.text.includes(words);

function talks(): Readonly<Record<string, ClientSession>> {
  return {
    'a reader that does not read': {
      options: { http: { maxStreamBufferBytes: 2_000 } },
      /** It loses reports and gets the answer. A stream of changes is cut off, and has the rest when it comes back. */
      async clientSession(shop) {
        await shop.open();
        const slow = shop.call(0, 'pours');
        await shop.until(slow, () => slow.ids.length > 2, 'some of it');
        slow.buffered = 10_000;
        await shop.done(slow);
        const progress = [...slow.text.matchAll(/"progress":(\d+)/g)].map(([, at]) => Number(at));
        shop.expect('a slow reader is answered', has(slow, 'poured') && !slow.isCut, slow);
        shop.expect('a slow reader loses reports', progress.length > 0 && progress.length < 20, slow);
        await shop.ask('resources/subscribe', { uri: 'news://shop' });
        const changes = shop.listen(0);
        const update = (): void => shop.nodes[0]?.server.resourceUpdated('news://shop');
        update();
        await shop.until(changes, () => changes.ids.length > 0, 'the first change');
        changes.buffered = 10_000;
        update();
        await shop.until(changes, () => changes.isCut, 'being cut off');
        const again = shop.listen(0, changes.ids.at(-1));
        await shop.until(again, () => has(again, 'resources/updated'), 'the change that it missed');
        again.leave();
        const broken = shop.call(0, 'waits');
        await shop.until(broken, () => broken.ids.length > 1, 'its first words');
        broken.isBroken = true;
        shop.goOn();
        await shop.until(broken, () => broken.isCut, 'being cut off');
        shop.expect(
          'a reply that breaks has its rest',
          has(await shop.done(shop.listen(0, broken.ids.at(-1))), 'waited'),
        );
      },
    },
    'two who come back at once': {
      options: {},
      async clientSession(shop) {
        await shop.open();
        const call = shop.call(0, 'waits');
        await shop.until(call, () => call.ids.length > 1, 'its first words');
        const [first = ''] = call.ids;
        call.leave();
        shop.expect(
          'what was never sent is no place',
          (await shop.done(shop.listen(0, first.replace(/:\d+$/, ':99')))).status === 400,
        );
        const [one, other, gone] = [shop.listen(0, first), shop.listen(0, first), shop.listen(0, first)];
        gone.leave();
        await shop.sleep(10);
        shop.goOn();
        await Promise.all([one, other].map(async (visit) => await shop.done(visit)));
        shop.expect(
          'one of two has the rest',
          [one, other].filter((visit) => has(visit, 'waited')).length === 1,
          other,
        );
        await shop.done(shop.send(0, 'DELETE', undefined));
        const late = await shop.done(shop.listen(0, first));
        shop.expect('nothing of a session that ended is taken up', late.status === 404, late);
      },
    },
    'more than waits for a client': {
      options: { http: { sessionIdleTimeoutMs: 1_000, maxStreams: 1 } },
      async clientSession(shop) {
        await shop.open();
        await shop.ask('resources/subscribe', { uri: 'news://shop' });
        for (let at = 0; at < 70; at++) {
          shop.nodes[0]?.server.resourceUpdated('news://shop');
          await shop.sleep(1);
        }
        const stream = shop.listen(0);
        await shop.sleep(10);
        const heard = stream.text.split('resources/updated').length - 1;
        shop.expect(`the last that waited is told, and no more (${heard})`, heard > 0 && heard <= 64);
        shop.expect(
          'there is no room for another stream',
          (await shop.done(shop.listen(0, stream.ids[0]))).status === 503,
        );
        stream.leave();
        await shop.sleep(1_200);
        shop.expect('a session that nobody used is over', (await shop.ask('ping', {})).status === 404);
        const headers = { 'mcp-session-id': '', 'mcp-protocol-version': '' };
        shop.expect(
          'what is no JSON is refused',
          (await shop.done(shop.send(0, 'POST', '{"jsonrpc"', headers))).status === 400,
        );
      },
    },
    'no room for more': {
      options: {
        http: {
          maxSessions: 2,
          maxSessionsPerPrincipal: 1,
          maxStreamsPerPrincipal: 1,
          maxRequests: 1,
          authenticate: (request) => ({ principal: request.header('x-client') ?? 'nobody' }),
        },
      },
      async clientSession(shop) {
        const [one, other] = [{ 'x-client': 'one' }, { 'x-client': 'other' }];
        await shop.open(one);
        const call = shop.call(0, 'waits', one);
        await shop.until(call, () => call.ids.length > 1, 'its first words');
        shop.expect(
          'one stream is all that it may have',
          (await shop.done(shop.send(0, 'GET', undefined, one))).status === 429,
        );
        shop.goOn();
        await shop.done(call);
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
        const begin = async (headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
          (await shop.ask('initialize', params, { headers: { ...headers, 'mcp-session-id': '' } })).status;
        shop.expect('one session is all that it may have', (await begin(one)) === 429);
        shop.expect('another one has its own', (await begin(other)) === 200);
        const stream = shop.send(0, 'GET', undefined, one);
        await shop.sleep(10);
        shop.expect('the session that is idle makes way', (await begin({ 'x-client': 'third' })) === 200);
        shop.expect('the session that is in use stays', (await shop.ask('ping', {}, { headers: one })).status === 200);
        shop.expect('no session makes way for a client that has all of its own', (await begin(one)) === 503);
        stream.leave();
        const slow = shop.call(0, 'waits', { ...one, accept: 'application/json' });
        await shop.sleep(10);
        shop.expect('one request is all that runs', (await shop.ask('ping', {}, { headers: one })).status === 503);
        shop.goOn();
        await shop.done(slow);
      },
    },
    'batches that are left': {
      options: { revision: '2025-03-26' },
      async clientSession(shop) {
        await shop.open();
        const batch = ['x', 'y'].map((id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'waits', arguments: {} },
        }));
        const left = shop.send(0, 'POST', batch, { accept: 'application/json' });
        await shop.sleep(10);
        left.leave();
        shop.goOn();
        await shop.sleep(10);
        shop.expect('who left a batch goes on', (await shop.ask('ping', {})).status === 200);
      },
    },
    'no sessions': {
      options: {
        revision: '2025-11-25',
        server: { revisions: ['2025-11-25', '2025-06-18'] },
        http: { sessions: false },
      },
      async clientSession(shop) {
        const asks = async (headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
          (await shop.ask('ping', {}, { headers })).status;
        shop.expect('who names no revision is answered', (await asks({})) === 200);
        shop.expect('what is no revision is refused', (await asks({ 'mcp-protocol-version': '1999-01-01' })) === 400);
        shop.expect('what is not spoken is refused', (await asks({ 'mcp-protocol-version': '2025-03-26' })) === 400);
        const call = shop.call(0, 'waits', { 'mcp-protocol-version': '2025-11-25' });
        await shop.sleep(10);
        shop.nodes[0]?.server.tool('added', {}, () => 'added');
        await shop.sleep(10);
        shop.goOn();
        shop.expect('a call is answered while a list changes', has(await shop.done(call), 'waited'), call);
      },
    },
  };
}
