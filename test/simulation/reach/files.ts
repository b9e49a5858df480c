/** Which code schedules are about: what several processes share, what outlives a connection, and what looks for it again. */

const places: readonly RegExp[] = [
  /^transports\/http\/server\/(session\/|sse-pair|lasting|stream\.ts)/,
  /^transports\/http\/client\/(resume|sse-pair|answer)/,
  /^connection\/(asked|pending|running|connection)\.ts/,
  /^connection\/relay\//,
  /^server\/runtime\/input\/(by-requests|by-rounds|question|round-asker|request-state|server-rounds|state-store|reports)\.ts/,
  /^storage\/(bus|events|subscribers|turns|long-texts|given)\.ts/,
  /^storage\/memory\/(store|records|streams|limits|heap)\.ts/,
  /^bridge\/upstream\/parked\//,
  /^client\/connection\/(current|reconnecting|retry|backoff|deliver)\.ts/,
  /^client\/subscriptions\//,
];

/** Tells whether a file is one of it. */
export function isReachable(file: string): boolean {
  return !file.endsWith('.test.ts') && places.some((place) => place.test(file));
}
