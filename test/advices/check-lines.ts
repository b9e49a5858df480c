/** Command lines of `parley check` that are rejected with an advice. */

import type { AdvisedLine } from './lines.ts';

const waits = { until: /your client/i, code: 3 };

/** Those lines. */
export const checkLines: readonly AdvisedLine[] = [
  {
    text: '--calls wants names of tools with commas between them, such as --calls add,book!',
    wrong: 'check --only tools-008 --calls , {url}',
    right: ['check --only tools-008 --calls add,book! {url}'],
  },
  {
    text: '--args has arguments of ${}, which --calls does not name',
    wrong: 'check --only tools-008 --calls echo --args {args} {url}',
    right: ['check --only tools-008 --calls echo,$1 --args {args} {url}'],
  },
  {
    text: '--args needs --calls, which names the tools that may be called',
    wrong: 'check --only tools-008 --args {args} {url}',
    right: ['check --only tools-008 --args {args} --calls add {url}'],
  },
  {
    text: '--json and --junit print in one place; give one of them, and --json-to or --junit-to with a file',
    wrong: 'check --only tools-008 --json --junit {url}',
    right: [
      'check --only tools-008 --json --junit-to {folder}/a.xml {url}',
      'check --only tools-008 --junit --json-to {folder}/a.json {url}',
    ],
  },
  {
    text: '--${} and --${} name the same file ${}; give each its own',
    wrong: 'check --only tools-008 --json-to {folder}/a --junit-to {folder}/a {url}',
    right: ['check --only tools-008 --json-to {folder}/a --junit-to {folder}/b {url}'],
  },
  {
    text: '--write-baseline needs --baseline <file>, which it writes',
    wrong: 'check --only tools-008 --write-baseline {url}',
    right: ['check --only tools-008 --write-baseline --baseline {folder}/known.json {url}'],
  },
  {
    text: '--sarif-file goes with --sarif <file>, whose findings it gives a place in your repository',
    wrong: 'check --only tools-008 --sarif-file a.ts {url}',
    right: ['check --only tools-008 --sarif-file a.ts --sarif {folder}/a.sarif {url}'],
  },
  {
    text: '--dry-run goes with a server; --client sends what the client asks for',
    wrong: 'check --dry-run --client',
    right: ['check --only tools-008 --dry-run {url}'],
  },
  {
    text: '--${} ${}',
    wrong: 'check --client --token-env SET',
    right: ['check --only tools-008 --token-env SET {url}'],
  },
  {
    text: '--${} goes with --client, which waits for a client',
    wrong: 'check --wait 5 {url}',
    right: ['check --wait 5 --client'],
    ...waits,
  },
  {
    text: '--judge goes with --client --stdio: it is part of the command that --relay gives',
    wrong: 'check --judge /nowhere {url}',
    right: ['check --client --relay'],
    ...waits,
  },
  {
    text: '--client waits for a client, and takes no address: ${}',
    wrong: 'check --client {url}',
    right: ['check --client'],
    ...waits,
  },
  {
    text: '--relay has a client start its server by a command: leave --stdio, --port and --auth out',
    wrong: 'check --client --relay --port 0',
    right: ['check --client --relay'],
    ...waits,
  },
  {
    text: '--stdio listens at no port',
    wrong: 'check --client --stdio --port 0',
    right: ['check --client --port 0'],
    ...waits,
  },
  {
    text: '--stdio is for a client that starts parley check as its server; leave the command out',
    wrong: 'check --client --stdio -- node',
    right: ['check --client --stdio'],
    until: /./,
    code: 3,
  },
  {
    text: '--auth goes with HTTP: a client that starts its server has its credentials from its environment',
    wrong: 'check --client --auth --stdio',
    right: ['check --client --auth'],
    ...waits,
  },
  {
    text: '; rows of authorization need --auth',
    wrong: 'check --client --only auth-076',
    right: ['check --client --only auth-076 --auth'],
    ...waits,
  },
  {
    text: 'the variable ${} of --${} holds no token: one is text without spaces',
    wrong: 'check --only tools-008 --other-token-env SPACED {url}',
    right: ['check --only tools-008 --other-token-env SET {url}'],
  },
];
