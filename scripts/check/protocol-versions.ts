/** Only `packages/parley/src/protocol` and negotiation know which protocol versions there are. */

import { matches, type Rule } from './rule.ts';
import { fileOf, sourcesOf } from './source-files.ts';

const date = /['"`](2024-11-05|2025-03-26|2025-06-18|2025-11-25|2026-07-28)['"`]/;

export const datesRule: Rule = {
  demand: 'dates of protocol versions are written in packages/parley/src/protocol alone',
  find: (repository) =>
    sourcesOf(repository)
      .filter(({ layer }) => layer !== 'protocol')
      .flatMap(({ path, text }) =>
        matches({ path: fileOf(path), text }, date, ([quoted]) => `names ${quoted}; ask a fact of \`Revision\``),
      ),
};

/** The files that find out how a connection is opened, on either side, or try it. */
const negotiation: ReadonlySet<string> = new Set([
  'protocol/revision.ts',
  'client/connection/initialize.ts',
  'client/connection/negotiate.ts',
  'client/connection/negotiation-cache.ts',
  'cli/commands/explain/server.ts',
  'cli/commands/explain/try.ts',
]);

export const eraRule: Rule = {
  demand: 'only negotiation reads the era of a revision',
  find: (repository) =>
    sourcesOf(repository)
      .filter(({ path }) => !negotiation.has(path))
      .flatMap(({ path, text }) =>
        matches(
          { path: fileOf(path), text },
          /\.era\b|[{,]\s*era\s*[,}:]/,
          () => 'reads the era; ask a fact of `Revision`, and add one if none says it',
        ),
      ),
};
