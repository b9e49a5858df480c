import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ParseArgsOptionsConfig } from 'node:util';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';
import { bridgeOptions, servingOptions } from '../bridge.ts';
import { callOptions } from '../call/call.ts';
import { clientOptions } from '../call/open.ts';
import { savingOptions, useOptions } from '../call/use-server.ts';
import { checkOptions } from '../check/check.ts';
import { explainOptions } from '../explain/explain.ts';
import { inspectOptions } from '../inspect/inspect.ts';
import { loginOptions, logoutOptions, whoamiOptions } from '../login/login.ts';
import { answerOptions } from '../tasks/tasks.ts';
import { helpOn, topics } from './help.ts';
import { layOut } from './layout.ts';

const json = { json: { type: 'boolean' } } as const;

/** A part of the command that `parley check --client --relay` prints; nobody types it. */
const internal = 'judge';

const accepted: Readonly<Record<string, ParseArgsOptionsConfig>> = {
  bridge: bridgeOptions,
  call: { ...callOptions, ...json },
  check: checkOptions,
  completion: {},
  complete: { ...useOptions, ...json },
  example: {},
  explain: explainOptions,
  inspect: inspectOptions,
  login: loginOptions,
  logout: logoutOptions,
  prompt: { ...savingOptions, ...json },
  read: { ...savingOptions, ...json },
  send: { ...useOptions, ...json },
  start: servingOptions,
  tasks: { ...clientOptions, ...answerOptions, ...json },
  watch: { ...useOptions, ...json },
  whoami: whoamiOptions,
};

function flagsOf(name: string): readonly string[] {
  const flags = topics.find((topic) => topic.name === name)?.groups.flatMap(({ options }) => options) ?? [];
  const names = flags.flatMap(({ flag }) => /^(?:-\w, )?--([\w-]+)/.exec(flag)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

describe('the help', () => {
  for (const { name } of topics) {
    test(`on ${name} lists the options that the command accepts, and no others`, () => {
      assert.deepEqual(
        flagsOf(name),
        Object.keys(accepted[name] ?? {})
          .filter((option) => option !== internal)
          .toSorted(),
      );
    });

    test(`on ${name} fits 100 columns and begins with examples`, () => {
      for (const isAll of [false, true]) {
        const lines = (helpOn(name, isAll) ?? '').split('\n');
        assert.deepEqual(
          lines.filter((line) => line.length > 100),
          [],
        );
        assert.equal(lines[0]?.startsWith(`parley ${name}: `), true);
        assert.equal(lines[2], 'Examples');
      }
    });
  }

  test('without a command fits 100 columns', () => {
    const lines = (helpOn() ?? '').split('\n');
    assert.deepEqual(
      lines.filter((line) => line.length > 100),
      [],
    );
  });

  test('is the same by --help-all and by the command help', async () => {
    const [word, flag, short] = await Promise.all([
      inThisProcess(['help', 'call']),
      inThisProcess(['call', '--help-all']),
      inThisProcess(['call', '--help']),
    ]);
    assert.equal(word.stdout, flag.stdout);
    assert.doesNotMatch(short.stdout, /--redirect-port/);
    assert.match(flag.stdout, /--redirect-port/);
    assert.deepEqual([word.code, flag.code, short.code], [0, 0, 0]);
  });

  test('says how many options it leaves out', () => {
    const topic = {
      name: 'sample',
      summary: 'a command',
      examples: [],
      usage: [''],
      groups: [
        {
          title: 'Options',
          options: [
            { flag: '--a', text: 'First.' },
            { flag: '--b', text: 'Second.', isRare: true },
          ],
        },
      ],
    } as const;
    assert.match(
      layOut(topic, false),
      /\n {2}--a {25}First\.\n\nExit codes: 0 success, [^\n]*\n\nparley sample --help-all shows 1 more option\.\n$/,
    );
    assert.match(
      layOut(topic, true),
      /\n {2}--a {25}First\.\n {2}--b {25}Second\.\n\nExit codes: 0 success, [^\n]*\n$/,
    );
  });
});
