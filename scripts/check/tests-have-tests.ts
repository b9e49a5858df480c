/** A file that is named like a test has one. */

import { filesOf } from './repository.ts';
import type { Rule } from './rule.ts';

const test = /^\s*(?:(?:await|void) )?(?:test|it|describe|suite)(?:\.\w+)?\(/m;

/** A file that runs the tests of others, with something replaced. */
const importsTests = /^await import\('[^'\n]+\.test\.ts'\);/m;

export const testsHaveTestsRule: Rule = {
  demand: 'every *.test.ts has a test',
  find: (repository) =>
    filesOf(repository, /\.test\.tsx?$/)
      .filter(({ text }) => !test.test(text) && !importsTests.test(text))
      .map(({ path }) => ({ file: path, text: 'has no test; move it to test/support/, under a name without ".test"' })),
};
