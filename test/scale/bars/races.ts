/** 12.7: two streams that are opened at once at two processes; cancellations and ends that come to another process. */

import { Speaker, type Visit } from '../speaker.ts';
import { parts, pause, startBars, type BarService } from './service.ts';

/** Has pairs of streams of one session be opened at once, and tells everybody of changes. */
async function gets(service: BarService, count: number): Promise<readonly string[]> {
  const wrong: string[] = [];
  const statuses = new Map<string, number>();
  let missed = 0;
  let twice = 0;
  let silent = 0;
  const batch = 50;
  for (let begun = 0; begun < count; begun += batch) {
    const speakers = await Promise.all(
      Array.from({ length: batch }, (_, at) => new Speaker(service.spoken, '2025-11-25').open(at, at + 1)),
    );
    const pairs = speakers.map((probeClient, at) => [probeClient.listen(at), probeClient.listen(at + 1)] as const);
    const live: Visit[] = [];
    for (const pair of pairs) {
      const both = await Promise.all(pair.map((visit) => visit.status()));
      const key = both.toSorted((a, b) => a - b).join('+');
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
      if (key === '200+409') live.push(...pair.filter((_, at) => both[at] === 200));
      else wrong.push(`a pair was answered ${key}`);
    }
    await service.nodes[2]?.tell('change');
    const heard = (visit: Visit): number =>
      visit.messages.filter(({ method }) => method === 'notifications/tools/list_changed').length;
    await Promise.all(
      live.map((visit) =>
        visit
          .until((so) => heard(so) > 0)
          .catch(() => {
            missed++;
          }),
      ),
    );
    for (const [at, pair] of pairs.entries()) {
      const ids = pair.flatMap(({ events }) => events.map(({ id }) => id)).filter((id) => id !== undefined);
      if (new Set(ids).size !== ids.length) {
        twice++;
        wrong.push(`an event came twice: ${at} ${ids.join()}`);
      }
    }
    for (const visit of live) if (visit.ended) silent++;
    for (const pair of pairs) for (const visit of pair) visit.leave();
    await Promise.all(speakers.map((probeClient, at) => probeClient.end(at + 2).status()));
  }
  const said = [...statuses].map(([key, number]) => `${key}: ${number}`).join(', ');
  console.log(`12.7 ${count} pairs of GETs: ${said}; changes missed ${missed}, events twice ${twice}, ended ${silent}`);
  if (missed > 0) wrong.push(`${missed} changes were missed`);
  return wrong;
}

/** Has calls cancelled, and sessions ended, at another process than the one that runs them. */
async function cancels(service: BarService, count: number): Promise<readonly string[]> {
  const wrong: string[] = [];
  const ended = new Map<string, (at: number) => void>();
  for (const node of service.nodes) node.onHeld = (text, at) => ended.get(text)?.(at);
  const waited = (text: string): Promise<number> => new Promise((resolve) => ended.set(text, resolve));
  const held = async (probeClient: Speaker, at: number, text: string): Promise<Visit> =>
    await probeClient
      .request(at, 'tools/call', { name: 'hold', arguments: { text }, _meta: { progressToken: text } })
      .until(({ messages }) => messages.length > 0);
  const cancelled: number[] = [];
  const left: number[] = [];
  const gone: number[] = [];
  for (let at = 0; at < count; at++) {
    const probeClient = await new Speaker(service.spoken, '2025-11-25').open(at, at + 1);
    const over = waited(`c${at}`);
    await held(probeClient, at, `c${at}`);
    const began = Date.now();
    const requestId = 2;
    await probeClient.say(at + 1, { method: 'notifications/cancelled', params: { requestId } }).status();
    cancelled.push(Math.max(0, (await Promise.race([over, pause(5000).then(() => Number.NaN)])) - began));
    const ends = waited(`d${at}`);
    await held(probeClient, at, `d${at}`);
    const deleted = Date.now();
    const status = await probeClient.end(at + 1).status();
    if (status !== 204) wrong.push(`DELETE was answered ${status}`);
    left.push(Math.max(0, (await Promise.race([ends, pause(5000).then(() => Number.NaN)])) - deleted));
    for (;;) {
      const found = await Promise.all([0, 1, 2].map((node) => probeClient.request(node, 'ping').status()));
      if (found.every((one) => one === 404)) break;
      if (Date.now() - deleted > 5000) {
        wrong.push(`5 s after DELETE ping is answered ${found.join()}`);
        break;
      }
    }
    gone.push(Date.now() - deleted);
  }
  for (const [what, figures, most] of [
    ['a cancellation', cancelled, 100],
    ['the end of what ran', left, 1000],
    ['404 everywhere', gone, 1000],
  ] as const) {
    if (figures.some(Number.isNaN)) wrong.push(`${what} did not come`);
    const { p50, p99, most: longest } = parts(figures);
    console.log(
      `12.7 ${what}: p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms of ${figures.length} (${most} wanted)`,
    );
  }
  return wrong;
}

export async function races(scale: number): Promise<readonly string[]> {
  const service = await startBars();
  try {
    return [...(await gets(service, Math.ceil(10_000 * scale))), ...(await cancels(service, Math.ceil(500 * scale)))];
  } finally {
    await service.stop();
  }
}
