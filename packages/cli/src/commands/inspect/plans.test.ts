import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Io } from '../io.ts';
import { parseOptions } from '../options.ts';
import { commandTarget, targetOptions, urlTarget } from '../target.ts';
import { typedPlan } from './plans.ts';

const io: Io = {
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: { PASSED: 'p' },
  signal: new AbortController().signal,
};

test('the line that reaches a server has its headers and variables, and a variable in the place of each value', () => {
  const given = ['--header', 'X-Key: open sesame', '--header', 'Authorization: Bearer abc', '--token-env', 'MINE'];
  const options = { ...targetOptions, 'token-env': { type: 'string' as const } };
  assert.equal(
    typedPlan(urlTarget('https://a.example/mcp'), parseOptions(given, options), io).line,
    `--header X-Key:" $X_KEY" --header Authorization:" $TOKEN" --token-env MINE https://a.example/mcp`,
  );
  const variables = parseOptions(['--env', 'KEY=open sesame', '--env', 'PASSED'], options);
  assert.equal(
    typedPlan(commandTarget(['node', 'server.js']), variables, io).line,
    `--env KEY="$KEY" --env PASSED -- node server.js`,
  );
});

const named: readonly (readonly [string, string])[] = [
  ['node server.js --port 3', 'server.js'],
  ['npx -y @modelcontextprotocol/server-everything', 'server-everything'],
  ['uv run server.py', 'server.py'],
  ['python3.12 -m mcp_server_time', 'mcp_server_time'],
  ['/opt/bin/mcp-server-supabase --access-token sbp_123', 'mcp-server-supabase'],
  ['playwright-mcp --browser chrome', 'playwright-mcp'],
  ['node', 'node'],
];

for (const [line, name] of named)
  test(`a server that ${line} starts is called ${name}`, () => {
    assert.equal(typedPlan(commandTarget(line.split(' ')), parseOptions([], targetOptions), io).name, name);
  });
