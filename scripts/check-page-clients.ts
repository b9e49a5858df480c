/** The part of docs/check.md about clients, from the rules of `parley check --client` and the register. */

import { clientAuthorizationRules } from '../packages/cli/src/check/client/authorization/judge-logs.ts';
import { knownClient, scenarios, type Scenario } from '../packages/cli/src/check/client/authorization/scenarios.ts';
import { clientRules } from '../packages/cli/src/check/client/rules/rules.ts';
import { rowOf } from '../packages/cli/src/check/register.ts';
import { singleReasons } from './check-page-reasons.ts';
import { requirements, type Requirement } from './registers.ts';

const head = `## Check a client: \`parley check --client\`

\`\`\`sh
npx parley-cli check --client                         # prints the URL and the steps for the client
npx parley-cli check --client -- node client.js {url} # starts the client; PARLEY_CHECK_URL has the URL too
npx parley-cli check --client --stdio                 # acts as a server that a client starts; reports on standard error
npx parley-cli check --client --relay -- node client.js {command} # passes the client the command of a server that exits during a call
\`\`\`

The check runs a server on this machine. It supports every revision at \`/mcp\`, a single revision at
\`/<revision>/mcp\`, and HTTP+SSE at \`/sse\`. It listens on 127.0.0.1 only, and accepts only hostnames and origins of this
machine.

Let the client do these steps:

1. Connect and list all tools.
2. Call \`echo\`, \`ask\` and \`slow\`.
3. Call \`endless\`, and cancel the call while it runs.
4. Call \`lost\` if it is listed. The session ends then, and the client should start another one.

The check marks each completed step. It ends when all steps are complete or when the client that it started exits.
It also ends with Ctrl-C, or after \`--wait\` seconds (600 by default).

### What counts

- The check uses only what the client sends and does. A client breaks nothing if it requests no second page, declares
  no capabilities or calls no tool.
- The report names the steps that the client did not do.
- A missing response counts only after 20 seconds, and after the client has answered a later request.

### What the server does

**Unusual behaviour.** The server is valid but unusual. The third page of tools has an empty cursor. Responses arrive
on streams that begin with a comment. \`requestState\` has characters that a client might change. One tool has an invalid
\`x-mcp-header\`. One tool has a \`$ref\` to a URL on this machine, and one has an icon whose URL is not \`https:\`. The check
counts the requests for both URLs. The ids of its own requests are numbers and strings in turn, beginning with 0.

**An interrupted stream.** The stream of \`dropped\` closes before the response. This step is optional.

- From 2025-03-26 to 2025-11-25, the client gets the response with a GET and \`Last-Event-ID\`.
- At 2025-11-25, the stream closes twice. The client waits for the \`retry\` time of one second.
- At 2026-07-28, the call is lost. The client gets the response if it calls again.
- A client that gives up the call does not have to reconnect.

**Changes.** At 2026-07-28, each call of \`change\` changes the tools. The server sends the change on the streams of
\`subscriptions/listen\`. It also sends \`resources/updated\` for each subscribed resource. After the second call, the
streams break. After the third call, they end normally. A client that listens again after a break must use a new id.
This step is optional.

**Skills.** At 2026-07-28, the server declares \`io.modelcontextprotocol/skills\` without \`directoryRead\`. The text of one
skill asks the model to read a directory.

**Apps.** The tool \`app\` has an app, which records the messages of its host. The app tries to call a tool that is only
for models. It also tries to reach an undeclared address on this machine. It reports the outcome through its own tool,
with a token that only its script knows. If a host lets no app call tools, the app is not checked.

**A server that exits.** With \`--relay\`, the check continues to run while the client restarts its servers. It prints the
command for these servers. A client that the check started gets it as \`{command}\` and in \`PARLEY_CHECK_COMMAND\` (a JSON
array). At 2026-07-28, the tool \`dies\` ends the process without a response. The client should start another process. If
it was listening before, it must listen again. The check also observes how the client ends a process.

- A client may exit when its server dies, start a process for one last call, or run several processes. It may also stop
  listening before the call.
- If the client does not listen in the next process, the report has a note (\`subs-011\`). The check cannot know if that
  process belongs to the same connection.
- There is no note if the client runs several processes at once, or listens in a later one.

**A header that changes.** Call \`moving\` with \`{"place": "Oslo"}\`. The server changes the header of this tool at the first
call, and refuses that call with -32020.

**No common revision.** At \`/unknown/mcp\`, \`initialize\` returns a revision of 1999. Requests of the newest revision get
-32022. Let the client connect there too, and then exit. The client must disconnect.

**Tasks.** At 2025-11-25, \`slow\` and \`endless\` can run as tasks, and \`job\` must run as a task. At 2026-07-28, \`slow\` and
\`endless\` become tasks if the client declares the extension. After \`lost\`, the server no longer declares tasks.

- A client of 2025-11-25 that supports tasks gets two task requests. The check polls them, cancels them, and requests
  them after their end.
- A client of 2025-11-25 without tasks gets one task request, and must answer it directly.

**Undeclared requests.** The server also sends requests that the client did not declare, and the client must refuse
them. They are \`roots/list\`, sampling with and without tools, a form and a URL.

- If a client of 2025-11-25 supports URLs, the server sends one of this machine. The client must not open it if the
  user declines.
- The server sends cancellations of unknown requests and of answered requests.
- The server cancels one of its own requests if the client does not answer at once.

### Optional steps

The check covers more rules if the client does more:

- Call \`region\` with a string, a number and a boolean: \`{"region": "Malmö", "count": 3, "loud": true}\`.
- Get the prompt \`grüße\`.
- Read \`check://as-task\`.
- Call \`ask\` twice at the same time, or with other roots the second time.

### Check authorization: \`--auth\`

\`\`\`sh
npx parley-cli check --client --auth                         # prints ${scenarios.length} URLs
npx parley-cli check --client --auth -- node client.js {url} # starts the client for each, with PARLEY_CHECK_SCENARIO
\`\`\`

Each scenario is a server on this machine that requires a token, with its own authorization servers. The client
connects, lists the tools, and calls them in the order of the list.

- The authorization page needs no user. It redirects at once with a code, so a client without a browser can follow it.
- Clients that do not register use the id \`${knownClient}\`, without a secret.
- For client credentials, use the same id with any secret or any key. The check does not verify signatures.
- In some scenarios the client must refuse the server. There, a client that fails is right.
- When the command exits, the next scenario begins.

| Scenario | What the servers do |
|---|---|
${scenarios.map(scenarioLine).join('\n')}
`;

/** Describes a scenario in a row of the table. */
function scenarioLine({ name }: Scenario): string {
  const about: Readonly<Record<string, string>> = {
    right:
      'The challenge names the metadata and a scope. The metadata at the well-known URIs are wrong on purpose. `more` requires another scope. `expire` revokes all tokens. `never` requires a scope that is never granted.',
    plain:
      'The challenge has no parameters. The resource metadata are only at the root. The issuer has OpenID Connect metadata. There is no refresh token. Clients authenticate with `client_secret_basic`.',
    openid: 'The issuer has a path. Its metadata are only at the URL with the well-known suffix after the path.',
    moved: 'After `move`, the metadata name another issuer, and all tokens are invalid.',
    document:
      'The client id is the URL of a metadata document. The check fetches it if it is `https:` and not in a private network.',
    capitals: 'The metadata have the scheme of the resource in upper case.',
    proofs:
      'Tokens are bound to a DPoP key, and each proof needs the requested nonce. Clients without DPoP get bearer tokens.',
    machine:
      'There is no authorization page. Clients use client credentials with a secret or a key, or a workload token.',
    own: 'There are no metadata, as in 2025-03-26. This scenario is for clients of that revision only.',
    'mixed-up': 'The `iss` of the response names another issuer. Meanwhile, the metadata name that issuer.',
    'no-iss': 'The promised `iss` is missing.',
    'foreign-iss': 'The metadata promise no `iss`, but the response has an `iss` of another issuer.',
    'alike-iss': 'The `iss` has one slash more than the issuer.',
    'altered-state': 'The response has another `state`.',
    'other-issuer': 'The metadata of the issuer name another issuer.',
    'other-resource': 'The metadata of the resource name another resource.',
    'no-pkce': 'The metadata of the issuer do not mention PKCE.',
    unregistered: 'The server refuses every registration because of its redirect URIs, and every workload assertion.',
  };
  return `| ${name} | ${about[name] ?? ''} |`;
}

/** Reasons why rows have no rule. The first that fits counts. */
const reasons: readonly (readonly [why: string, fits: (row: Requirement) => boolean])[] = [
  ['behaviour of an application or its developers, not visible from a server', ({ sdk }) => sdk !== 'yes'],
  ...singleReasons('authorized'),
  [
    'about security on the machine of the client or in other networks, not visible from a server',
    ({ area }) => area === 'authorization' || area === 'security',
  ],
  ['about HTTP+SSE, which is optional, and not visible from a server', ({ area }) => area === 'http+sse'],
  ...singleReasons('client'),
  ['no rule yet', () => true],
];

/** The text. */
export function clientsPart(): string {
  const rules = [
    ...clientRules,
    ...clientAuthorizationRules.map((rule) => ({ ...rule, over: 'http, --auth' })),
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const judged = new Set(rules.map(({ id }) => id));
  const others = requirements().filter(({ id, side }) => (side === 'client' || side === 'both') && !judged.has(id));
  return [
    head,
    `### Client rules: ${rules.length}\n`,
    '| Rule | Level | Over | What must hold |',
    '|---|---|---|---|',
    ...rules.map(({ id, over, message: words }) => `| ${id} | ${rowOf(id).level} | ${over ?? 'both'} | ${words} |`),
    `\n### Client requirements without a rule: ${others.length}\n`,
    '| Reason | Requirements |',
    '|---|---|',
    ...[...new Set(reasons.map(([why]) => why))]
      .filter((why) => others.some((row) => reasonOf(row) === why))
      .map((why) => `| ${why} | ${idsOf(others.filter((row) => reasonOf(row) === why))} |`),
    '',
  ].join('\n');
}

function idsOf(rows: readonly Requirement[]): string {
  return rows.map(({ id }) => id).join(', ');
}

function reasonOf(row: Requirement): string | undefined {
  return reasons.find(([, fits]) => fits(row))?.[0];
}
