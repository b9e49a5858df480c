/** Ends the process at the first test that fails, and says which it was. */

import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';

let finish: (() => void) | undefined;

/** Resolves when the reporter has seen the end of the file that begins after this call. */
export function fileOver(): Promise<void> {
  return new Promise((resolve) => (finish = resolve));
}

// oxlint-disable-next-line import/no-default-export -- Node takes the default export of a reporter.
export default async function* stopAtFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.todo === undefined) {
      writeSync(3, `${JSON.stringify({ failed: data.name })}\n`);
      process.exit(1);
    }
    if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0) finish?.();
  }
  yield '';
}
