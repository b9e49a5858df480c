/** Statements on which no known client relies, and what shows it. */
const unused: readonly (readonly [why: string, rows: string])[] = [
  [
    'only 2025-03-26 has JSON-RPC batches, and no known client sends them; the next revision removed them',
    'basic-019 http-020',
  ],
  [
    'a client asks for a stateless revision by name, and only one is published; it matters when the next one comes',
    'versioning-001',
  ],
];

/** The same, by the row. */
export const unusedStatements: ReadonlyMap<string, string> = new Map(
  unused.flatMap(([why, rows]) => rows.split(' ').map((row) => [row, why] as const)),
);
