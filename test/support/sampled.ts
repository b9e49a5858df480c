/**
 * The entries of a table of planted faults that this run tries: every fourth one in `npm run test:all`, or every `step`th.
 * The nightly tier, and a run that names the file, try all of them.
 */
export function sampled<Entry>(entries: readonly Entry[], step = 4): readonly Entry[] {
  return process.env['PARLEY_TIER'] === 'all' ? entries.filter((_, at) => at % step === 0) : entries;
}
