/** The programs in README.md and docs/ are those in examples/, which tests run. */

import type { Repository } from './repository.ts';
import { lineAt, type Finding, type Rule } from './rule.ts';

/** The programs of README.md, in their order: it has no others. */
const readme = ['server.ts', 'client.ts', 'asking.ts'];

/** The programs that a page has in full. */
const pages: Readonly<Record<string, readonly string[]>> = {
  'docs/authorization.md': ['account.ts'],
  'docs/bridge.md': ['merge.ts'],
  'docs/client.md': ['host.ts', 'llm-tools.ts', 'by-hand.ts', 'api-key.ts', 'sign-in.ts'],
  'docs/combine.md': ['mount.ts'],
  'docs/extensions.md': ['own-method.ts'],
  'docs/input.md': ['asking.ts', 'summarize.ts', 'in-words.ts'],
  'docs/middleware.md': ['timing', 'caching', 'redaction', 'limits', 'flags'].map((name) => `middleware/${name}.ts`),
  'docs/migration.md': ['migration/before.ts', 'migration/after.ts'],
  'docs/mounting.md': [
    'deployed.ts',
    ...['express.js', 'express-user.js', 'fastify.js', 'hono.ts', 'next-route.ts', 'worker.ts'].map(
      (name) => `mounted/${name}`,
    ),
  ],
  'docs/observability.md': ['traces.ts', 'metrics.ts', 'events.ts', 'telemetry.mjs'].map(
    (name) => `observability/${name}`,
  ),
  'docs/operations.md': ['cluster/server.ts', 'limited.ts', 'behind-proxy.ts', 'shared-cache.ts'],
  'docs/prompts-and-resources.md': ['subscribe.ts', 'template.ts', 'prompt.ts'],
  'docs/server.md': [
    'results.ts',
    'tool-error.ts',
    'whose-state.ts',
    'changing.ts',
    'stdio.ts',
    'both.ts',
    'guarded.ts',
  ],
  'docs/skill/parley-server/SKILL.md': ['orders.ts'],
  'docs/tasks.md': [
    'long-call.ts',
    'start-task.ts',
    ...['report', 'hosted', 'worker', 'executor', 'contract.test', 'postgres', 'redis'].map(
      (name) => `tasks/${name}.ts`,
    ),
  ],
  'docs/testing.md': [
    'in-memory.test.ts',
    ...['client', 'handler', 'guarded', 'transcript', 'store'].map((name) => `testing/${name}.test.ts`),
  ],
  'docs/transports.md': ['transport-tcp.ts'],
  'docs/tutorial.md': ['server.ts', 'client.ts', 'asking.ts', 'in-memory.test.ts'],
};

export const docProgramsRule: Rule = {
  demand: 'the programs of README.md and docs/ are those in examples/',
  find: (repository) => [
    ...faultsOfReadme(repository),
    ...Object.entries(pages).flatMap(([page, programs]) =>
      programs
        .filter((program) => !repository.read(page).includes(`\n${programText(repository, program)}\`\`\``))
        .map((program) => ({ file: page, text: `does not have examples/${program} as it is; copy the program` })),
    ),
  ],
};

function faultsOfReadme(repository: Repository): readonly Finding[] {
  const file = 'README.md';
  const text = repository.read(file);
  const blocks = [...text.matchAll(/```ts\n([^]*?)```/g)];
  const different = blocks
    .map(({ 1: code, index }, at) => ({ code, line: lineAt(text, index), program: readme[at] }))
    .filter(({ code, program }) => program === undefined || code !== repository.read(`examples/${program}`))
    .map(({ line, program }) => ({
      file,
      line,
      text:
        program === undefined
          ? 'has a program that scripts/check/doc-programs.ts does not list'
          : `has another program than examples/${program}; copy that`,
    }));
  const missing = readme
    .slice(blocks.length)
    .map((program) => ({ file, text: `lacks the program examples/${program}` }));
  return [...different, ...missing];
}

/** A program as a page shows it: comments to the linter are left out. */
function programText({ read }: Repository, program: string): string {
  return read(`examples/${program}`).replaceAll(/^\/\/ oxlint.*\n/gm, '');
}
