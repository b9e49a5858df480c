/** 12.3: processes killed at random beside 500 sessions with 1,000 streams: nothing is lost or doubled, and who waited for what died is told. */

import { ConnectionError } from '../../../packages/parley/src/client.ts';
import type { Service } from '../processes/service.ts';
import { withCrowd, type Crowd } from './crowd.ts';
import { parts, pause } from './service.ts';

const everyMs = 15_000;

export function kills(scale: number): Promise<readonly string[]> {
  return withCrowd((crowd, service, wrong) => measured(scale, crowd, service, wrong));
}

async function measured(scale: number, crowd: Crowd, service: Service, wrong: string[]): Promise<void> {
  const failures = new Map<string, number>();
  const told: number[] = [];
  /** Time at which each process was killed; under 0 the last one. */
  const killedAt = new Map<number, number>();
  let [calls, done, kill] = [0, 0, 0];
  const walking = async (own: number): Promise<void> => {
    for (let time = 0; !crowd.isOver; time++) {
      const text = `${own} ${time}`;
      const steps: number[] = [];
      // One that told nothing yet is measured from the last kill.
      let process = 0;
      calls++;
      try {
        const { content, isError } = await crowd.clients[own]!.callTool(
          'walk',
          { text },
          {
            onProgress: ({ progress, message }) => {
              steps.push(progress);
              process = Number(message);
            },
          },
        );
        const [block] = content;
        if (isError === true || block?.type !== 'text' || block.text !== `${text} done`)
          wrong.push(`${text} was answered ${JSON.stringify(content)}`);
        if (steps.length !== 20) wrong.push(`${text} was answered after ${steps.join()}`);
        done++;
      } catch (error) {
        const said = String(error).slice(0, 90);
        failures.set(said, (failures.get(said) ?? 0) + 1);
        // What did not get there, as where a proxy closes a connection that it kept, is no word of a process.
        const isOnTheWay = process === 0 && error instanceof ConnectionError;
        // Of a process that lives nobody hears an error.
        const at = isOnTheWay ? performance.now() : killedAt.get(process);
        if (at === undefined) wrong.push(`${text} failed though its process ${process} lives: ${said}`);
        else if (!isOnTheWay) told.push(performance.now() - at);
      }
      // None is lost or told twice, whatever came of the call.
      if (steps.some((step, at) => step !== at + 1)) wrong.push(`the steps of ${text} were ${steps.join()}`);
    }
  };
  // A share is of the time; only small ones have fewer sessions too.
  await crowd.open(Math.ceil(500 * Math.min(1, scale * 4)));
  const began = performance.now();
  const all = Promise.all(crowd.clients.map((_, own) => walking(own)));
  while (performance.now() - began < 1_800_000 * scale) {
    await pause(Math.random() * 2 * everyMs);
    kill++;
    killedAt.set(0, performance.now());
    killedAt.set(service.oldest() ?? 0, performance.now());
    await service.kill();
  }
  crowd.isOver = true;
  await all;
  const { p50, most } = parts(told);
  console.log(
    `12.3 ${crowd.clients.length} sessions, ${kill} processes killed in ${((performance.now() - began) / 1000).toFixed(0)} s: ${done} of ${calls} calls of 10 s were answered with all their progress; the others were told so p50 ${p50.toFixed(0)}, at most ${most.toFixed(0)} ms after the kill of what ran them; refused: ${crowd.refused}`,
  );
  for (const [said, count] of failures) console.log(`  ${count} × ${said}`);
  if (most > 16_000) wrong.push(`a client was told after ${most} ms`);
}
