/** Which code schedules are about: what several processes share, what outlives a connection, and what looks for it again. */

const places: readonly RegExp[] = [
  /^http\/server\/(session\/|sse-pair|lasting|stream\.ts)/,
  /^http\/client\/(resume|sse-pair|answer)/,
  /^peer\/(asked|pending|running|connection)\.ts/,
  /^peer\/relay\//,
  /^host\/input\/(by-requests|by-rounds|question|round-asker|request-state|server-rounds|state-store|reports)\.ts/,
  /^store\/(bus|events|subscribers|turns|long-texts|given)\.ts/,
  /^store\/memory\/(store|records|streams|limits|heap)\.ts/,
  /^bridge\/upstream\/parked\//,
  /^client\/connection\/(current|reconnecting|retry|backoff|deliver)\.ts/,
  /^client\/subscriptions\//,
];

/** Tells whether a file is one of it. */
export function isReachable(file: string): boolean {
  return !file.endsWith('.test.ts') && places.some((place) => place.test(file));
}
