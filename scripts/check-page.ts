/** `npm run lab -- check-page`: writes docs/check.md from the rules of `parley check` and the register. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProbe, type CheckRule } from '../packages/cli/src/check/rule.ts';
import { rowOf } from '../packages/cli/src/check/register.ts';
import { askingRules } from '../packages/cli/src/check/rules/asked/question-rules.ts';
import { answerRules } from '../packages/cli/src/check/rules/asked/answers.ts';
import { formWordRules } from '../packages/cli/src/check/rules/asked/form-words.ts';
import { noticeRules } from '../packages/cli/src/check/rules/asked/notices.ts';
import { anotherRules } from '../packages/cli/src/check/rules/another.ts';
import { changeRules } from '../packages/cli/src/check/rules/changes.ts';
import { resultRules } from '../packages/cli/src/check/rules/results.ts';
import { sequenceRules } from '../packages/cli/src/check/rules/asked/sequence.ts';
import { belongingRules } from '../packages/cli/src/check/rules/http/belongs.ts';
import { nextRoundRules } from '../packages/cli/src/check/rules/asked/rounds.ts';
import { runningRules } from '../packages/cli/src/check/rules/running.ts';
import { coreTaskRules } from '../packages/cli/src/check/rules/tasks/core.ts';
import { coreLifeRules } from '../packages/cli/src/check/rules/tasks/core-life-rules.ts';
import { extensionLifeRules } from '../packages/cli/src/check/rules/tasks/extension-rules.ts';
import { watchedTaskRules } from '../packages/cli/src/check/rules/tasks/extension-watched.ts';
import { coreLimitRules } from '../packages/cli/src/check/rules/tasks/core-limits.ts';
import { taskExtensionRules } from '../packages/cli/src/check/rules/tasks/extension.ts';
import { checkRules } from '../packages/cli/src/check/rules/rules.ts';
import { clientsPart } from './check-page-clients.ts';
import { preciseReasons, singleReasons } from './check-page-reasons.ts';
import { requirements, type Requirement } from './registers.ts';

const head = `# Check a server: \`parley check\`

\`\`\`sh
npx parley-cli check http://127.0.0.1:3000/mcp
npx parley-cli check -- node server.js
\`\`\`

\`parley check\` tests a server against the MCP specification. It opens a session in each protocol version (called
*revision* here), and sends valid and invalid messages. For each broken statement, the report shows the messages,
the fix and the place in the specification.

- \`--json\`, \`--junit\` and \`--sarif <file>\` write reports for other programs.
- \`--json-to <file>\` and \`--junit-to <file>\` write a file in addition to the printed report.
- \`--baseline <file>\` ignores known findings.
- \`parley help check\` lists all options.

## What the check sends

The check sends only messages that should change nothing on the server:

- It opens and ends its own sessions, lists entries and opens streams.
- It reads at most five listed resources, five listed apps and five listed skills.
- It gets at most three prompts that require no arguments.
- It calls only the tools that you name, as in \`--calls add,book\`.

**Calls of tools.** The arguments come from \`--args <file>\`. Without this file, the check uses the examples and defaults
of the schema. It calls each tool several times, and also with wrong arguments. To allow a tool with
\`destructiveHint\`, add an exclamation mark: \`book!\`. To test that names are case-sensitive, name a tool in another
case too: \`add,ADD\`. The second name should be unknown to the server.

**Limits.** One run has these limits:

- It sends at most 2,000 messages. A server on another machine gets at most 20 per second.
- It starts a command once for each revision, and once for each rule that needs a separate process. It starts a
  command at most 40 times, and the report shows the number. A command that exits at once or at \`initialize\` is
  started once.
- It waits 5 s for the first response of a command that does not come. After that, such waits last ten times as long as
  the slowest response, and at least 0.5 s. If a response comes late, all waits are 5 s again, and the check repeats
  findings about silence. With \`--timeout\`, each wait lasts that long.
- It ends after 15 minutes.
- If an HTTP server takes a second or more for each response, the check sends eight requests at the same time. It
  then waits sixteen times as long for missing responses, but at most a minute.

**Load.** \`--heavy\` adds tests that load a machine. Use it only for your own servers. It sends a message of 100 MB and
opens 500 connections with incomplete requests. It also listens to two streams for 24 times \`--timeout\`, by default
two minutes.

**Dry run.** \`--dry-run\` prints the messages and sends nothing to your server. An example server of Parley responds
instead.

**HTTP+SSE.** If a POST to the URL gets 400, 404 or 405, the check tries HTTP+SSE with 2024-11-05, as clients do. Give
the URL of the stream (\`/sse\`).

## Findings

A finding should always be a fault of the server:

- Each invalid message has a valid counterpart. The counterpart must succeed first.
- The check repeats each finding, in a new session if that matters.
- An undeclared feature is not a fault, and an unsupported revision is not a fault.
- The check ignores responses of a proxy or gateway: HTML, 429 and 502 to 504.
- If a response is 429 or 503 with a \`Retry-After\` of at most five seconds, the check retries at most twice.
- The report shows a redirect with its target. The check does not follow it.
- Over HTTP, the check sends messages that can crash a server last, one at a time. The finding names the message. If
  the server restarts, there is a finding only if it crashes again.
- If two parts of the specification disagree, the finding is a note that cites both.

## What counts

By default, the report is about faults that a client can notice:

- Findings are in groups, such as *Affects every client* and *Affects clients that use tools*. Errors come first.
- One fault is one finding. It lists the other rules that the fault breaks under \`also\`.
- A statement that no known client uses is a note. So far these are the batches of 2025-03-26, and the refusal of an
  unpublished stateless revision.
- Recommendations that an SDK does not follow take one line: \`5 known traits of @modelcontextprotocol/sdk 1.x\`. The
  check recognizes an SDK by texts that only this SDK sends. A broken MUST is never such a trait.

\`--strict\` shows each finding by itself, at the level of the specification.

## Servers that require a token

Give your token with \`--token-env NAME\` or \`--token-file <file>\`, or run \`parley login\` before. The check itself never
starts a login.

The check then sends requests that the server must refuse:

- without a token
- with a token that the server never issued, with an unsigned token, and with an altered copy of your token
- the same in your session
- with the token of another user, from \`--other-token-env\`
- with a token for another server, from \`--foreign-token-env\`

Tokens never appear in the output. If you give no token, the check tests only how the server refuses requests. The
exit code is 3 if it refuses them correctly.

## Reports and exit codes

\`--json\` conforms to [check-report.schema.json](check-report.schema.json).

| Exit code | Meaning |
|---|---|
| 0 | Nothing is broken. |
| 1 | A MUST is broken, and a client can notice it. With \`--strict\`, any broken MUST or SHOULD. |
| 2 | The command line is wrong. |
| 3 | The server could not be checked, and no baseline is written. |

The exit code is 3 if the server was not reached, supports no revision, or the run was cut short. It is also 3 if most
rules could not be checked.

[published-servers.md](evidence/published-servers.md) has the verdict on published servers.
[interop-check.md](evidence/interop-check.md) lists findings in other servers. [interop-agreement.md](evidence/interop-agreement.md)
compares the check with the official conformance suite.
`;

const inTest = `## In a test

Run \`parley check\` and test its exit code. \`--only\` selects rules, which keeps a test short. \`--json\` prints the report:

\`\`\`sh
npx parley-cli check --calls add --only tools --json -- node server.js
\`\`\`
`;

const rulesPart = `The column *How* has one of two values:

- *observed*: the check inspects messages that arrive anyway.
- *probed*: the check sends messages for this rule.

Rules that begin with \`harden-\` are recommendations and not statements of the specification. Their findings are
notes. \`wire-schema\` is the official schema of each revision.
`;

/** The text of docs/check.md. */
export function checkPage(): string {
  const rules = checkRules.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const judged = new Set(rules.map(({ id }) => id));
  const others = requirements().filter(({ id, side }) => (side === 'server' || side === 'both') && !judged.has(id));
  return [
    head,
    inTest,
    `## Rules: ${rules.length}\n`,
    rulesPart,
    '| Rule | Level | How | What must hold |',
    '|---|---|---|---|',
    ...rules.map(ruleLine),
    `\n## Server requirements without a rule: ${others.length}\n`,
    '| Reason | Requirements |',
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

/** Rows of those lists that a check can observe without a call of a tool. */
const seenAnyway: readonly string[] = ['041', '057', '074', '078', '079', '084', '085', '086', '090', '093', '094'].map(
  (number) => `tasks-${number}`,
);

/** Rows that a check can observe only with a call of a tool. */
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

/** Rows that need the token of another user, for another server, or bound to a key. */
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
      : 'observed') + needs;
  return `| ${rule.id} | ${row.level} | ${how} | ${rule.message} |`;
}

/** Reasons why rows have no rule. The first that fits counts. */
const reasons: readonly (readonly [why: string, fits: (row: Requirement) => boolean])[] = [
  ...preciseReasons(),
  ['behaviour of an application or its developers, not visible from outside', ({ sdk }) => sdk !== 'yes'],
  ...singleReasons('server'),
  ['about authorization servers, or not visible from outside', ({ id }) => /^(?:auth|security)-/.test(id)],
  ['about HTTP+SSE, not visible from outside', ({ id }) => id.startsWith('sse-')],
  ['no rule yet', () => true],
];

function reasonOf(row: Requirement): string | undefined {
  return reasons.find(([, fits]) => fits(row))?.[0];
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, '../docs/check.md'), checkPage());
  console.log('docs/check.md');
}
