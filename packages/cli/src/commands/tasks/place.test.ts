import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { clientOptions } from '../call/open.ts';
import { parseOptions } from '../options.ts';
import { commandAbout } from './place.ts';

test('a line to copy begins with npx where npx started the program', () => {
  const url = new URL('http://127.0.0.1:3000/mcp');
  const reference = {
    server: url.href,
    revision: '2026-07-28',
    taskId: 'a',
    tool: 'report',
    createdAt: '2026-01-01T00:00:00Z',
    ttlMs: null,
    answered: [],
  };
  const line = (env: Readonly<Record<string, string>>): string => {
    const stream = new PassThrough();
    const io = { stdin: stream, stdout: stream, stderr: stream, env, signal: new AbortController().signal };
    const place = { kind: 'typed', target: { kind: 'url', url } } as const;
    return commandAbout('wait', reference, { place, parsed: parseOptions([], clientOptions), io });
  };
  assert.match(line({ npm_command: 'exec' }), /^npx parley-cli tasks wait '\{.*\}'$/);
  assert.match(line({}), /^parley tasks wait '\{.*\}'$/);
});
