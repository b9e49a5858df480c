/** Which pages the site has, in the order of its sidebar. */

/** A group of pages under one heading. */
export interface PageGroup {
  readonly title: string;
  /** The paths of the pages, without `.md`. Their titles are their first headings. */
  readonly pages: readonly string[];
}

/** The groups of the pages in `docs/`. The pages that are generated for the site join `Reference`. */
export const groups: readonly PageGroup[] = [
  {
    title: 'Tutorial',
    pages: ['index', 'tutorial', 'first-client', 'first-bridge', 'guide'],
  },
  {
    title: 'How-to: servers',
    pages: [
      'server',
      'how-to/return-results',
      'how-to/report-errors',
      'how-to/report-progress',
      'how-to/write-logs',
      'input',
      'how-to/clients-that-cannot-ask',
      'how-to/call-the-clients-model',
      'prompts-and-resources',
      'how-to/watch-resources',
      'how-to/resource-templates',
      'how-to/prompts',
      'how-to/keep-state',
      'how-to/change-definitions',
      'middleware',
      'how-to/redact-answers',
      'how-to/tenant-limits',
      'how-to/feature-flags',
      'combine',
      'extensions',
    ],
  },
  {
    title: 'How-to: clients',
    pages: [
      'client',
      'how-to/answer-questions',
      'how-to/answer-in-another-process',
      'how-to/handle-errors',
      'how-to/send-headers',
      'how-to/use-tools-with-a-model',
      'how-to/cache-answers',
      'how-to/share-a-client-cache',
      'transports',
    ],
  },
  {
    title: 'How-to: serve and deploy',
    pages: [
      'how-to/serve-over-stdio',
      'how-to/add-to-a-host',
      'mounting',
      'how-to/express',
      'how-to/fastify',
      'how-to/hono',
      'how-to/nextjs',
      'how-to/workers',
      'how-to/bun-and-deno',
      'how-to/lambda',
      'how-to/docker',
      'how-to/http-sse',
      'how-to/web-pages',
      'how-to/reverse-proxy',
      'operations',
      'how-to/rate-limits',
      'how-to/shut-down',
    ],
  },
  {
    title: 'How-to: authorization',
    pages: [
      'authorization',
      'how-to/sign-in',
      'how-to/sign-in-without-a-user',
      'how-to/authenticate-requests',
      'how-to/read-request-headers',
      'how-to/protect-a-server',
      'how-to/third-party-accounts',
    ],
  },
  {
    title: 'How-to: tasks',
    pages: ['tasks', 'how-to/call-a-task', 'how-to/ask-in-a-task', 'how-to/task-workers', 'how-to/task-stores'],
  },
  {
    title: 'How-to: test and observe',
    pages: [
      'testing',
      'how-to/test-a-handler',
      'how-to/test-a-protected-server',
      'how-to/test-a-client',
      'how-to/play-a-transcript',
      'how-to/test-a-store',
      'observability',
      'how-to/send-traces',
      'how-to/export-metrics',
      'how-to/log-events',
    ],
  },
  {
    title: 'How-to: bridge and tools',
    pages: ['bridge', 'how-to/bridge-a-host', 'how-to/merge-servers', 'command-line', 'explain', 'inspect', 'check'],
  },
  {
    title: 'How-to: migrate',
    pages: ['migration', 'how-to/migrate-from-fastmcp', 'skill/parley-server/SKILL'],
  },
  {
    title: 'Reference',
    pages: ['requirements', 'errors', 'environment'],
  },
  {
    title: 'Explanation',
    pages: ['what-can-run-twice', 'features', 'not-yet', 'fidelity'],
  },
  {
    title: 'Evidence',
    pages: [
      'evidence/interop',
      'evidence/interop-tasks',
      'evidence/interop-check',
      'evidence/interop-agreement',
      'evidence/runtimes',
      'evidence/killed-processes',
      'evidence/published-servers',
      'evidence/inspect-jobs',
      'bench',
      'bench-scale',
    ],
  },
];
