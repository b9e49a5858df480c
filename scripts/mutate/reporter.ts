/** Passes the failures and ends of test files on to `child.ts`. */

import type { TestEvent } from 'node:test/reporters';

export const listener = { onFailure: (_name: string): void => {}, onFileEnd: (): void => {} };

// oxlint-disable-next-line import/no-default-export -- Node takes the default export of a reporter.
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (type === 'test:fail' && data.todo === undefined) listener.onFailure(data.name);
    if (data.nesting === 0) listener.onFileEnd();
  }
  yield '';
}
