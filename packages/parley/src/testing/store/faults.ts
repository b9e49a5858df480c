import { after, settledWithin } from '../../jsonrpc/timeout.ts';
import { StoreError, type Store } from '../../storage/store.ts';
import { equal, eventually } from '../tasks/checks.ts';
import { lasting, type StoreCheck, type StoreFault } from './checks.ts';

/** Interval at which texts are published: 1,000 a second. */
const intervalMs = 1;
/** Texts before a fault, while it lasts, and after it. */
const phaseTexts = 1_000;
/** The most texts until the engine is well again. */
const maxTexts = 60_000;

/** Rounds of calls during a fault, and the time between two. */
const callRounds = 10;
const roundMs = 100;
/** Time in which a call has ended, in milliseconds: twice what is promised, for a machine that does other work. */
const callMs = 4_000;
/** The same for a text, which may wait for an engine that fails over. */
const publishMs = 10_000;

/** Promises under faults. */
export function faultChecks(faults: readonly StoreFault[]): readonly StoreCheck[] {
  return faults.flatMap((fault) => [busCheck(fault), timeCheck(fault)]);
}

/** No call hangs, whatever befell the engine. */
function timeCheck(fault: StoreFault): StoreCheck {
  return {
    title: `every call ends in time, and as a StoreError where it fails, while ${fault.title}`,
    async check({ one, name }) {
      const calls = await eachCall(one, name);
      const wrong = new Set<string>();
      const watch = async (what: string, run: () => unknown): Promise<void> => {
        const call = (async () => await run())();
        call.catch((error: unknown) => {
          if (!(error instanceof StoreError)) wrong.add(`${what} failed with ${String(error)}`);
        });
        const ms = what === 'bus.publish' ? publishMs : callMs;
        if (!(await settledWithin(ms, call))) wrong.add(`${what} took more than ${ms} ms`);
      };
      const watched: Promise<void>[] = [];
      // A fault may be one of who is listened to.
      const end = await one.bus.subscribe(
        name,
        () => {},
        () => {},
      );
      const heal = await fault.begin();
      for (let round = 0; round < callRounds; round++) {
        for (const [what, run] of Object.entries(calls)) watched.push(watch(what, run));
        await new Promise<void>((resolve) => void after(roundMs, resolve, true));
      }
      await Promise.all(watched);
      await heal();
      await end();
      equal([...wrong].join('; '), '', 'calls during the fault');
    },
  };
}

/** One call of each kind, to be made again and again. */
async function eachCall(
  { records, events, bus, limits, check }: Store,
  name: string,
): Promise<Readonly<Record<string, () => unknown>>> {
  const log = events.open(name);
  const writer = await log.write('stream', '');
  let at = 0;
  return {
    'records.add': () => records.add(`${name} ${++at}`, 'x', lasting),
    'records.get': () => records.get(name),
    'records.put': () => records.put(name, 'x', lasting),
    'records.touch': () => records.touch(name, lasting),
    'records.delete': () => records.delete(`${name} ${at}`),
    'events.write': () => log.write(`stream ${++at}`, ''),
    'events.append': () => writer.append('x'),
    'events.read': () => log.read('stream', 0),
    'events.clear': () => events.open(`${name} ${at}`).clear(),
    'bus.publish': () => bus.publish(name, 'x'),
    'bus.subscribe': async () => {
      const end = await bus.subscribe(
        `${name} ${++at}`,
        () => {},
        () => {},
      );
      await end();
    },
    'limits.take': () => limits.take(name, { perSecond: 1_000 }),
    check: () => check(),
  };
}

/** Nothing is lost in silence. */
function busCheck(fault: StoreFault): StoreCheck {
  return {
    title: `no text is lost without a gap, and none comes twice or out of order, while ${fault.title}`,
    async check({ one, other, name }) {
      const heard: number[] = [];
      /** Numbers of the newest text that was sent when a gap was told. */
      const gaps: number[] = [];
      let sent = 0;
      const delivered = new Set<number>();
      const publishing: Promise<void>[] = [];
      const publish = async (number: number): Promise<void> => {
        try {
          await one.bus.publish(name, String(number));
          delivered.add(number);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
        }
      };
      const send = async (texts: number): Promise<void> => {
        for (let count = 0; count < texts; count++) {
          publishing.push(publish(++sent));
          await new Promise<void>((resolve) => void after(intervalMs, resolve, true));
        }
      };
      const subscribe = async (): Promise<() => unknown> =>
        await other.bus.subscribe(
          name,
          (text) => heard.push(Number(text)),
          () => gaps.push(sent),
        );
      // On a busy machine a store may not answer in time before any fault.
      const retry = (): Promise<() => unknown> => subscribe();
      const end = await subscribe().catch(retry).catch(retry).catch(retry).catch(retry);
      await send(phaseTexts);
      const heal = await fault.begin();
      await send(phaseTexts);
      await heal();
      const healed = sent;
      while (sent < maxTexts && !heard.some((number) => number > healed)) await send(100);
      await send(phaseTexts);
      await Promise.all(publishing);
      await eventually('the newest text is received', async () => heard.at(-1) === sent || gaps.at(-1) === sent);
      await end();
      equal(
        heard.every((number, at) => at === 0 || number > Number(heard[at - 1])),
        true,
        'the order',
      );
      const known = new Set(heard);
      const lost = [...delivered].filter((number) => !known.has(number));
      const newestGap = gaps.at(-1) ?? 0;
      equal(lost.filter((number) => number > newestGap).length, 0, `of ${lost.length} lost texts those after a gap`);
    },
  };
}
