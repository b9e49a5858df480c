/** 12.5: processes replaced one after the other, as a deploy does, beside 500 calls a second, every fifth of which asks its client. */

import type { Service } from '../processes/service.ts';
import { withCrowd, type Crowd } from './crowd.ts';
import { parts, pause } from './service.ts';

const betweenMs = 200;

export function restarts(scale: number): Promise<readonly string[]> {
  return withCrowd((crowd, service, wrong) => measured(scale, crowd, service, wrong));
}

async function measured(scale: number, crowd: Crowd, service: Service, wrong: string[]): Promise<void> {
  const taken: number[] = [];
  const ends: number[] = [];
  let [calls, repeats] = [0, 0];
  const call = async (own: number, tool: string, text: string): Promise<void> => {
    const began = performance.now();
    const { content, isError } = await crowd.clients[own]!.callTool(tool, { text });
    const [block] = content;
    if (isError === true || block?.type !== 'text' || !block.text.startsWith(`${text} `))
      wrong.push(`${tool} ${text} was answered ${JSON.stringify(content)}`);
    taken.push(performance.now() - began);
  };
  const talking = async (own: number): Promise<void> => {
    await pause(Math.random() * betweenMs);
    const began = performance.now();
    for (let time = 0; !crowd.isOver; time++) {
      await pause(Math.max(0, began + time * betweenMs - performance.now()));
      const tool = time % 5 === 4 ? 'ask' : 'echo';
      calls++;
      try {
        await call(own, tool, `${own} ${time}`);
      } catch {
        repeats++;
        await call(own, tool, `${own} ${time}`).catch((error: unknown) =>
          wrong.push(`${tool} ${own} ${time}: ${String(error)}`),
        );
      }
    }
  };
  await crowd.open(100);
  const began = performance.now();
  const all = Promise.all(crowd.clients.map((_, own) => talking(own)));
  for (let time = 0; time < Math.ceil(20 * scale); time++) {
    await pause(2_000);
    const replaced = performance.now();
    await service.replace();
    ends.push(performance.now() - replaced);
  }
  crowd.isOver = true;
  await all;
  const seconds = (performance.now() - began) / 1000;
  const [{ p50, p99 }, { most }] = [parts(taken), parts(ends)];
  console.log(
    `12.5 ${ends.length} processes replaced beside ${(calls / seconds).toFixed(0)} calls a second: ${calls} calls, ${repeats} sent again, p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)} ms; a new process and the end of the old one took at most ${most.toFixed(0)} ms; refused: ${crowd.refused}`,
  );
  if (most > 12_000) wrong.push(`a process was replaced in ${most} ms`);
}
