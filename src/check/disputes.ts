/** Rows of which the specification says two things, or its schema or official suite something else than its text: what breaks them is told, and is no fault. */
export const disputes: ReadonlyMap<string, string> = new Map([
  [
    'tools-025',
    'the page on tools wants a result with isError, and the schema says in a comment that wrong arguments are answered with -32602',
  ],
  ['tasks-086', 'the pages of the extension say -32021 and, on the first of them, -32003'],
  ['subs-009', 'a result is what should end a stream, and over stdio a cancellation is what must'],
  ['subs-010', 'a cancellation is what must end a stream over stdio, and a result is what should'],
]);
