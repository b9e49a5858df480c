/** Tests are skipped only for lack of something in the machine, and nothing needs files beside the repository. */

import { filesOf } from './repository.ts';
import { lineAt, type Rule } from './rule.ts';

/** The test files that may skip tests, and what these need to run. */
const maySkip: ReadonlyMap<string, string> = new Map([
  ['packages/cli/src/commands/help/shell-completion.test.ts', 'bash'],
  ['packages/cli/src/commands/shared-store.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/transports/node/client/fetch-connections.test.ts', 'an address of IPv6; openssl'],
  ['packages/parley/src/transports/node/credentials/file-credentials.test.ts', 'pipes in folders'],
  ['packages/parley/src/transports/node/server/http.test.ts', 'an address of IPv6'],
  ['packages/parley/src/storage/postgres/postgres-tasks.test.ts', 'PostgreSQL: npm run lab -- engines'],
  ['packages/parley/src/storage/redis/redis-tasks.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/storage/redis/store/late-write.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/storage/redis/store/place.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/storage/redis/store/redis-cache.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/storage/redis/store/redis-cluster.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/storage/redis/store/redis-contract.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/storage/redis/store/redis-faults.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/storage/redis/store/redis-sentinel.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/storage/redis/store/redis-store.test.ts', 'Redis: npm run lab -- engines'],
  ['packages/parley/src/schema/budget.test.ts', 'a Node that tells the time of a thread'],
  ['packages/parley/src/server/tasks/crashes.test.ts', 'a Node with node:sqlite'],
  ['test/advices.test.ts', 'openssl'],
  ['test/advices/inspect.test.ts', 'the package, which npm ci builds'],
  ['test/authorization/account-browser.test.ts', 'Chromium; openssl'],
  ['test/authorization/browser.test.ts', 'Chromium'],
  ['test/built.test.ts', 'the package, which npm ci builds'],
  ['test/loaded.test.ts', 'the package, which npm ci builds'],
  ['test/check/client/app-page.test.ts', 'Chromium'],
  ['test/site.test.ts', 'Chromium'],
  ['test/check/published-readers.test.ts', 'the packages of published readers'],
  ['test/conformance.test.ts', 'Redis: npm run lab -- engines'],
  ['test/inspect/again.test.ts', 'Chromium'],
  ['test/inspect/any-request.test.ts', 'Chromium'],
  ['test/inspect/app-page.test.ts', 'Chromium'],
  ['test/inspect/apps.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/arrangement.test.ts', 'Chromium'],
  ['test/inspect/bar.test.ts', 'Chromium'],
  ['test/inspect/compare.test.ts', 'Chromium'],
  ['test/inspect/daily.test.ts', 'Chromium'],
  ['test/inspect/doors.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/echoes.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/every-server.test.ts', 'Chromium'],
  ['test/inspect/exports.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/files.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/finds.test.ts', 'Chromium'],
  ['test/inspect/focus.test.ts', 'Chromium'],
  ['test/inspect/forms.test.ts', 'Chromium'],
  ['test/inspect/gone.test.ts', 'Chromium'],
  ['test/inspect/held.test.ts', 'Chromium'],
  ['test/inspect/hostile.test.ts', 'Chromium'],
  ['test/inspect/jobs.test.ts', 'Chromium'],
  ['test/inspect/keyboard.test.ts', 'Chromium'],
  ['test/inspect/layout.test.ts', 'Chromium'],
  ['test/inspect/logins.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/logs.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/page.test.ts', 'Chromium'],
  ['test/inspect/process.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/promises.test.ts', 'Chromium'],
  ['test/inspect/reach.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/recorded.test.ts', 'Chromium'],
  ['test/inspect/reloaded.test.ts', 'Chromium'],
  ['test/inspect/sampling.test.ts', 'Chromium'],
  ['test/inspect/secrets.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/sign-in-page.test.ts', 'Chromium'],
  ['test/inspect/sign-in.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/silent.test.ts', 'Chromium'],
  ['test/inspect/tasks.test.ts', 'Chromium'],
  ['test/inspect/token.test.ts', 'Chromium'],
  ['test/inspect/trial-lives.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/trial.test.ts', 'the package, which npm ci builds'],
  ['test/inspect/unanswered.test.ts', 'Chromium'],
  ['test/inspect/uses.test.ts', 'Chromium'],
  ['test/interop/python.test.ts', 'Python with its official SDK'],
  ['test/runtimes.test.ts', 'the package, which npm ci builds'],
  ['test/examples.test.ts', 'Redis: npm run lab -- engines'],
  ['test/scale/cluster-example.test.ts', 'Redis: npm run lab -- engines'],
  ['test/scale/over-redis.test.ts', 'Redis: npm run lab -- engines'],
  ['test/scale/redis-memory.test.ts', 'Redis: npm run lab -- engines'],
  ['test/scale/processes/processes.test.ts', 'Redis: npm run lab -- engines'],
  ['test/scale/redis-away.test.ts', 'Redis: npm run lab -- engines'],
  ['test/store/redis-rights.test.ts', 'Redis: npm run lab -- engines'],
  ['test/tasks/crashes.test.ts', 'PostgreSQL, Redis: npm run lab -- engines'],
  ['test/tasks/lost-effects.test.ts', 'PostgreSQL, Redis: npm run lab -- engines'],
  ['test/tasks/processes/processes.test.ts', 'PostgreSQL, Redis: npm run lab -- engines'],
]);

export const skippedTestsRule: Rule = {
  demand: 'tests are skipped only for lack of something in the machine',
  find(repository) {
    const skip = /\{ skip\b|\bskip:|\.skip\(|\.todo\(|\{ todo\b|\btodo:/;
    const skipping = new Map(
      filesOf(repository, /^(packages|test|examples)\/.*\.test\.ts$/)
        .filter(({ text }) => skip.test(text))
        .map(({ path, text }) => [path, lineAt(text, text.search(skip))]),
    );
    return [
      ...[...skipping]
        .filter(([file]) => !maySkip.has(file))
        .map(([file, line]) => ({ file, line, text: `skips a test; say what it needs in ${here}` })),
      ...[...maySkip.keys()]
        .filter((file) => !skipping.has(file))
        .map((file) => ({ file, text: `skips no test; take it out of ${here}` })),
    ];
  },
};

const here = 'scripts/check/skipped-tests.ts';

/** The one file that reads what lies beside the repository. */
const reader = 'test/support/beside.ts';

export const outsideRule: Rule = {
  demand: `only ${reader} reads files beside the repository`,
  find: (repository) =>
    filesOf(repository, /^(packages|test|scripts|examples|bench|interop)\/.*\.ts$/)
      .filter(({ path, text }) => path !== reader && path !== here && beside.test(text))
      .map(({ path, text }) => ({
        file: path,
        line: lineAt(text, text.search(beside)),
        text: `reads beside the repository; use ${reader}, and go on without it`,
      })),
};

const beside = /\.\.\/shared(?![\w-])/;
