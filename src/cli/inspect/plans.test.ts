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
