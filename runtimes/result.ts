/** What came of the runs, and how it is told. */

/** One step of one client; with an error when it was not as it should be. */
export interface StepResult {
  /** How the client reached the server. */
  readonly way: string;
  readonly revision: string;
  readonly step: string;
  readonly error?: string;
}

/** What came of one place. */
export interface PlaceResult {
  readonly place: string;
  readonly version: string;
  readonly results: readonly StepResult[];
  /** Why nothing ran there. */
  readonly missing?: string;
}

/** A place whose runtime cannot be had on this machine. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}

/**
 * The results that a program printed, on a line that begins with `results`.
 *
 * @throws Error with the end of what it printed when there is no such line.
 */
export function resultsIn(printed: string): readonly StepResult[] {
  const line = printed.split('\n').find((text) => text.startsWith('results '));
  if (line === undefined) throw new Error(`it printed no results: ${printed.trim().slice(-600)}`);
  // Our own programs print it.
  return JSON.parse(line.slice('results '.length)) as readonly StepResult[];
}

/** A table in Markdown, and below it every step that failed. */
export function pageOf(places: readonly PlaceResult[]): string {
  const rows = places.map(
    (result) => `| ${result.place} | ${result.version} | ${waysOf(result)} | ${countOf(result)} |`,
  );
  const failed = places.flatMap(({ place, results }) =>
    results
      .filter(({ error }) => error !== undefined)
      .map(({ way, revision, step, error }) => `- ${place}, ${way}, ${revision}: ${step}: ${error}`),
  );
  return [
    '| Where | Version | What | Steps |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    failed.length === 0 ? 'No step failed.' : `These failed:\n\n${failed.join('\n')}`,
    '',
  ].join('\n');
}

/** Whether everything that ran was as it should be. */
export function isClean(places: readonly PlaceResult[]): boolean {
  return places.every(({ results }) => results.every(({ error }) => error === undefined));
}

function waysOf({ results, missing }: PlaceResult): string {
  return missing === undefined ? [...new Set(results.map(({ way }) => way))].join(', ') : 'not run';
}

function countOf({ results, missing }: PlaceResult): string {
  if (missing !== undefined) return missing;
  return `${results.filter(({ error }) => error === undefined).length} of ${results.length}`;
}
