import assert from 'node:assert/strict';
import { stderr } from 'node:process';
import { test } from 'node:test';
import { configOf } from './config.ts';

const env = {};

function entry(fields: object, inspects = true): ReturnType<typeof configOf> {
  return configOf(
    { mcpServers: { one: { url: 'https://a.example/mcp', ...fields } } },
    { file: 'f', io: { env, stderr }, inspects },
  );
}

test('fields of the official Inspector count where a server is inspected, and others are named', () => {
  const roots = [{ uri: 'file:///srv', name: 'srv' }, { uri: 'file:///b' }];
  const { upstreams, warnings, problems } = entry({
    protocolEra: 'legacy',
    modernLogLevel: 'off',
    roots,
    metadata: { team: 'a' },
    connectionTimeout: 5_000,
    requestTimeout: 0,
    taskTtl: 60_000,
    paginatedLists: true,
    autoRefreshOnListChanged: true,
    maxFetchRequests: 10,
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(upstreams['one']?.inspector, {
    roots,
    metadata: { team: 'a' },
    connectionTimeoutMs: 5_000,
    requestTimeoutMs: 0,
    taskTtlMs: 60_000,
    pagesByOne: true,
    logLevel: '',
  });
  assert.equal(upstreams['one']?.revisions?.at(-1), '2025-11-25');
  assert.deepEqual(
    warnings.map((words) => words.slice(0, words.indexOf(' is'))),
    ['f: mcpServers.one.autoRefreshOnListChanged', 'f: mcpServers.one.maxFetchRequests'],
  );
});

test('whoever does not inspect has the era and the time-out of them', () => {
  const { upstreams, warnings } = entry({ protocolEra: 'modern', roots: [], requestTimeout: 9 }, false);
  assert.deepEqual([upstreams['one']?.revisions, upstreams['one']?.inspector], [['2026-07-28'], undefined]);
  assert.equal(upstreams['one']?.timeoutMs, 9);
  assert.deepEqual(warnings, []);
});

test('revisions that are named count before an era', () => {
  assert.deepEqual(entry({ protocolEra: 'legacy', revisions: ['2025-03-26'] }).upstreams['one']?.revisions, [
    '2025-03-26',
  ]);
  assert.equal(entry({ protocolEra: 'auto' }).upstreams['one']?.revisions, undefined);
});

for (const [fields, words] of [
  [{ protocolEra: 'old' }, 'protocolEra: must be legacy or modern or auto'],
  [{ roots: {} }, 'roots: must be a list of roots'],
  [{ roots: [{ uri: 'https://x' }] }, 'roots.0: must have a uri that begins with file://'],
  [{ metadata: [] }, 'metadata: must be an object'],
  [{ taskTtl: -1 }, 'taskTtl: must be whole milliseconds'],
  [{ requestTimeout: '5' }, 'requestTimeout: must be whole milliseconds from 0 to 2147483647, not a text'],
  [{ paginatedLists: 1 }, 'paginatedLists: must be true or false'],
  [{ modernLogLevel: 'loud' }, 'modernLogLevel: must be off or'],
] as const)
  test(`a field that is wrong is named: ${words}`, () => {
    const { problems } = entry(fields);
    assert.ok(problems[0]?.startsWith(`f: mcpServers.one.${words}`), problems[0]);
  });
