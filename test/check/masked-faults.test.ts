/** Faults beside one another: one that much depends on hides no others. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { textReport } from '../../packages/cli/src/check/report/text.ts';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { eachMessage, faulty, json, type Fault } from './faulty.ts';
import { judgedAt } from './judging.ts';

async function judged(t: TestContext, fault: Fault, only: readonly string[] = []): Promise<CheckReport> {
  const url = await faulty(t, fault);
  return await judgedAt(t, url, { revisions: revisions.filter(({ date }) => date === '2025-11-25'), only });
}

const refused = (id: unknown) => json(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });

test('where ping is not answered, another request stands for it, and ping alone is found', async (t) => {
  const { findings, rows } = await judged(t, {
    request: ({ message: { method, id } }) => (method === 'ping' ? refused(id) : undefined),
  });
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['ping-001'],
  );
  const unjudged = rows.filter(({ verdict, why }) => verdict === 'not-judged' && /right ping/.test(why ?? ''));
  assert.deepEqual(unjudged, []);
});

test('where ping is not answered, an answered notification and a wrong Origin are found', async (t) => {
  const { findings } = await judged(
    t,
    {
      request({ message: { method, id }, headers }) {
        delete headers['origin'];
        if (method === 'notifications/cancelled') return json(200, { jsonrpc: '2.0', id: 1, result: {} });
        return method === 'ping' ? refused(id) : undefined;
      },
    },
    ['basic-018', 'http-003', 'ping-001'],
  );
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['basic-018', 'http-003', 'ping-001'],
  );
});

test('where nothing harmless is answered, the report says why rows are not judged, once for all of them', async (t) => {
  const report = await judged(
    t,
    {
      request: ({ message: { method, id } }) =>
        method === 'ping' || String(method).endsWith('/list') ? refused(id) : undefined,
    },
    ['basic', 'http', 'ping'],
  );
  const text = textReport(report);
  assert.match(
    text,
    /^ {2}not judged: \d+ rows, \S+, \S+ and others: they need a right ping to be answered with a result \(ping-001\): fix it, and run again$/m,
  );
  assert.equal(text.split('right ping').length - 1, 1, text);
});

test('every message that is not valid by the schema is told, each with its place', async (t) => {
  const { findings } = await judged(t, {
    response(returning, { message: { method } }) {
      if (returning.text === '') return;
      eachMessage(returning, ({ result }) => {
        if (!isObject(result)) return;
        if (method === 'prompts/list') delete result['prompts'];
        if (method === 'resources/list' && Array.isArray(result['resources'])) delete result['resources'][0]?.name;
      });
    },
  });
  assert.deepEqual(
    findings.filter(({ id }) => id === 'wire-schema').map(({ where }) => where),
    ['prompts/list prompts', 'resources/list resources[0].name'],
  );
});

test('a result that is no object is not valid by the schema', async (t) => {
  const { findings } = await judged(t, {
    response(returning, { message: { method } }) {
      if (method === 'prompts/list') eachMessage(returning, (message) => void (message['result'] = 'none'));
    },
  });
  assert.deepEqual(
    findings.filter(({ id }) => id === 'wire-schema').map(({ where, why }) => [where, why]),
    [['prompts/list', 'the result of prompts/list: it must be an object']],
  );
});

/** Faults of which the schema of a list says nothing, by their rows. */
const unseenBySchema: Readonly<Record<string, (result: Record<string, unknown>) => void>> = {
  'http-082': (result) => void (schemaIn(result)['properties'] = { a: { type: 'string', 'x-mcp-header': '' } }),
  'http-083': (result) => void (schemaIn(result)['properties'] = { a: { type: 'string', 'x-mcp-header': 'a b' } }),
  'http-084': (result) => void (schemaIn(result)['properties'] = { a: { type: 'string', 'x-mcp-header': 'a\r\nb' } }),
  'http-086': (result) => void (schemaIn(result)['properties'] = { a: { type: 'number', 'x-mcp-header': 'A' } }),
  'meta-002': (result) => void (result['_meta'] = { 'com..example/key': 1 }),
  'meta-003': (result) => void (result['_meta'] = { '1com.example/key': 1 }),
  'meta-004': (result) => void (result['_meta'] = { 'com.example/key!': 1 }),
  'meta-006': (result) => void (result['_meta'] = { 'io.modelcontextprotocol/of-ours': 1 }),
  'meta-020': (result) => void (result['_meta'] = { traceparent: 'none' }),
};

function schemaIn({ tools }: Record<string, unknown>): Record<string, unknown> {
  return Array.isArray(tools) ? tools[0].inputSchema : assert.fail('no tools');
}

for (const [row, plant] of Object.entries(unseenBySchema))
  test(`a fault of the schema is told beside one that breaks ${row} in the same message`, async (t) => {
    const url = await faulty(t, {
      response(returning, { message: { method, params } }) {
        if (method !== 'tools/list' || (isObject(params) && params['cursor'] !== undefined)) return;
        eachMessage(returning, ({ result }) => {
          if (!isObject(result) || !Array.isArray(result['tools'])) return;
          plant(result);
          result['tools'][1].description = 5;
        });
      },
    });
    const { findings } = await judgedAt(t, url, {
      revisions: revisions.filter(({ date }) => date === '2026-07-28'),
      only: [row, 'wire-schema'],
    });
    assert.deepEqual(
      findings.map(({ id, where }) => [id, id === row ? row : where]),
      [
        [row, row],
        ['wire-schema', 'tools/list tools[1].description'],
      ],
    );
  });

test('a fault of the schema is told beside a scheme that is none', async (t) => {
  const { findings } = await judged(t, {
    response(returning, { message: { method } }) {
      if (method !== 'resources/list') return;
      eachMessage(returning, ({ result }) => {
        const [first] = isObject(result) && Array.isArray(result['resources']) ? result['resources'] : [];
        if (isObject(first)) Object.assign(first, { uri: 'my_memo://one', mimeType: 5 });
      });
    },
  });
  assert.deepEqual(findings.map(({ id }) => id).toSorted(), ['resources-012', 'wire-schema']);
});

test('a result without its type in the newest revision hides no fault of a tool, there and in an older one', async (t) => {
  const url = await faulty(t, {
    response(returning, { message: { method } }) {
      if (method !== 'tools/list') return;
      eachMessage(returning, ({ result }) => {
        if (!isObject(result) || !Array.isArray(result['tools'])) return;
        delete result['resultType'];
        for (const tool of result['tools']) if (isObject(tool)) tool['description'] = 5;
      });
    },
  });
  const { findings } = await judgedAt(t, url, {
    revisions: revisions.filter(({ date }) => date === '2025-06-18' || date === '2026-07-28'),
    only: ['basic-021', 'wire-schema'],
  });
  assert.deepEqual(
    findings.map(({ id, where, revisions: of }) => [id, where, of]),
    [
      ['basic-021', undefined, ['2026-07-28']],
      ['wire-schema', 'tools/list tools[0].description', ['2025-06-18', '2026-07-28']],
    ],
  );
});

test('a schema of a tool that is none, and a URI that is none, hide no fault beside them', async (t) => {
  const url = await faulty(t, {
    response(returning, { message: { method } }) {
      eachMessage(returning, ({ result }) => {
        if (!isObject(result)) return;
        if (method === 'initialize' && isObject(result['serverInfo'])) {
          delete result['serverInfo']['version'];
          result['instructions'] = 5;
        }
        const { tools, contents } = result;
        for (const tool of Array.isArray(tools) ? tools.filter(isObject) : []) {
          tool['inputSchema'] = null;
          tool['annotations'] = 'none';
        }
        if (!Array.isArray(contents)) return;
        for (const one of contents.filter(isObject)) delete one['uri'];
        result['_meta'] = 5;
      });
    },
  });
  const { findings } = await judgedAt(t, url, {
    revisions: revisions.filter(({ date }) => date === '2025-11-25'),
    only: ['lifecycle-003', 'resources-008', 'tools-009', 'wire-schema'],
  });
  assert.deepEqual(
    findings.map(({ id, where = '' }) => `${id} ${where.replace(/^resources.*:.*/, 'resources/…')}`).toSorted(),
    [
      'lifecycle-003 ',
      'resources-008 resources/…',
      'tools-009 tools/add',
      'wire-schema initialize instructions',
      'wire-schema resources/read _meta',
      'wire-schema tools/list tools[0].annotations',
    ],
  );
});

test('a capability that is no object is a fault of the schema, and is declared', async (t) => {
  const url = await faulty(t, {
    response: (returning, { message: { method } }) =>
      eachMessage(returning, ({ result }) => {
        if (method !== 'initialize' || !isObject(result) || !isObject(result['capabilities'])) return;
        result['capabilities']['tools'] = true;
      }),
  });
  const { findings } = await judgedAt(t, url, {
    revisions: revisions.filter(({ date }) => date === '2025-11-25'),
    only: ['tools-001', 'wire-schema'],
  });
  assert.deepEqual(
    findings.map(({ id, where }) => [id, where]),
    [['wire-schema', 'initialize capabilities.tools']],
  );
});
