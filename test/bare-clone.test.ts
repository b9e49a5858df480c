/** What a clone alone shows: tests are skipped only for what a machine lacks, and nothing needs what is beside the repository. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { root } from './support/sources.ts';

/** The files with tests that may be skipped, and what has to be there for them to run. */
const maySkip: ReadonlyMap<string, string> = new Map([
  ['src/cli/shared-store.test.ts', 'Redis: npm run engines'],
  ['src/node/client/fetch-connections.test.ts', 'an address of IPv6; openssl'],
  ['src/node/credentials/file-credentials.test.ts', 'pipes in folders'],
  ['src/node/server/http.test.ts', 'an address of IPv6'],
  ['src/postgres/postgres-tasks.test.ts', 'PostgreSQL: npm run engines'],
  ['src/redis/redis-tasks.test.ts', 'Redis: npm run engines'],
  ['src/redis/store/late-write.test.ts', 'Redis: npm run engines'],
  ['src/redis/store/place.test.ts', 'Redis: npm run engines'],
  ['src/redis/store/redis-cache.test.ts', 'Redis: npm run engines'],
  ['src/redis/store/redis-cluster.test.ts', 'Redis: npm run engines'],
  ['src/redis/store/redis-contract.test.ts', 'Redis: npm run engines'],
  ['src/redis/store/redis-faults.test.ts', 'Redis: npm run engines'],
  ['src/redis/store/redis-sentinel.test.ts', 'Redis: npm run engines'],
  ['src/redis/store/redis-store.test.ts', 'Redis: npm run engines'],
  ['src/schema/budget.test.ts', 'a Node that tells the time of a thread'],
  ['src/server/tasks/crashes.test.ts', 'a Node with node:sqlite'],
  ['test/api.test.ts', 'the package, which npm ci builds'],
  ['test/authorization/account-browser.test.ts', 'Chromium; openssl'],
  ['test/authorization/browser.test.ts', 'Chromium'],
  ['test/built.test.ts', 'the package, which npm ci builds'],
  ['test/check/client/app-page.test.ts', 'Chromium'],
  ['test/check/published-readers.test.ts', 'the packages of published readers'],
  ['test/conformance.test.ts', 'Redis: npm run engines'],
  ['test/inspect/again.test.ts', 'Chromium'],
  ['test/inspect/any-request.test.ts', 'Chromium'],
  ['test/inspect/app-page.test.ts', 'Chromium'],
  ['test/inspect/apps.test.ts', 'the package, which npm ci builds'],
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
  ['test/scale/cluster-example.test.ts', 'Redis: npm run engines'],
  ['test/scale/over-redis.test.ts', 'Redis: npm run engines'],
  ['test/scale/processes/processes.test.ts', 'Redis: npm run engines'],
  ['test/scale/redis-away.test.ts', 'Redis: npm run engines'],
  ['test/store/redis-rights.test.ts', 'Redis: npm run engines'],
  ['test/tasks/crashes.test.ts', 'PostgreSQL, Redis: npm run engines'],
  ['test/tasks/processes/processes.test.ts', 'PostgreSQL, Redis: npm run engines'],
]);

function filesWith(text: RegExp, pattern: string): readonly string[] {
  const paths = globSync(pattern, { cwd: root }).map((path) => path.split(sep).join('/'));
  return paths.filter((path) => text.test(readFileSync(join(root, path), 'utf8'))).toSorted();
}

test('a test is skipped only for what a machine lacks', () => {
  const found = filesWith(/\{ skip\b|\bskip:|\.skip\(|\.todo\(|\{ todo\b|\btodo:/, '{src,test,examples}/**/*.test.ts');
  const others = found.filter((path) => path !== 'test/bare-clone.test.ts');
  assert.deepEqual(others, [...maySkip.keys()]);
});

test('one file alone looks beside the repository', () => {
  const found = filesWith(/\.\.\/shared(?![\w-])/, '{src,test,scripts,examples,bench,interop}/**/*.ts');
  assert.deepEqual(
    found.filter((path) => path !== 'test/bare-clone.test.ts'),
    ['test/support/beside.ts'],
  );
});
