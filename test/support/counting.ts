/** Counts what runs, by the functions of src, with nothing put into them: V8 counts. */

import { Session } from 'node:inspector/promises';

/** What ran meanwhile: how often each function did, by its file in src and its name. */
export type Counted = ReadonlyMap<string, number>;

/** Counts the functions of src that run while something is done. */
export async function counting(run: () => Promise<unknown>): Promise<Counted> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const counts = new Map<string, number>();
    for (const { url, functions } of result) {
      const file = /\/packages\/\w+\/src\/(?!.*\.test\.ts)(.*\.ts)$/.exec(url)?.[1];
      if (file === undefined) continue;
      for (const { functionName, ranges } of functions) {
        const count = ranges[0]?.count ?? 0;
        const name = `${file} ${functionName}`;
        if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
      }
    }
    return counts;
  } finally {
    session.disconnect();
  }
}

/** How often the keys of an object in JSON text are read while something is done; objects are found by one of their keys. */
export async function readings(key: string, run: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const { parse } = JSON;
  const counted = (_: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value;
    for (const [field, held] of Object.entries(value)) {
      const get = (): unknown => {
        counts.set(field, (counts.get(field) ?? 0) + 1);
        return held;
      };
      Object.defineProperty(value, field, { get, enumerable: true, configurable: true });
    }
    return value;
  };
  JSON.parse = (text: string) => parse(text, counted) as unknown;
  try {
    await run();
  } finally {
    JSON.parse = parse;
  }
  return counts;
}
