/** How much of the code runs in schedules, by branch, with nothing put into it: V8 counts. */

import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { isLeftOut } from './left-out.ts';

/** What ran of a file. */
export interface Reached {
  /** Below `packages/parley/src/`. */
  readonly file: string;
  readonly branches: number;
  readonly covered: number;
  /** How many never ran and are left out of the count, by the list of those. */
  readonly leftOut: number;
  /** The lines on which branches begin that never ran, with what stands there. */
  readonly missing: readonly { readonly line: number; readonly text: string }[];
}

/** Counts the branches of files of src that run while something is done. */
export async function reached(run: () => Promise<unknown>, wanted: (file: string) => boolean): Promise<Reached[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result.flatMap(({ url, functions }) => {
      const file = /\/packages\/parley\/src\/(.*\.ts)$/.exec(url)?.[1];
      if (file === undefined || !wanted(file)) return [];
      const source = readFileSync(fileURLToPath(url), 'utf8');
      // A function that never ran is one range; what has no blocks of its own is counted by the one around it. What follows a statement that
      // everything leaves by is no branch where nothing stands there.
      const ranges = functions
        .flatMap(({ ranges: own, functionName, isBlockCoverage }) =>
          isBlockCoverage || functionName !== '' ? own : [],
        )
        .filter(({ startOffset, endOffset }) => !/^[\s})\];]*$/.test(source.slice(startOffset, endOffset)));
      const never = ranges.filter(({ count }) => count === 0).map(({ startOffset }) => placeOf(source, startOffset));
      const missing = never.filter(({ text }) => !isLeftOut(file, text));
      const leftOut = never.length - missing.length;
      const branches = ranges.length - leftOut;
      return [{ file, branches, covered: branches - missing.length, leftOut, missing }];
    });
  } finally {
    session.disconnect();
  }
}

function placeOf(source: string, offset: number): { readonly line: number; readonly text: string } {
  const before = source.slice(0, offset);
  const end = source.indexOf('\n', offset);
  const text = source.slice(offset, end).trim();
  return { line: before.split('\n').length, text: text.length > 2 ? text : source.slice(offset, end + 80).trim() };
}
