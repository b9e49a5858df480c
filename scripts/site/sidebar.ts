/** Which pages the site has, in the order of its sidebar. */

/** A group of pages under one heading. */
export interface PageGroup {
  readonly title: string;
  /** The paths of the pages, without `.md`. Their titles are their first headings. */
  readonly pages: readonly string[];
}

/** The groups of the pages in `docs/`. The pages that are generated for the site follow as `Reference`. */
export const groups: readonly PageGroup[] = [
  { title: 'Start', pages: ['index', 'tutorial', 'guide', 'requirements', 'migration', 'skill/parley-server/SKILL'] },
  {
    title: 'Servers',
    pages: [
      'server',
      'prompts-and-resources',
      'input',
      'tasks',
      'mounting',
      'middleware',
      'combine',
      'extensions',
      'testing',
    ],
  },
  { title: 'Clients', pages: ['client', 'authorization', 'transports'] },
  { title: 'Run a service', pages: ['operations', 'observability', 'bridge'] },
  { title: 'Command line', pages: ['command-line', 'explain', 'inspect', 'check'] },
  { title: 'Explanation', pages: ['what-can-run-twice', 'features', 'not-yet', 'fidelity'] },
  {
    title: 'Evidence',
    pages: [
      'evidence/interop',
      'evidence/interop-tasks',
      'evidence/interop-check',
      'evidence/interop-agreement',
      'evidence/runtimes',
      'evidence/killed-processes',
      'bench',
      'bench-scale',
    ],
  },
];
