/**
 * The entries of a table of planted faults that this run tries: every fourth one in `npm run test:all`.
 * The nightly tier, and a run that names the file, try all of them.
 */
export function sampled<Entry>(entries: readonly Entry[]): readonly Entry[] {
  return process.env['PARLEY_TIER'] === 'all' ? entries.filter((_, at) => at % 4 === 0) : entries;
}
