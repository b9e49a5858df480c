/** Everything that `npm run lab` runs: measurements, comparisons with others, generators and long tests. */

/** A command of the lab. */
export interface Experiment {
  /** What it does, as one sentence. */
  readonly about: string;
  /** How long it takes on two quiet cores, roughly. */
  readonly time: string;
  /** What it needs beside the repository and its packages. */
  readonly needs?: string;
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
    about: 'Has seven official clients visit a server and the bridge.',
    time: '1 min',
    words: ['scripts/demo.ts'],
  },
  cluster: {
    about: 'Starts a Redis, three processes of one server and a proxy in front of them; Ctrl-C ends them.',
    time: 'until you end it',
    needs: redis,
    words: ['examples/cluster/start.ts'],
  },
  engines: {
    about: 'Installs PostgreSQL, Redis and a Chromium without windows by apt-get, for the tests of stores and pages.',
    time: '1 min',
    needs: 'Debian or Ubuntu, root, a network',
    words: ['scripts/engines.ts'],
  },
};

const generated: Group = {
  fidelity: {
    about: 'Writes docs/fidelity.md from the tables of the bridge.',
    time: '1 s',
    words: ['scripts/fidelity.ts'],
  },
  'check-page': {
    about: 'Writes docs/check.md from the rules of `parley check`.',
    time: '1 s',
    words: ['scripts/check-page.ts'],
  },
  register: {
    about: 'Writes the rows of the register that the rules of `parley check` name into src/check.',
    time: '1 s',
    words: ['scripts/register.ts'],
  },
  registers: {
    about: 'Writes test/spec/*.tsv from a folder with the full registers: `registers <folder>`.',
    time: '1 s',
    needs: 'the full registers',
    words: ['scripts/write-registers.ts'],
  },
  spec: {
    about: 'Writes test/spec/<version>.json from official schemas: `spec <folder>`.',
    time: '1 s',
    needs: 'a checkout of the specification',
    words: ['scripts/spec.ts'],
  },
  pictures: {
    about: 'Takes the pictures of the README again.',
    time: '30 s',
    needs: chromium,
    isBuilt: true,
    words: ['scripts/pictures.ts'],
  },
};

const counted: Group = {
  requirements: {
    about: 'Counts the normative statements that tests cite; `--missing <area>` lists the others.',
    time: '1 s',
    words: ['scripts/requirements.ts'],
  },
  behaviours: {
    about: 'Counts the behaviours that tests cite; `--missing` lists the others.',
    time: '1 s',
    words: ['scripts/behaviours.ts'],
  },
  size: {
    about: 'Prints the size of programs that use the package; `--modules <program>` lists what is in one.',
    time: '10 s',
    isBuilt: true,
    words: ['scripts/size.ts'],
  },
  package: {
    about: 'Runs the rules of the built and packed package, all of them or those that are named.',
    time: '1 min',
    isBuilt: true,
    words: ['scripts/check.ts', '--package'],
  },
};

const measured: Group = {
  'bench:redis': {
    about: 'Measures how often, and for how long, a store in Redis is asked.',
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
    about: 'Measures what `parley inspect` holds over an hour of messages; `[messages] [per second]`.',
    time: '1 h',
    needs: chromium,
    isBuilt: true,
    words: ['bench/inspect/steady.ts'],
  },
  'bench:types': {
    about: 'Measures how long the type checker takes for a server with 100 tools.',
    time: '1 min',
    words: ['bench/type-check.ts'],
  },
  'bench:install': {
    about: 'Measures what `npm install parley-mcp` brings.',
    time: '10 s',
    needs: 'a network',
    isBuilt: true,
    words: ['bench/install.ts'],
  },
  scale: {
    about: 'Replaces and kills three processes while clients call; `[times] [clients] [one|cluster] [fault]`.',
    time: '10 min',
    needs: redis,
    words: ['test/scale/processes/run.ts'],
  },
  'scale:bars': {
    about: 'Measures limits of a service of three processes; `[name] [share of the whole number]`.',
    time: '13 min',
    needs: redis,
    words: ['test/scale/bars/run.ts'],
  },
};

const others: Group = {
  conformance: {
    about: 'Runs the official conformance suite, or the scenarios whose lines have all the words.',
    time: '2 min',
    words: ['scripts/conformance.ts'],
  },
  'conformance:scale': {
    about: 'Runs the server scenarios of that suite against three processes that share a Redis.',
    time: '20 s',
    needs: redis,
    words: ['scripts/conformance.ts', 'service'],
  },
  runtimes: {
    about: 'Uses the package in every runtime, framework and compiler; `--write` writes docs/runtimes.md.',
    time: '10 min',
    needs: network,
    isBuilt: true,
    words: ['runtimes/run.ts'],
  },
  interop: {
    about: 'Drives clients and servers of other languages, and writes docs/interop.md.',
    time: '30 min',
    needs: `${network}; Python, Go, Rust and Java for their peers`,
    words: ['interop/run.ts'],
  },
  'interop:auth': {
    about: 'Signs in at authorization servers of others, and writes its part of docs/interop.md.',
    time: '10 min',
    needs: `${network}; Java and Python for their peers`,
    words: ['interop/auth/run.ts'],
  },
  'interop:tasks': {
    about: 'Drives tasks of clients and servers of others, and writes docs/interop-tasks.md.',
    time: '10 min',
    needs: network,
    words: ['interop/tasks/run.ts'],
  },
  'interop:check': {
    about: 'Has `parley check` check servers of others, and writes docs/interop-check.md.',
    time: '10 min',
    needs: `${network}; Python, Go, Rust and Java for their peers`,
    words: ['interop/check/run.ts'],
  },
  'interop:agreement': {
    about: 'Compares `parley check` with the official suite on planted faults, and writes docs/interop-agreement.md.',
    time: '10 min',
    words: ['interop/agreement/run.ts'],
  },
  executors: {
    about: 'Has DBOS, BullMQ and Temporal do the work of tasks in a process that is killed.',
    time: '5 min',
    needs: `${network}; PostgreSQL, Redis, and Go for Temporal`,
    words: ['executors/run.ts'],
  },
};

const long: Group = {
  mutate: {
    about:
      'Plants small faults and says which the fast tests find: `[--sample N] [--seed N] [--only rows] [file or folder …]`.',
    time: '1 h for 500',
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
    about: 'Runs the tests as on a machine that does a dozen other things; name files to run only those.',
    time: '1 h',
    isBuilt: true,
    words: ['scripts/test.ts', '--starved'],
    otherwise: ['all'],
  },
  simulate: {
    about: 'Runs schedules of a service in simulated time; `--seed N` shows one, `--night` runs a million.',
    time: '2 min for 10,000',
    words: ['test/simulation/service/run.ts'],
  },
  'simulate:reach': {
    about: 'Prints which branches of the code ran in schedules; `--count N`, `--lines`.',
    time: '1 min',
    words: ['test/simulation/reach/run.ts'],
  },
  'simulate:planted': {
    about: 'Plants each known fault and looks whether schedules find it; `--count N`, `--only <words>`.',
    time: '1 h',
    words: ['test/simulation/planted/run.ts'],
  },
  'simulate:refresh': {
    about: 'Runs schedules of processes that renew one grant: `[how many] [first seed]`.',
    time: '2 min',
    words: ['test/refresh/run.ts'],
  },
  'processes:refresh': {
    about: 'Does the same with processes of the machine: `[how many] [first seed] [at once]`.',
    time: '30 min',
    words: ['test/refresh/processes/run.ts'],
  },
  'processes:tasks': {
    about: 'Has processes that are killed work on 1,000 tasks of each store: `[tasks] [seed] [stores]`.',
    time: '10 min',
    needs: 'PostgreSQL and Redis for their stores',
    words: ['test/tasks/processes/run.ts'],
  },
  'model:tasks': {
    about: 'Compares 100,000 courses of tasks with a model.',
    time: '10 min',
    env: { TASK_LIVES: '100000', TASK_COURSES: '100000' },
    words: ['scripts/test.ts', 'src/tasks/model.test.ts', 'test/tasks/store-model.test.ts'],
  },
};

/** The commands, by group. */
export const groups: Readonly<Record<string, Group>> = {
  'Try it': tryOut,
  'Write files again': generated,
  'Count and weigh': counted,
  Measure: measured,
  'Beside software of others': others,
  'Longer tests': long,
};

/** Every command by its name. */
export const experiments: Group = Object.assign({}, ...Object.values(groups));
