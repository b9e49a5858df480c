/** Keeps what our servers and clients send that the official schemas refuse. */

import { observe, type ObservedMessage } from '../../packages/parley/src/connection/observe.ts';
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

/** What was found right, by its text: most of it is said again and again. */
const right = new Set<string>();

/** As many texts are kept as fit in some megabytes. */
const maxRight = 30_000;
const maxRightLength = 20_000;

function inspect(sent: ObservedMessage): void {
  const text = textOf(sent);
  if (right.has(text)) return;
  const problems = wireProblems(sent);
  if (problems.length === 0) {
    if (right.size >= maxRight) right.clear();
    if (text.length <= maxRightLength) right.add(text);
    return;
  }
  const where = `${sent.from} at ${sent.revision?.date ?? 'no revision yet'}`;
  const said = JSON.stringify(sent.message).slice(0, 600);
  violations.push(
    `${where} sent ${said}${sent.answers === undefined ? '' : ` to ${sent.answers}`}\n  ${problems.join('\n  ')}`,
  );
}

/** All that the verdict depends on; which whole number or which text an id is changes nothing. */
function textOf({ from, revision, message, answers }: ObservedMessage): string {
  const id = 'id' in message ? message.id : undefined;
  const any = typeof id === 'string' ? '' : Number.isSafeInteger(id) ? 0 : id;
  return `${from} ${revision?.date} ${answers} ${JSON.stringify(id === undefined ? message : { ...message, id: any })}`;
}
