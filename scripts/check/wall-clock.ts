/** The wall clock jumps when it is set: only times that other processes read come from it. */

import { matches, type Rule } from './rule.ts';
import { fileOf, sourcesOf } from './source-files.ts';

/** The files that read the wall clock. */
const readers: ReadonlySet<string> = new Set([
  // Times of the process of parley inspect, which its page counts by.
  'cli/inspect/page/look/now.ts',
  // States that are sealed, for any process that has the keys.
  'bridge/options.ts',
  'server/runtime/input/server-rounds.ts',
  'server/tasks/load.ts',
  'bridge/tasks/stored/stored-tasks.ts',
  // The age of files that others may have left.
  'transports/node/credentials/versions.ts',
  // When tokens expire, and proofs.
  'auth/server/options.ts',
  // The hour that a sealing key is derived for, which other processes read.
  'sealing/seal.ts',
  'auth/server/dpop/replay.ts',
  'testing/issuer.ts',
  // Clocks of processes that are wrong on purpose.
  'testing/store/records.ts',
  'testing/tasks/times.ts',
  // Verdicts and responses that somebody stores.
  'client/requests/settings.ts',
  // The times of a recording.
  'cli/commands/inspect/inspect.ts',
  // An assertion says by it until when it is good.
  'cli/check/client/authorization/authorization-log.ts',
  // A date in a Retry-After header.
  'jsonrpc/transient.ts',
  // The ends of tokens, in a store that others read.
  'auth/client/site.ts',
]);

export const wallClockRule: Rule = {
  demand: 'Date.now is read only for times that other processes read',
  find(repository) {
    const sources = sourcesOf(repository);
    // In backticks it is part of a comment.
    const found = sources.map((source) => ({
      path: source.path,
      lines: matches({ path: source.file, text: source.text }, /(?<!`)\bDate\.now\b/, () => words),
    }));
    const unused = [...readers].filter((path) => found.every((one) => one.path !== path || one.lines.length === 0));
    return [
      ...found.filter(({ path }) => !readers.has(path)).flatMap(({ lines }) => lines),
      ...unused.map((path) => ({ file: fileOf(path), text: `has no Date.now; take it out of ${here}` })),
    ];
  },
};

const here = 'scripts/check/wall-clock.ts';
const words = `reads Date.now; use performance.now, or list the file in ${here} with its reason`;
