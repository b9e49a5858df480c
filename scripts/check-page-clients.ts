/** Part of docs/check.md about clients, from the rules of `parley check --client` and the register. */

import { clientAuthorizationRules } from '../src/check/client/authorization/judge-trails.ts';
import { knownClient, scenarios, type Scenario } from '../src/check/client/authorization/scenarios.ts';
import { clientRules } from '../src/check/client/rules/rules.ts';
import { rowOf } from '../src/check/register.ts';
import { singleReasons } from './check-page-reasons.ts';
import { requirements, type Requirement } from './registers.ts';

const head = `## Judging a client: \`parley check --client\`

\`\`\`sh
npx parley-mcp check --client                         # says where to connect to, and what to do there
npx parley-mcp check --client -- node client.js {url} # starts the client, which may also look into PARLEY_CHECK_URL
npx parley-mcp check --client --stdio                 # is the server that a client starts; reports on standard error
npx parley-mcp check --client --relay -- node client.js {command} # gives the client a command for its server, which dies while it is used
\`\`\`

It is a server of every revision on this machine, at \`/mcp\`, of one alone at \`/<revision>/mcp\`, and by HTTP+SSE at \`/sse\`. Whoever drives the client has it connect, list all tools, call \`echo\`, \`ask\` and \`slow\`, give up \`endless\` while it
runs, and call \`lost\` where there is one: the session is gone then, and the client should begin another. What was done is ticked off; it ends when all is done, when the client that it started ends, with Ctrl-C, or after \`--wait\`
seconds (600). What a client does not do is not judged, and is named.

- **The server is right, but odd:** the third page of tools has an empty cursor, calls are answered by streams that begin with a comment, \`requestState\` has all that one might be tempted to change, one tool has an \`x-mcp-header\` that
  is none, one a \`$ref\` to an address of this machine, and one an icon that is not of \`https:\`: it counts who fetches those. Its questions have numbers and texts as their ids in turn, the first of them 0.
- **A stream that breaks off:** that of \`dropped\`. From 2025-03-26 to 2025-11-25 the answer is there for who comes back by GET with \`Last-Event-ID\`, at 2025-11-25 after the second of \`retry\`, and twice; at 2026-07-28 the call is lost,
  and answered when it is called again. It may be left out, and nobody has to come back who does not go on.
- **Changes that are listened to:** at 2026-07-28 the tools change with each call of \`change\`, which is told on the streams of \`subscriptions/listen\`, as is \`resources/updated\` of any resource that is watched. After the second call streams
  break off, and after the third they end in good order. Who listens again after a break has to do so by a new id. It may be left out.
- **Skills:** at 2026-07-28 the server declares \`io.modelcontextprotocol/skills\` without \`directoryRead\`, and has a skill whose words want a folder to be looked into.
- **Apps:** \`app\` has one, which notes what its host sends it, tries to call a tool that is for models alone and to reach an address of this machine that it did not declare, and tells that by a tool of its own. What it tells has a token that a script alone says. A host that lets no app call tools is not judged.
- **A server that dies:** with \`--relay\` the judge outlives the servers that its client starts, by the command that it says, or gives its client in the place of \`{command}\` and in \`PARLEY_CHECK_COMMAND\` (a list in JSON). At 2026-07-28 \`dies\` ends
  the process without an answer: a client should start another, and has to listen again where it listened. How it ends a process is seen there as well. Who begins another process for one last call, has several at once, or stopped listening before breaks nothing, nor does who ends when its server dies.
  Who listens no more in the next process is told so in a note (\`subs-011\`), and not where it has processes at once or listens in a later one: from outside nobody can tell for certain whether a process is begun for the same connection, or for another of its host.
- **A header that changes:** that of \`moving\`, called with \`{"place": "Oslo"}\`, is another from the first call on, which is refused with -32020.
- **A server that speaks nothing:** at \`/unknown/mcp\` \`initialize\` is answered with a revision of 1999, and what the newest revision asks is refused with -32022. A client has to go; let it connect there too, and then end.
- **Tasks:** \`slow\` and \`endless\` may be called as tasks at 2025-11-25, \`job\` has to be, and at 2026-07-28 \`slow\` and \`endless\` become tasks for a client that declares the extension. A client of 2025-11-25 that answers as tasks is
  asked for two, which are followed, cancelled, and asked for when they are over; one that does not is asked for one all the same, and has to answer as ever. After \`lost\` the server declares no tasks any more.
- **More is judged where more is done:** \`region\` called with a text, a number and a boolean (\`{"region": "Malmö", "count": 3, "loud": true}\`), the prompt \`grüße\` got, \`check://as-task\` read, two calls of \`ask\` at once, or with other roots the second time.
- **It asks for what was not declared too**, which a client has to refuse: \`roots/list\`, a question for the model, one with tools, a form, a URL; of a client of 2025-11-25 that shows pages it wants one shown that lies here, and sees whether it is opened where the answer is no; it tells of cancellations that are of nothing, or of what was answered, and takes a
  question back that is not answered at once.
- **Only what it said or did is held against a client.** A client that asks for no second page, declares nothing that it could be asked, or never calls a tool breaks nothing by that.
- **Who is slow is given time:** what is not answered is held against a client when it has answered what was asked after that, and 20 seconds are over.
- It listens at 127.0.0.1 alone, and takes names and pages of this machine alone.

### How it is authorized: \`--auth\`

\`\`\`sh
npx parley-mcp check --client --auth                         # says where to connect to, at ${scenarios.length} addresses
npx parley-mcp check --client --auth -- node client.js {url} # starts the client for each, with PARLEY_CHECK_SCENARIO
\`\`\`

Each scenario is a server that wants a token, with authorization servers of its own, on this machine. The client connects, lists the tools, and calls them in the order of the list. The page of an
authorization server asks nobody: whoever opens it is sent back at once with a code, so that a client without a browser follows one redirect. Clients that do not register themselves have the id
\`${knownClient}\`, without a secret; those that act for themselves have it too, with a secret or a key of any kind, since no signature is looked at. A client that has to refuse does right where it fails; where the command ends by itself, the next scenario begins.

| Scenario | |
|---|---|
${scenarios.map(scenarioLine).join('\n')}
`;

/** What is odd in a scenario, in a sentence. */
function scenarioLine({ name }: Scenario): string {
  const about: Readonly<Record<string, string>> = {
    right:
      'The challenge names metadata and a scope; those of the well-known places lead astray. `more` wants another scope, `expire` ends all tokens, `never` wants a scope that nobody gets.',
    plain:
      'The challenge says nothing: metadata are at the root alone, those of the issuer are of OpenID Connect; there is no refresh token, and clients are to authenticate by `client_secret_basic`.',
    openid: 'The issuer has a path, and metadata behind it alone.',
    moved: 'After `move` the metadata name another issuer, and all tokens are over.',
    document:
      'The URL of a metadata document serves as the id of a client. It is fetched, where it is `https:` and in no inner network.',
    capitals: 'The metadata say the scheme of the resource in capitals.',
    proofs:
      'Tokens are bound to the key of who proves it (DPoP), each time with the nonce that is asked for; others get one as ever.',
    machine: 'There is no page: for clients that act for themselves, by a secret, a key, or a token of their workload.',
    own: 'There are no metadata at all, as in 2025-03-26: for clients of that revision alone.',
    'mixed-up': 'The answer is of another issuer than was asked, by its `iss`, which the metadata name meanwhile.',
    'no-iss': 'The `iss` that was promised is missing.',
    'foreign-iss': 'An `iss` that was not promised is that of another.',
    'alike-iss': 'The `iss` has a slash more than the issuer.',
    'altered-state': 'The answer has another `state`.',
    'other-issuer': 'The metadata of the issuer name another.',
    'other-resource': 'The metadata of the resource name another.',
    'no-pkce': 'The metadata of the issuer say nothing of PKCE.',
    unregistered: 'Every registration is refused for its redirect URIs, and every assertion of a workload.',
  };
  return `| ${name} | ${about[name] ?? ''} |`;
}

/** Why rows are not judged, the first that fits. */
const reasons: readonly (readonly [why: string, fits: (row: Requirement) => boolean])[] = [
  ['conduct of an application or its makers, which is not seen from a server', ({ sdk }) => sdk !== 'yes'],
  ...singleReasons('authorized'),
  [
    'of security, and not seen from a server: what is opened, refused and looked up on the machine of the client, or of networks that are not that of this machine',
    ({ area }) => area === 'authorization' || area === 'security',
  ],
  ['of HTTP+SSE, which nobody has to speak, and not seen from a server', ({ area }) => area === 'http+sse'],
  ...singleReasons('client'),
  ['not judged yet', () => true],
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
    `### Rows of clients that are judged: ${rules.length}\n`,
    '| Row | Level | Over | What must hold |',
    '|---|---|---|---|',
    ...rules.map(({ id, over, words }) => `| ${id} | ${rowOf(id).level} | ${over ?? 'both'} | ${words} |`),
    `\n### Rows of clients that are not judged: ${others.length}\n`,
    '| Why | Rows |',
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
