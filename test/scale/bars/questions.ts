/** 12.2: questions that are answered at another process than the one that asks, while primaries of the engine are killed. */

import { Speaker } from '../speaker.ts';
import { parts, pause, startBars } from './service.ts';

const everyMs = 20_000;
/** Time that each of 30 visitors lets pass between its questions, so that 10,000 last for a dozen primaries. */
const betweenMs = 700;

export async function questions(scale: number): Promise<readonly string[]> {
  const service = await startBars({ engine: 'cluster' });
  const wrong: string[] = [];
  const wanted = Math.ceil(10_000 * scale);
  let [left, answered, retried, kills] = [wanted, 0, 0, 0];
  const calm: number[] = [];
  const troubled: number[] = [];
  let isTrouble = false;
  let isOver = false;
  const killing = (async () => {
    while (!isOver) {
      await pause(everyMs);
      if (isOver) return;
      isTrouble = true;
      const primary = await service.cluster?.primaryOf(Math.floor(Math.random() * 16_384));
      await primary?.kill();
      await service.cluster?.settle();
      await primary?.restart();
      await service.cluster?.settle();
      kills++;
      isTrouble = false;
    }
  })();
  /** Sends the answer until it was taken, as clients of ours do. */
  const answer = async (probeClient: Speaker, at: number, id: unknown, text: string): Promise<void> => {
    for (let times = 0; times < 60; times++) {
      const result = { action: 'accept', content: { text } };
      const status = await probeClient
        .say(at + times, { id, result })
        .status()
        .catch(() => 0);
      if (status === 202) return;
      retried++;
      await pause(250);
    }
  };
  const visitor = async (number: number): Promise<void> => {
    const probeClient = await new Speaker(service.spoken, '2025-11-25').open(number, number + 1);
    while (left-- > 0) {
      const text = `${number} ${left}`;
      const began = performance.now();
      const before = isTrouble;
      const call = probeClient.request(number, 'tools/call', { name: 'ask', arguments: { text } });
      try {
        const status = await call.status();
        if (status === 503) {
          // Nothing was begun.
          left++;
          retried++;
          await pause(250);
          continue;
        }
        await call.until(({ messages }) => messages.length > 0);
        await answer(probeClient, number + 1 + (left % 2), call.messages[0]?.['id'], text);
        await call.until(({ messages }) => messages.length > 1);
        const said = JSON.stringify(call.messages.at(-1));
        if (call.messages.length !== 2 || !said.includes(`${text} ${text}`)) wrong.push(`${text}: ${status} ${said}`);
        else answered++;
      } catch (error) {
        wrong.push(`${text}: ${String(error)}`);
      }
      (before || isTrouble ? troubled : calm).push(performance.now() - began);
      await pause(Math.random() * 2 * betweenMs);
    }
  };
  try {
    const began = performance.now();
    await Promise.all(Array.from({ length: 30 }, (_, number) => visitor(number)));
    const seconds = (performance.now() - began) / 1000;
    isOver = true;
    await killing;
    const [usual, meanwhile] = [parts(calm), parts(troubled)];
    console.log(
      `12.2 ${answered} of ${wanted} questions answered once, at another process, in ${seconds.toFixed(0)} s; ${kills} primaries killed; sent again ${retried}; p50 ${usual.p50.toFixed(0)}, p99 ${usual.p99.toFixed(0)} ms of ${calm.length}, meanwhile p50 ${meanwhile.p50.toFixed(0)}, p99 ${meanwhile.p99.toFixed(0)} ms of ${troubled.length}`,
    );
  } finally {
    isOver = true;
    await service.stop();
  }
  return wrong;
}
