import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { afterUrl, beforeCommand, takeJson, withinCommand } from './words.ts';
import { UsageError } from '../io.ts';

const files: ReadonlySet<string> = new Set(['server.js', 'data']);

/** Where the command ends and what the tool is or may be, in one line. */
function split(line: string): string {
  const { target, tool, pairs, json, perhaps } = withinCommand(line.split(' '), (word) => files.has(word));
  assert.equal(target.kind, 'command');
  const command = target.kind === 'command' ? [target.command, ...target.args].join(' ') : '';
  const given = pairs.map(([name, value]) => `${name}:${value}`).join(' ');
  return `${command} | ${tool ?? (perhaps === undefined ? '-' : `${perhaps.tool}?`)} | ${given}${json.output ? ' (json)' : ''}${json.input === undefined ? '' : ` ${JSON.stringify(json.input)}`}`;
}

describe('a command and a tool are told apart', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['node server.js', 'node server.js | - | '],
    ['node server.js add', 'node server.js add | add? | '],
    ['node server.js add a=1 b=2', 'node server.js | add | a:1 b:2'],
    ['node server.js data', 'node server.js data | - | '],
    ['node server.js data a=1', 'node server.js | data | a:1'],
    ['node server.js --verbose', 'node server.js --verbose | - | '],
    ['node server.js --verbose add', 'node server.js --verbose add | add? | '],
    ['npx -y @scope/server', 'npx -y @scope/server | - | '],
    ['npx -y @scope/server echo message=a=b', 'npx -y @scope/server | echo | message:a=b'],
    ['server', 'server | - | '],
    ['server --json', 'server | - |  (json)'],
    ['server add --json', 'server add | add? |  (json)'],
    ['server add a=1 --json', 'server | add | a:1 (json)'],
    ['server add --json a=1', 'server | add | a:1 (json)'],
    ['server add --json {"a":1}', 'server | add |  {"a":1}'],
    ['server add --json {"a":1} b=2 --json', 'server | add | b:2 (json) {"a":1}'],
    ['server add --json={"a":1}', 'server | add |  {"a":1}'],
    ['server stdio --', 'server stdio | - | '],
    ['server stdio -- add a=1', 'server stdio | add | a:1'],
    ['server a=1 -- add', 'server a=1 | add | '],
    ['npm run server -- --stdio -- add', 'npm run server -- --stdio | add | '],
  ];
  for (const [line, expected] of cases) test(`-- ${line}`, () => assert.equal(split(line), expected));

  test('no command is left', () => {
    for (const line of ['add a=1', 'a=1', 'add --json {}', '-- add'])
      assert.throws(() => split(line), UsageError, line);
  });

  test('the last word may be the tool only where nothing else says what is', () => {
    const perhaps = (line: string): unknown => withinCommand(line.split(' '), () => false).perhaps;
    const server = { kind: 'command', command: 'server', args: [] };
    assert.deepEqual(['server add', 'server add a=1', 'server -- add', 'server'].map(perhaps), [
      { tool: 'add', target: server },
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('a tool before -- leaves the whole rest to the command', () => {
  const { target, tool, pairs } = beforeCommand(['add', 'a=1'], ['server', 'x=1', '--', 'add']);
  assert.deepEqual(target, { kind: 'command', command: 'server', args: ['x=1', '--', 'add'] });
  assert.equal(tool, 'add');
  assert.deepEqual(pairs, [['a', '1']]);
});

test('a URL comes first, then the tool', () => {
  const { target, tool, pairs } = afterUrl(['http://127.0.0.1/mcp?key=1', 'add', 'a=1']);
  assert.equal(target.kind === 'url' && target.url.href, 'http://127.0.0.1/mcp?key=1');
  assert.equal(tool, 'add');
  assert.deepEqual(pairs, [['a', '1']]);
});

test('--json has a value only when an object follows it', () => {
  assert.deepEqual(takeJson(['--json', 'add']), { rest: ['add'], json: { output: true, input: undefined } });
  assert.deepEqual(takeJson(['add', '--json', ' {"a":1}']), {
    rest: ['add'],
    json: { output: false, input: { a: 1 } },
  });
  for (const words of [['--json=[1]'], ['--json=x'], ['--json', '{']]) assert.throws(() => takeJson(words), UsageError);
});
