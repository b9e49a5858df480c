/** Statements of superseded revisions on which no known client relies, and what shows it. */
const unused: readonly (readonly [why: string, rows: string])[] = [
  [
    'only 2025-03-26 has JSON-RPC batches, and no known client sends them; the next revision removed them',
    'basic-019 http-020',
  ],
];

/** The same, by the row. */
export const superseded: ReadonlyMap<string, string> = new Map(
  unused.flatMap(([why, rows]) => rows.split(' ').map((row) => [row, why] as const)),
);
