/**
 * Loaded before every test file: whatever our servers and clients send is checked against what the official schemas say,
 * and timers are known that a file leaves behind.
 */

import { afterEach } from 'node:test';
import { watchTimers } from './support/pending-timers.ts';
import { checkWhatIsSent, takeViolations } from './support/sent-wrong.ts';

export { takeViolations };

/** The test that sent it fails. What is sent between tests fails the file: see scripts/test/worker.ts. */
function refuse(): void {
  const found = takeViolations();
  if (found.length > 0) throw new Error(`sent what the official schema refuses:\n${found.join('\n')}`);
}

watchTimers();
checkWhatIsSent();
afterEach(refuse);
