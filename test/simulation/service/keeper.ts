/**
 * Somebody who uses the store of a service as its processes do, by two connections at once, and up to its limits: what it finds there is held against what it
 * was told is kept.
 */

import { maxBusTextLength, type Bus } from '../../../packages/parley/src/storage/bus.ts';
import { memoryEvents } from '../../../packages/parley/src/storage/events.ts';
import { busOfLongTexts } from '../../../packages/parley/src/storage/long-texts.ts';
import { memoryStore } from '../../../packages/parley/src/storage/memory/store.ts';
import { maxRecordLength, type Records } from '../../../packages/parley/src/storage/records.ts';
import { StoreError, type Store } from '../../../packages/parley/src/storage/store.ts';
import type { StreamLog, StreamWriter } from '../../../packages/parley/src/storage/stream-log.ts';
import { Turns } from '../../../packages/parley/src/storage/turns.ts';
import type { Process, World } from '../world.ts';
import { chance } from './chance.ts';
import type { Judge } from './judge.ts';
import type { Plan } from './plan.ts';
import { SharedStore } from './shared-store.ts';

/** Where a keeper is. */
export interface KeeperParts {
  readonly world: World;
  readonly plan: Plan;
  readonly judge: Judge;
}

/** How long a record lasts that is not to be over meanwhile, and one that is, in milliseconds. */
const longMs = 600_000;
const shortMs = 5_000;

/** Runs one to its end. */
export async function beKeeper(process: Process, parts: KeeperParts): Promise<void> {
  const keeper = new Keeper(process, parts);
  const { plan, world } = parts;
  const [little, roomy] = (['full store', 'plain'] as const).map(
    (service) => new SharedStore(world, { ...plan, service }, parts.judge),
  ) as [SharedStore, SharedStore];
  // It is away for longer than anybody waits.
  if (chance(plan.seed, 'keeper', 'away') < 0.3) world.later(400, undefined, () => little.away(2_500));
  const [one, other] = [little.of(process), little.of(process)];
  await keeper.records([one.records, other.records]);
  await keeper.streams([one, other]);
  await keeper.crowds(one);
  await keeper.texts(roomy.of(process), roomy.of(process));
  await keeper.limits(roomy.of(process));
  await keeper.alone();
  await keeper.events();
  await keeper.turns();
}

/** What came of asking a store: what it said, or why it did not. */
type Said<T> = { readonly is: T } | { readonly failed: StoreError['reason'] };

interface KnownRecord {
  readonly text: string;
  readonly version: number;
}

class Keeper {
  readonly #process: Process;
  readonly #parts: KeeperParts;
  #draws = 0;

  constructor(process: Process, parts: KeeperParts) {
    this.#process = process;
    this.#parts = parts;
  }

  /** Each key is what was written last, whichever connection wrote it, or nothing. */
  async records(stores: readonly [Records, Records]): Promise<void> {
    const known = new Map<string, KnownRecord>();
    let last = 0;
    for (let step = 0; step < 40; step++) {
      const records = stores[step % 2] ?? stores[0];
      const key = `key ${this.#whole(3)}`;
      const before = known.get(key);
      const text = '.'.repeat([5, 900, 2_500][this.#whole(3)] ?? 0) + String(step);
      const kind = this.#whole(6);
      if (kind === 0) {
        const added = await this.#ask(() => records.add(key, text, longMs));
        const now = await this.#ask(() => records.get(key));
        if ('is' in added && added.is !== (before === undefined)) this.#violated(`adds ${key}: ${added.is}`);
        if ('is' in added && added.is && 'is' in now) known.set(key, { text, version: now.is?.version ?? 0 });
        else if ('is' in added && added.is) known.set(key, { text, version: Number.NaN });
      } else if (kind === 1) {
        const version = [undefined, before?.version, last + 9][this.#whole(3)];
        const put = await this.#ask(() => records.put(key, text, longMs, version));
        if (!('is' in put)) continue;
        const isWanted = version === undefined || version === (before?.version ?? 0);
        if ((put.is !== undefined) !== isWanted) this.#violated(`puts ${key} at ${version}: ${put.is}`);
        if (put.is === undefined) continue;
        if (put.is <= last) this.#violated(`puts ${key} as ${put.is} after ${last}`);
        last = put.is;
        known.set(key, { text, version: put.is });
      } else if (kind === 2) {
        const touched = await this.#ask(() => records.touch(key, longMs / 2));
        if ('is' in touched && touched.is !== (before !== undefined)) this.#violated(`touches ${key}: ${touched.is}`);
      } else if (kind === 3) {
        if ('is' in (await this.#ask(() => records.delete(key)))) known.delete(key);
      } else await this.#finds(records, key, before);
    }
    await this.#ends(stores[0]);
  }

  async #finds(records: Records, key: string, wanted: KnownRecord | undefined): Promise<void> {
    const found = await this.#ask(() => records.get(key));
    if (!('is' in found)) return;
    const isSame = found.is?.text === wanted?.text;
    const isVersion = Number.isNaN(wanted?.version) || found.is?.version === wanted?.version;
    if (!isSame || !isVersion) this.#violated(`finds ${found.is?.version} and not ${wanted?.version} at ${key}`);
  }

  /** What is to last shortly is over then, also where it was to last longer before; what is too large is never kept. */
  async #ends(records: Records): Promise<void> {
    const kept = await this.#ask(() => records.put('short', 'x', longMs));
    const touched = await this.#ask(() => records.touch('short', shortMs));
    await this.#sleep(shortMs + 2_000);
    const found = await this.#ask(() => records.get('short'));
    if ('is' in kept && 'is' in touched && touched.is && 'is' in found && found.is !== undefined)
      this.#violated('finds what was over');
    const large = await this.#ask(() => records.put('large', '.'.repeat(maxRecordLength + 1), longMs));
    if ('is' in large) this.#violated('keeps what is too large');
  }

  /** A stream has one writer, who came last; what is read of it has no gap. */
  async streams([one, other]: readonly [Store, Store]): Promise<void> {
    const [mine, theirs] = [one.events.open('session'), other.events.open('session')];
    for (let stream = 0; stream < 4; stream++) {
      const name = `stream ${stream}`;
      const first = await this.#ask(() => mine.write(name, 'about'));
      if (!('is' in first)) continue;
      const kept = await this.#appends(first.is, name, 1 + this.#whole(5), this.#whole(2) * 1_200);
      await this.#reads(theirs, name, kept);
      const second = await this.#ask(() => theirs.write(name, 'about'));
      if (!('is' in second)) continue;
      const late = await this.#ask(() => first.is.append('late'));
      if ('is' in late) this.#violated(`appends to ${name} which is somebody else's`);
      const ended = await this.#ask(() => second.is.append('last', true));
      if (!('is' in ended)) continue;
      if (ended.is !== kept + 1) this.#violated(`appends ${ended.is} to ${name} after ${kept}`);
      const third = await this.#ask(() => mine.write(name, 'about'));
      const more = await this.#ask(() => second.is.append('more'));
      if ('is' in third || 'is' in more) this.#violated(`writes to ${name}, which has ended`);
    }
    const large = await this.#ask(() => mine.write('large', '.'.repeat(70_000)));
    if ('is' in large) this.#violated('begins a stream about too much');
    const before = await this.#ask(() => theirs.write('open', 'about'));
    await this.#ask(() => ('is' in before ? before.is.append('one') : undefined));
    const cleared = await this.#ask(() => mine.clear());
    if (!('is' in cleared)) return;
    const after = 'is' in before ? await this.#ask(() => before.is.append('two')) : undefined;
    if (after !== undefined && 'is' in after) this.#violated('appends to a session that is over');
  }

  async #appends(writer: StreamWriter, name: string, count: number, length: number): Promise<number> {
    let last = 0;
    for (let at = 1; at <= count; at++) {
      const said = await this.#ask(() => writer.append(`${at} ${'.'.repeat(length)}`));
      if (!('is' in said)) return last;
      if (said.is !== ++last) this.#violated(`appends ${said.is} to ${name} as number ${last}`);
    }
    return last;
  }

  async #reads(log: StreamLog, name: string, last: number): Promise<void> {
    for (const after of [0, last - 1, last, last + 3]) {
      const read = await this.#ask(() => log.read(name, Math.max(0, after)));
      if (!('is' in read) || read.is === undefined) continue;
      const numbers = read.is.events.map(({ number }) => number);
      const all = numbers.every((number, at) => number === Math.max(0, after) + 1 + at);
      const isWhole = all && (numbers.at(-1) ?? Math.max(0, after)) >= last;
      if (!isWhole || after > last) this.#violated(`reads ${numbers.join()} of ${last} in ${name} after ${after}`);
    }
  }

  /** Of more sessions than there is room for some events go, and never those of the one that is written now. */
  async crowds(store: Store): Promise<void> {
    for (let session = 0; session < 6; session++) {
      const log = store.events.open(`crowd ${session}`);
      const writer = await this.#ask(() => log.write('stream', 'about'));
      if (!('is' in writer)) continue;
      const last = await this.#appends(writer.is, 'stream', 3, 700);
      const read = await this.#ask(() => log.read('stream', Math.max(0, last - 1)));
      if ('is' in read && last > 0 && read.is?.events.length !== 1) this.#violated('loses what was written last');
    }
  }

  /** Texts of any length come as they were sent and in their order, or their hearer is told that one is missing. */
  async texts(from: Store, to: Store): Promise<void> {
    const [sender, hearer] = [busOfLongTexts(from), busOfLongTexts(to)];
    const lengths = [10, maxBusTextLength + 5, 7, ...(this.#whole(10) === 0 ? [maxRecordLength + 2] : [])];
    // Pairs of characters that belong together, of which one would stand at the end of a part.
    const sent = lengths.map(
      (length, at) => `${at}${(length > maxRecordLength ? '\u{1f300}' : '.').repeat(length / 2)}`,
    );
    const heard: string[] = [];
    let gaps = 0;
    const end = await this.#ask(
      async () =>
        await hearer.subscribe(
          'texts',
          (text) => heard.push(text),
          () => gaps++,
        ),
    );
    if (!('is' in end)) return;
    await this.#strange(from.bus);
    for (const text of sent) await this.#ask(() => sender.publish('texts', text));
    await this.#ask(() => sender.publish('nobody', sent[1] ?? ''));
    const large = await this.#ask(() => sender.publish('texts', '.'.repeat(32 * maxRecordLength + 1)));
    if ('is' in large) this.#violated('sends what is too large');
    await this.#sleep(1_000);
    if (heard.join('\n') !== sent.join('\n')) this.#violated(`hears ${heard.length} texts of ${sent.length}`);
    if (gaps !== strangeTexts.length) this.#violated(`hears of ${gaps} gaps where there were ${strangeTexts.length}`);
    // What comes at the same time as the end is heard by nobody.
    const late = this.#ask(() => sender.publish('texts', 'late'));
    await this.#sleep(2);
    await end.is();
    const count = heard.length;
    await late;
    await this.#sleep(1_000);
    if (heard.length !== count) this.#violated('hears something after the end');
  }

  async #strange(bus: Bus): Promise<void> {
    for (const text of strangeTexts) await this.#ask(() => bus.publish('texts', text));
  }

  /** No more is granted than a rate has. */
  async limits({ limits }: Store): Promise<void> {
    const rate = { perSecond: 2, burst: 3 };
    const begun = this.#parts.world.now;
    let granted = 0;
    for (let asked = 0; asked < 12; asked++) {
      const taken = await this.#ask(() => limits.take('measure', rate, asked === 5 ? 4 : 1));
      if (!('is' in taken)) continue;
      if (taken.is.ok) granted++;
      else if (taken.is.retryAfterMs <= 0) this.#violated('is told to come back before now');
      await this.#sleep(100);
    }
    const most = rate.burst + (rate.perSecond * (this.#parts.world.now - begun)) / 1_000;
    if (granted > most) this.#violated(`is granted ${granted} where ${most} are the most`);
    if (granted < rate.burst) this.#violated(`is granted ${granted} of ${rate.burst}`);
  }

  /** A store of one process keeps to its limits, and hears itself. */
  async alone(): Promise<void> {
    const store = memoryStore({ maxRecords: 1, maxMeasures: 1, maxEvents: 2, maxStreamAgeMs: shortMs });
    const heard: string[] = [];
    const end = await store.bus.subscribe(
      'one',
      (text) => heard.push(text),
      () => undefined,
    );
    const large = await this.#ask(() => store.bus.publish('one', '.'.repeat(maxBusTextLength + 1)));
    if ('is' in large) this.#violated('says what is too large');
    await store.bus.publish('one', 'a text');
    await this.#sleep(10);
    await end();
    if (heard.join() !== 'a text') this.#violated(`hears ${heard.join()} of itself`);
    const one = await this.#ask(() => store.records.put('one', 'x', shortMs));
    const two = await this.#ask(() => store.records.put('two', 'x', shortMs));
    if (!('is' in one) || 'is' in two) this.#violated('has room for two records where one is the most');
    for (const key of ['a', 'b']) await store.limits.take(key, { perSecond: 1 });
    if (!(await store.limits.take('a', { perSecond: 1 })).ok) this.#violated('remembers two measures');
    for (const name of ['a', 'b', 'c', 'd', 'e']) await store.events.open('session').write(name, '');
    if ((await store.events.open('session').read('a', 0)) !== undefined) this.#violated('keeps too many streams');
    await this.#sleep(shortMs + 1);
    if ((await store.events.open('session').read('e', 0)) !== undefined) this.#violated('keeps a stream for too long');
  }

  /** A log in memory has what it was given last, without a gap. */
  async events(): Promise<void> {
    const store = memoryEvents({ maxEvents: 4, maxSessionLength: 60, maxLength: 80, maxAgeMs: shortMs });
    for (const session of ['one', 'other', 'third']) {
      const log = store.open(session);
      for (let number = 1; number <= 6; number++) {
        log.append(`stream ${number % 2}`, { number: Math.ceil(number / 2), data: '.'.repeat(this.#whole(40)) });
        for (const after of [0, 1, 2]) {
          const found = log.replayAfter(`stream ${number % 2}`, after);
          const numbers = found?.map((event) => event.number) ?? [];
          if (!numbers.every((one, at) => one === after + 1 + at)) this.#violated(`replays ${numbers.join()}`);
        }
      }
      if (log.replayAfter('nothing', 0) !== undefined) this.#violated('replays what never was');
    }
    await this.#sleep(shortMs + 1);
    if (store.open('one').replayAfter('stream 0', 2) !== undefined) this.#violated('replays what is over');
    store.open('one').clear();
  }

  /** Turns are taken one after the other, and who gives up waiting is in nobody's way. */
  async turns(): Promise<void> {
    const turns = new Turns();
    const taken: number[] = [];
    const given = new AbortController();
    const take = async (number: number, signal?: AbortSignal): Promise<void> =>
      await turns.run('one', async () => void (await this.#sleep(20), taken.push(number)), signal);
    const all = [
      take(1),
      take(2, given.signal),
      take(3),
      take(4, AbortSignal.abort()),
      take(5, new AbortController().signal),
    ];
    given.abort(new Error('enough'));
    const ends = await Promise.allSettled(all);
    if (taken.join() !== '1,3,5') this.#violated(`has the turns ${taken.join()}`);
    const isGivenUp = ends.map(({ status }) => status === 'rejected');
    if (isGivenUp.join() !== 'false,true,false,true,false') this.#violated('does not hear who gave up');
  }

  async #ask<T>(run: () => T): Promise<Said<Awaited<T>>> {
    try {
      return { is: await run() };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#parts.world.note(`the store says ${error.reason}`);
      return { failed: error.reason };
    }
  }

  #whole(below: number): number {
    return Math.floor(chance(this.#parts.plan.seed, 'keeper', this.#draws++) * below);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.world.later(ms, this.#process, resolve));
  }

  #violated(words: string): void {
    this.#parts.judge.violated(`${this.#process.name} ${words}`);
  }
}

/** Texts that say where other texts are, and do not. */
const strangeTexts = [
  'r',
  'r{}',
  'r[5]',
  'r["bus nothing"]',
  'r["session x"]',
  `r${JSON.stringify(Array.from({ length: 40 }, () => 'bus x'))}`,
];
