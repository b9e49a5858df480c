/** `npm run lab -- check-page`: writes docs/check.md from the rules of `parley check` and the register. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProbe, type CheckRule } from '../src/check/rule.ts';
import { rowOf } from '../src/check/register.ts';
import { askingRules } from '../src/check/rules/asked/asking.ts';
import { answerRules } from '../src/check/rules/asked/answers.ts';
import { formWordRules } from '../src/check/rules/asked/form-words.ts';
import { noticeRules } from '../src/check/rules/asked/notices.ts';
import { anotherRules } from '../src/check/rules/another.ts';
import { changeRules } from '../src/check/rules/changes.ts';
import { resultRules } from '../src/check/rules/results.ts';
import { sequenceRules } from '../src/check/rules/asked/sequence.ts';
import { belongingRules } from '../src/check/rules/http/belongs.ts';
import { nextRoundRules } from '../src/check/rules/asked/rounds.ts';
import { runningRules } from '../src/check/rules/running.ts';
import { coreTaskRules } from '../src/check/rules/tasks/core.ts';
import { coreLifeRules } from '../src/check/rules/tasks/core-life-rules.ts';
import { extensionLifeRules } from '../src/check/rules/tasks/extension-rules.ts';
import { watchedTaskRules } from '../src/check/rules/tasks/extension-watched.ts';
import { coreLimitRules } from '../src/check/rules/tasks/core-limits.ts';
import { taskExtensionRules } from '../src/check/rules/tasks/extension.ts';
import { checkRules } from '../src/check/rules/rules.ts';
import { clientsPart } from './check-page-clients.ts';
import { preciseReasons, singleReasons } from './check-page-reasons.ts';
import { requirements, type Requirement } from './registers.ts';

const head = `# Judging a server: \`parley check\`

\`\`\`sh
npx parley-mcp check http://127.0.0.1:3000/mcp
npx parley-mcp check -- node server.js
\`\`\`

It opens a conversation in each revision, sends right and wrong messages, and says which statements of the specification the server breaks, with what was sent, what came,
what to change and where it is written. \`--json\`, \`--junit\` and \`--sarif <file>\` are for machines, and \`--json-to <file>\` and \`--junit-to <file>\` write beside what is printed; \`--baseline <file>\` lets known findings be; \`parley help check\` lists the rest.

- **It changes nothing.** It opens and ends sessions of its own, lists, reads at most five listed resources, five listed apps of tools and five listed skills, gets at most three prompts that need no arguments, and opens streams. No listed tool is
  called but those that \`--calls add,book\` names: with the arguments of \`--args <file>\`, else with examples and defaults of their schemas, several times, and with wrong arguments; one that has \`destructiveHint\` as \`book!\`. The name of a tool in another case is called where it is named too (\`add,ADD\`), and should be that of none.
  It sends at most 2,000 messages, 20 a second to a server on another machine, starts a command once for each revision and once for each row that needs a process of its own, 40 times at most (the report says how often; a command that ends at once or at \`initialize\` is started once), and ends after 15 minutes; a server on HTTP that takes a second or more for each answer is asked eight things at once, and what it does not answer is waited for sixteen times as long, a minute at most. With \`--heavy\` it sends one of 100 MB too, and opens 500 connections whose requests do not end, and listens to two streams for 24 times \`--timeout\`, two minutes by default:
  for servers of your own.
- **A finding is meant to be a fault.** A wrong message has a right twin, which must work first. What is found is looked at once more, in a new conversation where that matters. What is not declared, and a revision that
  is not spoken, are no faults. What something in front of the server answers (HTML, 429, 502 to 504) says nothing of it.
  What is refused with 429, or with 503, and a \`Retry-After\` of five seconds at most, is sent again, twice at most. A redirection is told, with where it points to, and not followed.
  Over HTTP what a server might not outlive is sent last, and by itself: one that ends is found by the message, and one that is started again where it ends once more.
  Where the specification says two things (\`src/check/disputes.ts\`), what is found is a note that says both.
- **HTTP+SSE** is tried at 2024-11-05 where a POST to the address is refused with 400, 404 or 405, as a client of today would: give the address of its stream (\`/sse\`).
- **A server that wants a token** is judged with yours: \`--token-env NAME\`, \`--token-file <file>\`, or what \`parley login\` kept; nobody is asked to sign in. It is refused then without a token, with one that nobody issued, one that
  is not signed and yours altered, in a session of yours, and with the tokens of \`--other-token-env\` (somebody else's) and \`--foreign-token-env\` (for another server). Tokens are told nowhere. Without yours, what can be seen of its refusal is judged, and the exit code is 3
  where that is right.
- **\`--dry-run\`** prints what would be sent, with the example of Parley in the place of the server, which gets nothing. \`--json\` is valid by [check-report.schema.json](check-report.schema.json).
- **Exit codes:** 0 nothing is broken, 1 a MUST is (with \`--strict\` a SHOULD too), 2 the command line makes no sense, 3 it could not be judged: not reached, nothing spoken, cut short, or more rows could not be judged than were; no baseline is written then.

What it finds in servers that others wrote is in [interop-check.md](interop-check.md), and where it agrees with the official conformance suite in [interop-agreement.md](interop-agreement.md).

A row is *looked at* where every message that comes anyway is judged, and *probed* where something is sent for it. Rows that begin with \`harden-\` are no statements of the specification, and notes; \`wire-schema\` is
the official schema of each revision.
`;

const inTest = `## In a test

Start \`parley check\` and look at its exit code. \`--only\` keeps a test short, and \`--json\` gives it the report:

\`\`\`sh
npx parley-mcp check --calls add --only tools --json -- node server.js
\`\`\`
`;

/** The text of docs/check.md. */
export function checkPage(): string {
  const rules = checkRules.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const judged = new Set(rules.map(({ id }) => id));
  const others = requirements().filter(({ id, side }) => (side === 'server' || side === 'both') && !judged.has(id));
  return [
    head,
    inTest,
    `## What is judged: ${rules.length} rows\n`,
    '| Row | Level | How | What must hold |',
    '|---|---|---|---|',
    ...rules.map(ruleLine),
    `\n## What is not judged: ${others.length} rows of servers\n`,
    '| Why | Rows |',
    '|---|---|',
    ...[...new Set(reasons.map(([why]) => why))]
      .filter((why) => others.some((row) => reasonOf(row) === why))
      .map(
        (why) =>
          `| ${why} | ${others
            .filter((row) => reasonOf(row) === why)
            .map(({ id }) => id)
            .join(', ')} |`,
      ),
    '',
    clientsPart(),
  ].join('\n');
}

/** Rows of those lists of which something is seen where no tool is called. */
const seenAnyway: readonly string[] = ['041', '057', '074', '078', '079', '084', '085', '086', '090', '093', '094'].map(
  (number) => `tasks-${number}`,
);

/** Rows of which nothing is seen where no tool is called. */
const calling: ReadonlySet<string> = new Set(
  [
    ...resultRules,
    ...nextRoundRules,
    ...sequenceRules,
    ...belongingRules,
    ...runningRules,
    ...askingRules,
    ...formWordRules,
    ...noticeRules,
    ...answerRules,
    ...changeRules,
    ...coreTaskRules,
    ...coreLifeRules,
    ...coreLimitRules,
    ...taskExtensionRules,
    ...extensionLifeRules,
    ...watchedTaskRules,
  ]
    .map(({ id }) => id)
    .filter((id) => !seenAnyway.includes(id))
    .concat('caching-002', 'http-097', 'http-098', 'http-099', 'http-100', 'http-101', 'http-102')
    .concat('mrtr-004', 'auth-049', 'auth-050')
    .filter((id) => id !== 'cancel-001'),
);

/** Rows that need the token of somebody else, for another server, or bound to a key. */
const ofTokens: Readonly<Record<string, string>> = {
  'auth-122': ', --foreign-token-env',
  'auth-123': ', --foreign-token-env',
  'security-008': ', --foreign-token-env',
  'logging-011': ', with a token',
  'auth-074': ', with a token',
  'auth-058': ', with a token',
  'security-018': ', --other-token-env',
  'auth-145': ', --login',
  'auth-147': ', --login',
  ...Object.fromEntries(anotherRules.map(({ id }) => [id, ', --calls, --other-token-env'])),
  'caching-018': ', --other-token-env',
};

function ruleLine(rule: CheckRule): string {
  const row = rowOf(rule.id);
  const needs = calling.has(rule.id) ? ', --calls' : (ofTokens[rule.id] ?? '');
  const how =
    (isProbe(rule)
      ? `probed${rule.over === undefined ? '' : `, ${rule.over}`}${rule.heavy === true ? ', with --heavy' : ''}`
      : 'looked at') + needs;
  return `| ${rule.id} | ${row.level} | ${how} | ${rule.words} |`;
}

/** Why rows are not judged, the first that fits. */
const reasons: readonly (readonly [why: string, fits: (row: Requirement) => boolean])[] = [
  ...preciseReasons(),
  ['conduct of an application or its makers, which is not seen from outside', ({ sdk }) => sdk !== 'yes'],
  ...singleReasons('server'),
  ['of authorization servers, or not seen from outside', ({ id }) => /^(?:auth|security)-/.test(id)],
  ['of HTTP+SSE, and not seen from outside', ({ id }) => id.startsWith('sse-')],
  ['not judged yet', () => true],
];

function reasonOf(row: Requirement): string | undefined {
  return reasons.find(([, fits]) => fits(row))?.[0];
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, '../docs/check.md'), checkPage());
  console.log('docs/check.md');
}
