/** Loaded before every test file: whatever our servers and clients send is checked against what the official schemas say. */

import { afterEach } from 'node:test';
import { checkWhatIsSent, takeViolations } from './support/sent-wrong.ts';

export { takeViolations };

/** The test that sent it fails. What is sent between tests fails the file: see scripts/test/worker.ts. */
function refuse(): void {
  const found = takeViolations();
  if (found.length > 0) throw new Error(`sent what the official schema refuses:\n${found.join('\n')}`);
}

checkWhatIsSent();
afterEach(refuse);
