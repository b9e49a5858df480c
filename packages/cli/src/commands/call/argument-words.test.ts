import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { afterUrl, beforeCommand, takeJson, toolAtEnd, withinCommand } from './argument-words.ts';
import { UsageError } from '../io.ts';

/** The command, the tool and its arguments, in one line. */
function split(line: string): string {
  const {
    target,
    words: [tool, ...pairs],
    json,
  } = withinCommand(line.split(' '));
  assert.equal(target.kind, 'command');
  const command = target.kind === 'command' ? [target.command, ...target.args].join(' ') : '';
  const given = pairs.map((pair) => pair.replace('=', ':')).join(' ');
  return `${command} | ${tool ?? '-'} | ${given}${json.output ? ' (json)' : ''}${json.input === undefined ? '' : ` ${JSON.stringify(json.input)}`}`;
}

describe('every word after -- is the command, up to a further --', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['node server.js', 'node server.js | - | '],
    ['node server.js add', 'node server.js add | - | '],
    ['node server.js add a=1 b=2', 'node server.js add a=1 b=2 | - | '],
    ['node spy.mjs --delete old', 'node spy.mjs --delete old | - | '],
    ['bash nofile.sh', 'bash nofile.sh | - | '],
    ['server', 'server | - | '],
    ['server --json', 'server --json | - | '],
    ['server add --json {"a":1}', 'server add --json {"a":1} | - | '],
    ['a=1', 'a=1 | - | '],
    ['server stdio --', 'server stdio | - | '],
    ['server stdio -- add a=1', 'server stdio | add | a:1'],
    ['server -- add --json {"a":1} b=2 --json', 'server | add | b:2 (json) {"a":1}'],
    ['server -- --json', 'server | - |  (json)'],
    ['server a=1 -- add', 'server a=1 | add | '],
    ['npm run server -- --stdio -- add', 'npm run server -- --stdio | add | '],
    ['npm run server -- --stdio --', 'npm run server -- --stdio | - | '],
  ];
  for (const [line, expected] of cases) test(`-- ${line}`, () => assert.equal(split(line), expected));

  test('no command is left', () => assert.throws(() => split('-- add'), UsageError));

  test('an option after the last -- is refused with the cure', () => {
    assert.throws(
      () => split('npm run server -- --stdio'),
      /"--stdio" after the last -- .* end the line with one more --$/,
    );
  });
});

describe('a tool at the end of a command', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['server.js add', 'add'],
    ['server.js add a=1 b=2', 'add'],
    ['server.js add --json {"a":1}', 'add'],
    ['server.js add --verbose', undefined],
    ['server.js', undefined],
    ['', undefined],
  ];
  for (const [args, expected] of cases)
    test(`${JSON.stringify(args)}: ${expected ?? 'none'}`, () => {
      assert.equal(
        toolAtEnd(args.split(' '), (name) => name === 'add'),
        expected,
      );
    });
});

test('a tool before -- leaves the whole rest to the command', () => {
  const { target, words } = beforeCommand(['add', 'a=1'], ['server', 'x=1', '--', 'add']);
  assert.deepEqual(target, { kind: 'command', command: 'server', args: ['x=1', '--', 'add'] });
  assert.deepEqual(words, ['add', 'a=1']);
});

test('a URL comes first, then the tool', () => {
  const { target, words } = afterUrl(['http://127.0.0.1/mcp?key=1', 'add', 'a=1']);
  assert.equal(target.kind === 'url' && target.url.href, 'http://127.0.0.1/mcp?key=1');
  assert.deepEqual(words, ['add', 'a=1']);
});

test('--json has a value only when an object follows it', () => {
  assert.deepEqual(takeJson(['--json', 'add']), { rest: ['add'], json: { output: true, input: undefined } });
  assert.deepEqual(takeJson(['add', '--json', ' {"a":1}']), {
    rest: ['add'],
    json: { output: false, input: { a: 1 } },
  });
  for (const words of [['--json=[1]'], ['--json=x'], ['--json', '{']]) assert.throws(() => takeJson(words), UsageError);
});
