/** The programs in README.md and docs/ are those in examples/, which tests run. */

import type { Repository } from './repository.ts';
import { lineAt, type Finding, type Rule } from './rule.ts';

/** The programs of README.md, in their order: it has no others. */
const readme = ['server.ts', 'one-line.ts', 'client.ts', 'asking.ts'];

/** The programs that a page has in full. */
const pages: Readonly<Record<string, readonly string[]>> = {
  'docs/client.md': ['host.ts'],
  'docs/combine.md': ['mount.ts'],
  'docs/extensions.md': ['own-method.ts'],
  'docs/first-bridge.md': ['newest-only.ts'],
  'docs/first-client.md': ['first-client.ts'],
  'docs/how-to/answer-in-another-process.md': ['by-hand.ts'],
  'docs/how-to/answer-questions.md': ['answers.ts'],
  'docs/how-to/ask-in-a-task.md': ['tasks/hosted.ts'],
  'docs/how-to/authenticate-requests.md': ['tokens.ts'],
  'docs/how-to/bun-and-deno.md': ['mounted/bun.ts'],
  'docs/how-to/cache-answers.md': ['middleware/caching.ts'],
  'docs/how-to/call-a-task.md': ['long-call.ts', 'start-task.ts'],
  'docs/how-to/call-the-clients-model.md': ['summarize.ts'],
  'docs/how-to/change-definitions.md': ['changing.ts'],
  'docs/how-to/clients-that-cannot-ask.md': ['in-words.ts'],
  'docs/how-to/export-metrics.md': ['observability/metrics.ts'],
  'docs/how-to/express.md': ['mounted/express.js', 'mounted/express-user.js'],
  'docs/how-to/fastify.md': ['mounted/fastify.js'],
  'docs/how-to/feature-flags.md': ['middleware/flags.ts'],
  'docs/how-to/handle-errors.md': ['errors.ts'],
  'docs/how-to/hono.md': ['mounted/hono.ts'],
  'docs/how-to/keep-state.md': ['whose-state.ts'],
  'docs/how-to/lambda.md': ['mounted/lambda.ts'],
  'docs/how-to/log-events.md': ['observability/events.ts'],
  'docs/how-to/merge-servers.md': ['merge.ts'],
  'docs/how-to/nextjs.md': ['mounted/next-route.ts'],
  'docs/how-to/migrate-from-fastmcp.md': ['migration/fastmcp-before.ts', 'migration/fastmcp-after.ts'],
  'docs/how-to/play-a-transcript.md': ['testing/transcript.test.ts'],
  'docs/how-to/prompts.md': ['prompt.ts'],
  'docs/how-to/protect-a-server.md': ['guarded.ts'],
  'docs/how-to/rate-limits.md': ['limited.ts'],
  'docs/how-to/read-request-headers.md': ['headers.ts'],
  'docs/how-to/web-pages.md': ['web-page.ts'],
  'docs/how-to/redact-answers.md': ['middleware/redaction.ts'],
  'docs/how-to/report-errors.md': ['tool-error.ts'],
  'docs/how-to/report-progress.md': ['progress.ts'],
  'docs/how-to/resource-templates.md': ['template.ts'],
  'docs/how-to/return-results.md': ['results.ts'],
  'docs/how-to/reverse-proxy.md': ['behind-proxy.ts'],
  'docs/how-to/send-headers.md': ['api-key.ts'],
  'docs/how-to/send-traces.md': ['observability/traces.ts'],
  'docs/how-to/serve-over-stdio.md': ['stdio.ts', 'both.ts'],
  'docs/how-to/share-a-client-cache.md': ['shared-cache.ts'],
  'docs/how-to/shut-down.md': ['shut-down.ts'],
  'docs/how-to/sign-in.md': ['sign-in.ts'],
  'docs/how-to/task-stores.md': ['tasks/contract.test.ts', 'tasks/postgres.ts', 'tasks/redis.ts'],
  'docs/how-to/task-workers.md': ['tasks/worker.ts', 'tasks/executor.ts'],
  'docs/how-to/tenant-limits.md': ['middleware/limits.ts'],
  'docs/how-to/test-a-client.md': ['testing/client.test.ts'],
  'docs/how-to/test-a-handler.md': ['testing/handler.test.ts'],
  'docs/how-to/test-a-protected-server.md': ['testing/guarded.test.ts'],
  'docs/how-to/test-a-store.md': ['testing/store.test.ts'],
  'docs/how-to/third-party-accounts.md': ['account.ts'],
  'docs/how-to/use-tools-with-a-model.md': ['llm-tools.ts'],
  'docs/how-to/watch-resources.md': ['subscribe.ts'],
  'docs/how-to/workers.md': ['mounted/worker.ts', 'mounted/worker-token.ts'],
  'docs/how-to/write-logs.md': ['logs.ts'],
  'docs/input.md': ['asking.ts'],
  'docs/middleware.md': ['middleware/timing.ts'],
  'docs/migration.md': ['migration/before.ts', 'migration/after.ts'],
  'docs/mounting.md': ['deployed.ts'],
  'docs/observability.md': ['observability/telemetry.mjs'],
  'docs/operations.md': ['cluster/server.ts'],
  'docs/skill/parley-server/SKILL.md': ['orders.ts'],
  'docs/tasks.md': ['tasks/report.ts'],
  'docs/testing.md': ['in-memory.test.ts'],
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
