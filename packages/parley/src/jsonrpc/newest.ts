/** Puts an entry into a map, as its newest. Beyond so many entries the oldest goes. */
export function setNewest<Key, Value>(
  map: Map<Key, Value>,
  most: number,
  [key, value]: readonly [key: Key, value: Value],
): void {
  map.delete(key);
  map.set(key, value);
  dropOldest(map, most);
}

/** Puts a value into a set, as its newest. Beyond so many values the oldest goes. */
export function addNewest<Value>(set: Set<Value>, most: number, value: Value): void {
  set.delete(value);
  set.add(value);
  dropOldest(set, most);
}

function dropOldest<Key>(all: Map<Key, unknown> | Set<Key>, most: number): void {
  for (const oldest of all.keys()) if (all.size > most) all.delete(oldest);
}
