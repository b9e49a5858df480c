/** 12.4: many listen streams, many changes, and connections that listen to the engine cut each second. */

import { listenersOf } from './listeners.ts';
import { parts, pause, startBars } from './service.ts';

const mb = 2 ** 20;

export async function manyStreams(scale: number): Promise<readonly string[]> {
  const service = await startBars();
  const wrong: string[] = [];
  const [count, changes] = [Math.ceil(10_000 * scale), Math.ceil(1_000 * scale)];
  const used = async (): Promise<{ readonly rss: number; readonly lag: number }> => {
    const all = await Promise.all(
      service.nodes.map(async (node) => {
        await node.tell('collect');
        return await node.tell('usage');
      }),
    );
    return {
      rss: all.reduce((sum, { rss }) => sum + rss, 0),
      lag: Math.max(...all.map(({ lagP99 }) => lagP99)),
    };
  };
  try {
    const before = await used();
    const began = performance.now();
    const readers = await listenersOf(service.nodes, count);
    const openedIn = performance.now() - began;
    const open = await used();
    let changedAt = 0;
    const late: number[] = [];
    for (const reader of readers) reader.onChange = () => void late.push(performance.now() - changedAt);
    const started = performance.now();
    for (let at = 0; at < changes; at++) {
      changedAt = performance.now();
      await service.nodes[at % 3]?.tell('change');
      // Whoever listens at the engine is cut off each second.
      if (at % 10 === 9) await service.redis?.send('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await pause(100);
    }
    const changedIn = performance.now() - started;
    const lastAt = performance.now();
    let heard = 0;
    const all = new Promise<void>((resolve) => {
      for (const reader of readers)
        reader.onChange = () => {
          // Several may come in one piece.
          reader.onChange = () => {};
          if (++heard === readers.length) resolve();
        };
    });
    await service.nodes[0]?.tell('change');
    await Promise.race([all, pause(10_000)]);
    const newest = performance.now() - lastAt;
    const after = await used();
    const perStream = (open.rss - before.rss) / count / 1024;
    const grown = (after.rss - before.rss) / count / 1024;
    const { p50, p99 } = parts(late.slice(-200_000));
    const ended = readers.filter((reader) => reader.ended).length;
    console.log(
      `12.4 ${count} streams opened in ${(openedIn / 1000).toFixed(1)} s, ${perStream.toFixed(1)} KB RSS each (${grown.toFixed(1)} at the end, ${(after.rss / mb).toFixed(0)} MB of three processes)`,
    );
    console.log(
      `12.4 ${changes} changes in ${(changedIn / 1000).toFixed(0)} s, listeners of the engine cut ${Math.floor(changes / 10)} times: since the last change p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)} ms; the newest was heard by ${heard} of ${count} within ${newest.toFixed(0)} ms; turns late p99 ${after.lag.toFixed(0)} ms; ended ${ended}`,
    );
    if (heard < count) wrong.push(`${count - heard} did not hear of the newest within 10 s`);
    if (ended > 0) wrong.push(`${ended} streams ended`);
    for (const reader of readers) reader.leave();
  } finally {
    await service.stop();
  }
  return wrong;
}
