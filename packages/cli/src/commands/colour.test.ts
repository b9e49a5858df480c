import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { exampleCommand, inThisProcess } from '../../../../test/support/cli-process.ts';
import { isColoured } from './colour.ts';

const cases: readonly (readonly [isTTY: boolean, env: Readonly<Record<string, string>>, expected: boolean])[] = [
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: 'dumb' }, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [false, { FORCE_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
];

for (const [isTTY, env, expected] of cases)
  test(`${isTTY ? 'a terminal' : 'a pipe'} with ${JSON.stringify(env)} ${expected ? 'is' : 'is not'} coloured`, () => {
    assert.equal(isColoured(Object.assign(new PassThrough(), { isTTY }), env), expected);
  });

test('errors and headings are coloured if FORCE_COLOR says so', async () => {
  const [failed, listed] = await Promise.all([
    inThisProcess(['cal'], { FORCE_COLOR: '1' }),
    inThisProcess(['call', '--', ...exampleCommand], { FORCE_COLOR: '1' }),
  ]);
  assert.ok(failed.stderr.startsWith('\u001b[31mparley:\u001b[39m there is no command'), failed.stderr);
  assert.ok(listed.stdout.includes('\n\u001b[1mtools\u001b[22m\n  echo'), listed.stdout);
});
