/** Which scenarios of the official conformance suite are run, and which of them are known to fail. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What is under test; a service is three processes of the server, which share a Redis, behind a proxy; a bridge stands before a server of the other era, that to core tasks before one of 2025-11-25 for what is tried of tasks alone, and
 * a bridged client has a bridge between it and the server.
 */
export type Side = (typeof sides)[number];

const sides = ['server', 'service', 'client', 'bridge', 'bridge-to-core-tasks', 'bridged-client'] as const;

/** One scenario at one revision. */
export interface Scenario {
  readonly side: Side;
  /** The revision that is spoken. */
  readonly revision: string;
  readonly name: string;
  /** Whether the revision requires it. */
  readonly scored: boolean;
  /** What is missing for it, of Parley or of the revision behind the bridge; `undefined` when it must pass. */
  readonly missing: string | undefined;
}

/** By the missing part, then the side, then the revision: the names of scenarios. */
type ExpectedFailures = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>>;

/** The root of the repository. */
export const root: string = fileURLToPath(new URL('..', import.meta.url));

const suite = join(root, 'node_modules/@modelcontextprotocol/conformance');

/** The program of the suite. */
export const program: string = join(suite, 'dist/index.js');

/** What the suite has beyond the scenarios that its requirement sets name. */
const others: readonly (readonly [Side, string, readonly string[]])[] = [
  ['server', '2026-07-28', ['directory', 'enumeration', 'manifest'].map((name) => `sep-2640-skills-${name}`)],
  [
    'client',
    '2026-07-28',
    ['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'].map((name) => `sep-2640-client-${name}`),
  ],
  ['client', '2025-03-26', ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback']],
];

/**
 * Lists every scenario of both sides, in the order of the suite.
 *
 * @throws Error when a failure is expected of what the suite does not have.
 */
export function plan(): readonly Scenario[] {
  const expected = expectedFailures();
  const alone = [
    ...requirements('2025-11-25'),
    ...requirements('2026-07-28'),
    ...others.flatMap(([side, revision, names]) => names.map((name) => ({ side, revision, name, scored: false }))),
  ];
  const served = alone.filter(({ side }) => side === 'server');
  const bridged = served.filter((scenario) => !expected.has(keyOf(scenario)));
  // The others look at what a client says by itself, which a bridge says in its own way.
  const authorized = alone.filter(({ side, name }) => side === 'client' && name.startsWith('auth/'));
  const named = [
    ...alone,
    // What the server has not, three of them have not.
    ...bridged.map((scenario) => ({ ...scenario, side: 'service' as const })),
    ...bridged.map((scenario) => ({ ...scenario, side: 'bridge' as const })),
    ...bridged.filter(isOfTasks).map((scenario) => ({ ...scenario, side: 'bridge-to-core-tasks' as const })),
    ...authorized.map((scenario) => ({ ...scenario, side: 'bridged-client' as const })),
  ];
  const scenarios = named.map((scenario) => ({ ...scenario, missing: expected.get(keyOf(scenario)) }));
  const stale = [...expected.keys()].filter((key) => !scenarios.some((scenario) => keyOf(scenario) === key));
  if (stale.length > 0) throw new Error(`a failure is expected of unknown scenarios: ${stale.join(', ')}`);
  return scenarios;
}

/** What is spoken behind a bridge that is asked at a revision. */
const acrossEras: ReadonlyMap<string, string> = new Map([
  ['2025-11-25', '2026-07-28'],
  ['2026-07-28', '2025-11-25'],
]);

/** What is spoken behind the bridge of a scenario: tasks of 2026-07-28 are tried before a server that has them in the same form, too. */
export function behind({ side, revision, name }: Pick<Scenario, 'side' | 'revision' | 'name'>): string {
  return (side === 'bridge' && isOfTasks({ name }) ? revision : acrossEras.get(revision)) ?? '';
}

function isOfTasks({ name }: Pick<Scenario, 'name'>): boolean {
  return name.startsWith('tasks-');
}

/** A scenario as a line names it. */
export function keyOf({ side, revision, name }: Pick<Scenario, 'side' | 'revision' | 'name'>): string {
  return `${side} ${revision} ${name}`;
}

/** Reads the list of a revision, which comes with the suite. It is YAML of this one form. */
function requirements(revision: string): readonly Omit<Scenario, 'missing'>[] {
  const text = readFileSync(join(suite, 'requirements', `${revision}.yaml`), 'utf8');
  const found: Omit<Scenario, 'missing'>[] = [];
  let section = '';
  let unscored = '';
  for (const line of text.split('\n')) {
    section = /^(\w+):$/.exec(line)?.[1] ?? section;
    const scored = /^ {2}- ([\w/.-]+)$/.exec(line)?.[1];
    if (scored !== undefined) found.push({ side: sideOf(section), revision, name: scored, scored: true });
    unscored = /^ {2}- scenario: (\S+)$/.exec(line)?.[1] ?? unscored;
    const leg = /^ {4}leg: (\w+)$/.exec(line)?.[1];
    if (leg !== undefined) found.push({ side: sideOf(leg), revision, name: unscored, scored: false });
  }
  return found;
}

function sideOf(text: string): Side {
  const side = sides.find((known) => known === text);
  if (side === undefined) throw new Error(`the requirements name an unknown side ${JSON.stringify(text)}`);
  return side;
}

/** The missing part of Parley by the key of the scenario. */
function expectedFailures(): ReadonlyMap<string, string> {
  const text = readFileSync(join(root, 'test/conformance/expected-failures.json'), 'utf8');
  // A file of the repository, in this form.
  const lists = Object.entries(JSON.parse(text) as ExpectedFailures);
  const rows = lists.flatMap(([missing, sides]) =>
    Object.entries(sides).flatMap(([side, revisions]) =>
      Object.entries(revisions).flatMap(([revision, names]) =>
        names.map((name) => [keyOf({ side: sideOf(side), revision, name }), missing] as const),
      ),
    ),
  );
  return new Map(rows);
}
