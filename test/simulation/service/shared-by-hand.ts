/**
 * Clients by hand of small services of two processes that share a store: their streams move between the two while one of them dies, ends, is fenced, or cannot
 * keep what it says, and the store and its bus fail at that very moment.
 */

import type { Process } from '../world.ts';
import type { GuestParts } from './raw.ts';
import { isAway, isFull, Shop, type ShopOptions, type Visit } from './shop.ts';

/** Runs all of it. */
export async function beClientOfTwo(process: Process, parts: GuestParts): Promise<void> {
  for (const [name, clientSession] of Object.entries(talks)) {
    const shop = new Shop(process, parts, name, { nodes: 2, ...options[name] });
    await clientSession(shop).catch((error: unknown) => shop.violated(`fails: ${String(error)}`));
    await shop.close();
  }
}

const options: Readonly<Record<string, ShopOptions>> = {
  'more than may wait to be kept': { http: { maxStreamBufferBytes: 2_000 } },
  'no room for a copy': { http: { maxSessions: 1 } },
};

const has = (visit: Visit, words: string): boolean => visit.text.includes(words);

/** How many streams that could not be kept are remembered. */
const unkept = 64;

/** A call at the first process that has said something, and its first place. */
async function begun(shop: Shop): Promise<{ readonly call: Visit; readonly first: string }> {
  const call = shop.call(0, 'waits');
  await shop.until(call, () => has(call, '"progress":1'), 'its first words');
  return { call, first: call.ids[0] ?? '' };
}

const talks: Readonly<Record<string, (shop: Shop) => Promise<void>>> = {
  /** Whoever comes back for what could not be kept hears that, at its process and at another, before its end and after it. */
  async 'streams that cannot be kept'(shop) {
    await shop.open();
    const { before } = shop.nodes[0]!;
    const full = async (): Promise<void> => {
      const { call, first } = await begun(shop);
      before.set('append', isFull);
      shop.goOn();
      await shop.done(call);
      before.delete('append');
      shop.expect('what cannot be kept is told', has(call, 'waited'), call);
      shop.expect('it is not known here', (await shop.done(shop.listen(0, first))).status === 400);
      const other = await shop.done(shop.listen(1, first));
      shop.expect('it is not known there', has(other, '"error"') && !has(other, '"progress":2'), other);
    };
    await full();
    // Nor is it while the call goes on.
    const { call, first } = await begun(shop);
    before.set('append', isFull);
    const other = shop.call(0, 'waits');
    await shop.sleep(10);
    shop.goOn();
    await shop.done(call);
    before.delete('append');
    await shop.done(other);
    shop.expect('a stream that begins without a place is told', has(other, 'waited'), other);
    shop.expect('a stream that ended is not known', has(await shop.done(shop.listen(1, first)), '"error"'));
    before.set('append', isFull);
    for (let at = 0; at <= unkept; at++) await shop.done(shop.call(0, 'says'));
    before.delete('append');
    await full();
  },

  async 'more than may wait to be kept'(shop) {
    await shop.open();
    const { before } = shop.nodes[0]!;
    before.set('append', async () => await shop.sleep(1_500));
    const call = shop.call(0, 'pours');
    await shop.done(call);
    before.delete('append');
    shop.expect('what waits for too long is told without a place', has(call, 'poured') && call.ids.length < 21, call);
  },

  /** A reader at another process, whose writer cannot be asked, is answered by a third way. */
  async 'readers that ask'(shop) {
    await shop.open();
    const [one, other] = shop.nodes as [(typeof shop.nodes)[0], (typeof shop.nodes)[0]];
    const { call, first } = await begun(shop);
    call.leave();
    // The bus fails when the writer is to be asked.
    other.before.set('publish', isAway);
    shop.expect('who cannot ask says no more', !has(await shop.done(shop.listen(1, first)), 'waited'));
    other.before.delete('publish');
    const read = shop.listen(1, first);
    await shop.until(read, () => has(read, '"progress":1'), 'what it missed');
    // It comes back to the writer, and the process where it was is not told.
    one.before.set('publish', isAway);
    const back = shop.listen(0, first);
    await shop.sleep(100);
    one.before.delete('publish');
    await shop.done(read);
    shop.expect('where nobody reads any more it ends', !has(read, 'waited'), read);
    // What it reads now cannot be kept while it reads.
    const again = shop.listen(1, first);
    await shop.until(again, () => has(again, '"progress":1'), 'what it missed');
    one.before.set('append', isFull);
    shop.goOn();
    await shop.done(again);
    one.before.delete('append');
    shop.expect('who reads hears that it is not kept', has(again, '"error"') && !has(again, 'waited'), again);
    back.leave();
  },

  /** A writer that is fenced says no more, and who takes its place says so once, if it can. */
  async 'writers that are gone'(shop) {
    await shop.open();
    const [one, other] = shop.nodes as [(typeof shop.nodes)[0], (typeof shop.nodes)[0]];
    for (const fails of [false, true]) {
      const { call, first } = await begun(shop);
      call.leave();
      // It does not hear that it is asked for.
      other.before.set('publish', (channel) => {
        if (String(channel).startsWith('process')) isAway();
      });
      await shop.done(shop.listen(1, first));
      other.before.delete('publish');
      one.before.set('publish', () => new Promise<void>(() => undefined));
      if (fails) other.before.set('append', isAway);
      const read = shop.listen(1, first);
      await shop.done(read);
      one.before.delete('publish');
      other.before.delete('append');
      shop.expect('who took its place says so', fails || has(read, '"error"'), read);
      shop.goOn();
      await shop.sleep(100);
      shop.expect('a fenced writer says nothing', !has(call, 'waited'));
    }
  },

  /** The stream for what belongs to no request moves: twice at once, to who has gone meanwhile, and where it has ended or is not kept any more. */
  async 'streams that move'(shop) {
    const session = await shop.open();
    const [, other] = shop.nodes as [(typeof shop.nodes)[0], (typeof shop.nodes)[0]];
    await shop.ask('resources/subscribe', { uri: 'news://shop' });
    let node = 0;
    const news = async (stream: Visit): Promise<string> => {
      shop.nodes[node]?.server.resourceUpdated('news://shop');
      await shop.until(stream, () => stream.ids.length > 0, 'news');
      return stream.ids.at(-1) ?? '';
    };
    const first = shop.listen(0);
    const id = await news(first);
    first.leave();
    await shop.sleep(100);
    other.before.set('write', async () => await shop.sleep(200));
    const both = [shop.listen(1, id), shop.listen(1, id)];
    await shop.sleep(1_000);
    shop.expect(
      'one of two has the stream',
      both.filter(({ isOver, status }) => status === 200 && !isOver).length === 1,
    );
    for (const one of both) one.leave();
    await shop.sleep(100);
    const left = shop.listen(1, id);
    await shop.sleep(50);
    left.leave();
    await shop.sleep(500);
    other.before.delete('write');
    // It begins anew, and what it was is not kept, or has ended, when it is to move.
    for (const befall of ['clear', 'end'] as const) {
      const last = shop.listen(0);
      await shop.sleep(100);
      node = 0;
      const place = await news(last);
      last.leave();
      await shop.sleep(100);
      other.before.set('write', async (stream) => {
        const log = shop.store.events.open(session);
        if (befall === 'clear') await log.clear();
        else await (await log.write(String(stream), 'about')).append('', true);
      });
      const moved = await shop.until(shop.listen(1, place), () => true, 'an answer');
      await shop.sleep(300);
      other.before.delete('write');
      shop.expect(`what was lost (${befall}) is not gone on with`, moved.status === 400, moved);
      moved.leave();
    }
  },

  /** What is told to all processes has its limits, and an answer that cannot be passed on is told to who runs the service. */
  async 'words between processes'(shop) {
    await shop.open();
    const [, other] = shop.nodes as [(typeof shop.nodes)[0], (typeof shop.nodes)[0]];
    const asks = shop.call(0, 'asks');
    await shop.until(asks, () => has(asks, 'createMessage'), 'a question');
    const id = /"id":"([0-9a-f]+-\d+-\d+)"/.exec(asks.text)?.[1] ?? '';
    const result = { role: 'assistant', model: 'm', content: { type: 'text', text: 'me' } };
    for (const strange of [5, id.replace(/-\d+-/, '-99-')])
      for (const node of [0, 1])
        shop.expect(
          'an answer to nothing is taken',
          (await shop.done(shop.send(node, 'POST', { id: strange, result }))).status === 202,
        );
    const status = { taskId: 'x', status: 'working', statusMessage: '.'.repeat(300_000) };
    const told = { method: 'notifications/tasks/status', params: status };
    shop.expect('what is too long is taken', (await shop.done(shop.send(1, 'POST', told))).status === 202);
    other.before.set('publish', isAway);
    shop.expect('an answer is taken', (await shop.done(shop.send(1, 'POST', { id, result }))).status === 202);
    await shop.sleep(6_000);
    other.before.delete('publish');
    shop.expect('an answer is taken again', (await shop.done(shop.send(1, 'POST', { id, result }))).status === 202);
    shop.expect('it is answered', has(await shop.done(asks), 'asked'), asks);
    // Who goes while its session is being looked up has no stream.
    other.before.set('records.get', async () => await shop.sleep(100));
    const gone = shop.listen(1);
    gone.leave();
    await shop.sleep(500);
    other.before.delete('records.get');
    // A reader ends with its process, and the writer goes on.
    const { call, first } = await begun(shop);
    call.leave();
    const read = shop.listen(1, first);
    await shop.until(read, () => has(read, '"progress":1'), 'what it missed');
    await other.handler.close({ drainTimeoutMs: 0 });
    shop.goOn();
    await shop.sleep(1_000);
    shop.expect('it has the rest at its writer', has(await shop.done(shop.listen(0, first)), 'waited'));
  },

  /** A process whose place is taken by a session in use has none for another one, and says no more than that. */
  async 'no room for a copy'(shop) {
    await shop.open();
    const stream = shop.listen(1);
    await shop.sleep(100);
    shop.session = undefined;
    await shop.open();
    shop.expect('another session has a place here', (await shop.ask('ping', {})).status === 200);
    const there = await shop.ask('ping', {}, { node: 1 });
    shop.expect('it has none there', there.status === 503, there);
    stream.leave();
    await shop.sleep(100);
    shop.expect('it has when there is room', (await shop.ask('ping', {}, { node: 1 })).status === 200);
  },
};
