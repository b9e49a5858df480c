/** Keeps what our servers and clients send that the official schemas refuse. */

import { observe, type Sent } from '../../src/peer/observe.ts';
import { wireProblems } from './wire-check.ts';

const violations: string[] = [];

/** Takes away what was found so far. */
export function takeViolations(): readonly string[] {
  return violations.splice(0);
}

/** Checks whatever this thread sends from now on. */
export function checkWhatIsSent(): void {
  observe(inspect);
}

function inspect(sent: Sent): void {
  const problems = wireProblems(sent);
  if (problems.length === 0) return;
  const where = `${sent.from} at ${sent.revision?.date ?? 'no revision yet'}`;
  const text = JSON.stringify(sent.message).slice(0, 600);
  violations.push(
    `${where} sent ${text}${sent.answers === undefined ? '' : ` to ${sent.answers}`}\n  ${problems.join('\n  ')}`,
  );
}
