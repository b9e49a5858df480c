import type { KeptEvent, StreamLog } from '../../../../store/stream-log.ts';

/**
 * The events of a stream that are left in its log, which drops the oldest and reads nothing that has a hole.
 *
 * @param seen Number of an event after which nothing is dropped: where it is sought from.
 */
export async function eventsLeft(log: StreamLog, stream: string, seen: number): Promise<readonly KeptEvent[]> {
  const whole = await log.read(stream, 0);
  if (whole !== undefined) return whole.events;
  let left = await log.read(stream, seen);
  for (let dropped = 0, kept = seen; dropped + 1 < kept;) {
    const middle = Math.floor((dropped + kept) / 2);
    const rest = await log.read(stream, middle);
    if (rest === undefined) dropped = middle;
    else [left, kept] = [rest, middle];
  }
  return left?.events ?? [];
}
