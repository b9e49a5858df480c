import { after } from '../../jsonrpc/timeout.ts';
import { StoreError } from '../../store/store.ts';
import { equal, eventually } from '../tasks/checks.ts';
import type { StoreCheck, StoreFault } from './checks.ts';

/** Interval at which texts are published: 1,000 a second. */
const intervalMs = 1;
/** Texts before a fault, while it lasts, and after it. */
const phaseTexts = 1_000;
/** The most texts until the engine is well again. */
const mostTexts = 60_000;

/** Promises of the bus under faults. */
export function faultChecks(faults: readonly StoreFault[]): readonly StoreCheck[] {
  return faults.map((fault) => ({
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
      const end = await other.bus.subscribe(
        name,
        (text) => heard.push(Number(text)),
        () => gaps.push(sent),
      );
      await send(phaseTexts);
      const heal = await fault.begin();
      await send(phaseTexts);
      await heal();
      const healed = sent;
      while (sent < mostTexts && !heard.some((number) => number > healed)) await send(100);
      await send(phaseTexts);
      await Promise.all(publishing);
      await eventually('the newest text is heard', async () => heard.at(-1) === sent || gaps.at(-1) === sent);
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
  }));
}
