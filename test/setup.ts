/** Loaded before every test file: whatever our servers and clients send is checked against what the official schemas say. */

import { after, afterEach } from 'node:test';
import { observe, type Sent } from '../src/peer/observe.ts';
import { wireProblems } from './support/wire-check.ts';

const violations: string[] = [];

/** Takes away what was found so far: for the tests of the check itself. */
export function takeViolations(): readonly string[] {
  return violations.splice(0);
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

/** The test that sent it fails; what is sent between tests fails the file. */
function refuse(): void {
  const found = takeViolations();
  if (found.length > 0) throw new Error(`sent what the official schema refuses:\n${found.join('\n')}`);
}

observe(inspect);
afterEach(refuse);
after(refuse);
