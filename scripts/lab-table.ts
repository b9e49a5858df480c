/** The commands of `npm run lab`: measurements, comparisons, generators and long tests. `npm run lab -- maintaining` writes them into docs/maintaining.md. */

/** A command of the lab. */
export interface Experiment {
  /** What it does, as one sentence. */
  readonly about: string;
  /** How long it takes on two quiet cores, roughly. */
  readonly time: string;
  /** What it needs besides the repository and its packages. */
  readonly needs?: string;
  /** The files of the repository that it writes. Without it, the command only prints. */
  readonly writes?: string;
  /** Whether it reads `dist/`: the package is built first, if a source changed. */
  readonly isBuilt?: true;
  readonly env?: Readonly<Record<string, string>>;
  /** The words after `node`. */
  readonly words: readonly string[];
  /** The words after these, where none are given. */
  readonly otherwise?: readonly string[];
}

type Group = Readonly<Record<string, Experiment>>;

const network = 'a network at first';
const redis = 'Redis';
const chromium = 'a Chromium';

const tryOut: Group = {
  demo: {
    about: 'Runs seven official clients against a server and the bridge.',
    time: '1 min',
    words: ['scripts/demo.ts'],
  },
  cluster: {
    about: 'Starts a Redis, three processes of one server and a proxy for them. Ctrl-C ends them.',
    time: 'until you end it',
    needs: redis,
    words: ['examples/cluster/start.ts'],
  },
  engines: {
    about: 'Installs PostgreSQL, Redis and a headless Chromium by apt-get, for tests of stores and pages.',
    time: '1 min',
    needs: 'Debian or Ubuntu, root, a network',
    words: ['scripts/engines.ts'],
  },
};

const generated: Group = {
  fidelity: {
    about: 'Writes the compatibility table from the tables of the protocol.',
    time: '1 s',
    writes: '`docs/fidelity.md`',
    words: ['scripts/fidelity.ts'],
  },
  'check-page': {
    about: 'Writes the page about the rules of `parley check`.',
    time: '1 s',
    writes: '`docs/check.md`',
    words: ['scripts/check-page.ts'],
  },
  register: {
    about: 'Writes the rows of the register that the rules of `parley check` name.',
    time: '1 s',
    writes: '`packages/cli/src/check/rows.ts`, `packages/cli/src/check/client/row/rows.ts`',
    words: ['scripts/register.ts'],
  },
  registers: {
    about: 'Writes the registers from a folder with the full texts: `registers <folder>`.',
    time: '1 s',
    needs: 'the full registers',
    writes: '`test/spec/*.tsv`',
    words: ['scripts/write-registers.ts'],
  },
  spec: {
    about: 'Writes the facts of official schemas: `spec <folder>`.',
    time: '1 s',
    needs: 'a checkout of the specification',
    writes: '`test/spec/<version>.json`',
    words: ['scripts/spec.ts'],
  },
  maintaining: {
    about: 'Writes the tables of commands.',
    time: '1 s',
    writes: '`docs/maintaining.md`',
    words: ['scripts/maintaining.ts'],
  },
  site: {
    about: 'Builds the site from `docs/`, the doc comments and `--help-all`. `--pages` writes its Markdown only.',
    time: '1 min',
    needs: network,
    writes: '`site/dist/html`',
    isBuilt: true,
    words: ['scripts/site.ts'],
  },
  messages: {
    about: 'Prints every text of the help and every message of the sources, for a look at their words.',
    time: '10 s',
    isBuilt: true,
    words: ['scripts/messages.ts'],
  },
  pictures: {
    about: 'Takes the pictures of README.md and docs/inspect.md again.',
    time: '30 s',
    needs: chromium,
    writes: '`docs/images/`',
    isBuilt: true,
    words: ['scripts/pictures.ts'],
  },
};

const counted: Group = {
  requirements: {
    about: 'Counts the normative statements that tests cite. `--missing <area>` lists the others.',
    time: '1 s',
    words: ['scripts/requirements.ts'],
  },
  behaviours: {
    about: 'Counts the behaviours that tests cite. `--missing` lists the others.',
    time: '1 s',
    words: ['scripts/behaviours.ts'],
  },
  size: {
    about: 'Prints the size of programs that use the package. `--modules <program>` lists the modules of one.',
    time: '10 s',
    isBuilt: true,
    words: ['scripts/size.ts'],
  },
  package: {
    about: 'Runs the rules of the built and packed package, or the named ones.',
    time: '1 min',
    isBuilt: true,
    words: ['scripts/check.ts', '--package'],
  },
};

const measured: Group = {
  'bench:redis': {
    about: 'Measures the throughput and latency of a store in Redis.',
    time: '5 min',
    needs: redis,
    words: ['bench/scale/redis.ts'],
  },
  'bench:inspect': {
    about: 'Measures the page of `parley inspect` with 10,000 messages and 1,002 tools.',
    time: '2 min',
    needs: chromium,
    isBuilt: true,
    words: ['bench/inspect/run.ts'],
  },
  'bench:steady': {
    about: 'Measures the memory of `parley inspect` over an hour of messages: `[messages] [per second]`.',
    time: '1 h',
    needs: chromium,
    isBuilt: true,
    words: ['bench/inspect/steady.ts'],
  },
  'bench:types': {
    about: 'Measures the type check of a server with 100 tools.',
    time: '1 min',
    words: ['bench/type-check.ts'],
  },
  'bench:install': {
    about: 'Measures the files that `npm install parley-mcp` installs.',
    time: '10 s',
    needs: 'a network',
    isBuilt: true,
    words: ['bench/install.ts'],
  },
  scale: {
    about: 'Replaces and kills three processes under load: `[times] [clients] [one|cluster] [fault]`.',
    time: '10 min',
    needs: redis,
    words: ['test/scale/processes/run.ts'],
  },
  'scale:bars': {
    about: 'Measures the limits of a service with three processes: `[name] [share of the load]`.',
    time: '13 min',
    needs: redis,
    words: ['test/scale/bars/run.ts'],
  },
};

const others: Group = {
  conformance: {
    about: 'Runs the official conformance suite, or the scenarios that match all words.',
    time: '2 min',
    words: ['scripts/conformance.ts'],
  },
  'conformance:scale': {
    about: 'Runs its server scenarios against three processes with one Redis.',
    time: '20 s',
    needs: redis,
    words: ['scripts/conformance.ts', 'service'],
  },
  runtimes: {
    about: 'Uses the package in every runtime, framework and compiler.',
    time: '10 min',
    needs: network,
    writes: '`docs/evidence/runtimes.md`, with `--write`',
    isBuilt: true,
    words: ['runtimes/run.ts'],
  },
  interop: {
    about: 'Tests with clients and servers in other languages.',
    time: '30 min',
    needs: `${network}; Python, Go, Rust and Java for their peers`,
    writes: '`docs/evidence/interop.md`',
    words: ['interop/run.ts'],
  },
  'interop:auth': {
    about: 'Signs in at authorization servers of other projects.',
    time: '10 min',
    needs: `${network}; Java and Python for their peers`,
    writes: 'a part of `docs/evidence/interop.md`',
    words: ['interop/auth/run.ts'],
  },
  'interop:tasks': {
    about: 'Tests tasks with clients and servers of other projects.',
    time: '10 min',
    needs: network,
    writes: '`docs/evidence/interop-tasks.md`',
    words: ['interop/tasks/run.ts'],
  },
  'interop:check': {
    about: 'Runs `parley check` against servers of other projects.',
    time: '10 min',
    needs: `${network}; Python, Go, Rust and Java for their peers`,
    writes: '`docs/evidence/interop-check.md`',
    words: ['interop/check/run.ts'],
  },
  'interop:agreement': {
    about: 'Compares `parley check` with the official suite on planted faults.',
    time: '10 min',
    writes: '`docs/evidence/interop-agreement.md`',
    words: ['interop/agreement/run.ts'],
  },
  executors: {
    about: 'Runs tasks on DBOS, BullMQ and Temporal, in a process that is killed.',
    time: '5 min',
    needs: `${network}; PostgreSQL, Redis, and Go for Temporal`,
    words: ['executors/run.ts'],
  },
};

const long: Group = {
  mutate: {
    about:
      'Plants small faults and lists the tests that find them: `[--sample N] [--seed N] [--only rows] [--cpu N] [--measured] [file or folder …]`.',
    time: '30 min for 500',
    words: ['scripts/mutate.ts'],
  },
  browser: {
    about: 'Runs the tests that open pages in a browser.',
    time: '5 min',
    needs: chromium,
    isBuilt: true,
    words: [
      'scripts/test.ts',
      'test/authorization/browser.test.ts',
      'test/authorization/account-browser.test.ts',
      'test/inspect/',
    ],
  },
  starved: {
    about: 'Runs all tests, or the named files, as on a busy machine.',
    time: '1 h',
    isBuilt: true,
    words: ['scripts/test.ts', '--starved'],
    otherwise: ['all'],
  },
  simulate: {
    about: 'Simulates schedules of a service. `--seed N` shows one, `--night` runs a million.',
    time: '2 min for 10,000',
    words: ['test/simulation/service/run.ts'],
  },
  'simulate:reach': {
    about: 'Prints which branches of the code ran in schedules: `--count N`, `--lines`.',
    time: '1 min',
    words: ['test/simulation/reach/run.ts'],
  },
  'simulate:planted': {
    about: 'Plants each known fault and checks that schedules find it: `--count N`, `--only <words>`.',
    time: '1 h',
    words: ['test/simulation/planted/run.ts'],
  },
  'simulate:refresh': {
    about: 'Simulates processes that renew one grant: `[count] [first seed]`.',
    time: '2 min',
    words: ['test/refresh/run.ts'],
  },
  'processes:refresh': {
    about: 'Does the same with real processes: `[count] [first seed] [at once]`.',
    time: '30 min',
    words: ['test/refresh/processes/run.ts'],
  },
  'processes:tasks': {
    about: 'Kills processes that run 1,000 tasks of each store: `[tasks] [seed] [stores]`.',
    time: '10 min',
    needs: 'PostgreSQL and Redis for their stores',
    words: ['test/tasks/processes/run.ts'],
  },
  'model:tasks': {
    about: 'Compares 100,000 courses of tasks with a model.',
    time: '10 min',
    env: { TASK_LIVES: '100000', TASK_COURSES: '100000' },
    words: ['scripts/test.ts', 'packages/parley/src/tasks/model.test.ts', 'test/tasks/store-model.test.ts'],
  },
};

const published: Group = {
  release: {
    about: 'Checks that this version can be published. `--publish` publishes it with provenance.',
    time: '1 min',
    needs: 'a tag, and GitHub Actions for `--publish`',
    isBuilt: true,
    words: ['scripts/release.ts'],
  },
};

/** The commands, by group. */
export const groups: Readonly<Record<string, Group>> = {
  'Try it': tryOut,
  'Write files again': generated,
  Count: counted,
  Measure: measured,
  'Test with other software': others,
  'Run longer tests': long,
  Release: published,
};

/** Every command by its name. */
export const experiments: Group = Object.assign({}, ...Object.values(groups));
