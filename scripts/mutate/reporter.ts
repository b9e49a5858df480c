/** Ends the process at the first test that fails, and says which it was. */

import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';

// oxlint-disable-next-line import/no-default-export -- Node takes the default export of a reporter.
export default async function* stopAtFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined) continue;
    writeSync(3, `${JSON.stringify({ failed: data.name, file: data.file, line: data.line })}\n`);
    process.exit(1);
  }
  yield '';
}
