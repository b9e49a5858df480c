/** Each rule about clients finds what it is about, and no other does. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { JudgedClient } from '../../packages/cli/src/check/client/run/judged-client.ts';
import { clientRules } from '../../packages/cli/src/check/client/rules/rules.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';

type Json = Readonly<Record<string, unknown>>;

const newest = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': newest,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, roots: {} },
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
};

/** One thing that is said: a message or several, with the head of HTTP where it is odd. */
interface Said {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly method?: string;
}

interface Case {
  readonly date: string;
  readonly says: readonly Said[];
  readonly over?: 'stdio';
  /** True where it begins before it was opened. */
  readonly isFirst?: true;
}

const request = (id: unknown, method: string, params?: Json): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});
const own = (id: unknown, method: string, params: Json = {}, more: Json = {}): Json =>
  request(id, method, { ...params, _meta: { ...meta, ...more } });
const notice = (method: string, params?: Json): Json => ({ jsonrpc: '2.0', method, ...(params && { params }) });
const initialize = (params: Json = {}): Json =>
  request('open', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {}, roots: {} },
    clientInfo: { name: 'c', version: '1' },
    ...params,
  });

const late = (...bodies: readonly unknown[]): Case => ({ date: '2025-11-25', says: bodies.map((body) => ({ body })) });
const first = (...bodies: readonly unknown[]): Case => ({ ...late(...bodies), isFirst: true });
const now = (...bodies: readonly unknown[]): Case => ({ date: newest, says: bodies.map((body) => ({ body })) });
const headed = (date: string, body: unknown, headers: Said['headers'], method = 'POST'): Case => ({
  date,
  says: [{ body, headers: headers ?? {}, method }],
});
const ask = own('a', 'tools/call', { name: 'ask' });
const retry = (params: Json): Json => own('b', 'tools/call', { name: 'ask', ...params });
const state = ' eyJzdGVwIjoxfQ==.%2B+/"\\é\u2028 ';
const answers = (form: Json, uri = 'file:///x'): Json => ({ 'first-0-0': form, 'first-0-1': { roots: [{ uri }] } });
/** A request whose client can do something else. */
const bare = (message: Json, capabilities: Json): Json => {
  const params = message['params'] as Json;
  return {
    ...message,
    params: { ...params, _meta: { ...meta, 'io.modelcontextprotocol/clientCapabilities': capabilities } },
  };
};
const sampled = { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'any' };
const accepted = { action: 'accept', content: { name: 'Ada' } };
const region = (said: string | undefined, args: Json): Case => ({
  date: newest,
  says: [
    { body: own(1, 'tools/list') },
    { body: own(2, 'tools/call', { name: 'region', arguments: args }), headers: { 'mcp-param-region': said } },
  ],
});

const called = (headers: Said['headers'], args: Json): Case => ({
  date: newest,
  says: [
    { body: own(1, 'tools/list') },
    { body: own(2, 'tools/call', { name: 'region', arguments: args }), headers: { ...headers } },
  ],
});
const alike = '=?base64?eA==?=';

/** What breaks each row; several where a row is broken in several ways. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  'basic-001': [
    late('nonsense {'),
    late({ id: 1, method: 'ping' }),
    late({ jsonrpc: '2.0' }),
    late(7),
    late({ jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'm' } }),
  ],
  'basic-005': [late(request(1.5, 'ping')), late(request({}, 'ping'))],
  'basic-006': [late(request(null, 'ping'))],
  'basic-007': [late(request(1, 'ping'), request(1, 'ping'))],
  'basic-011': [
    {
      ...first(initialize({ protocolVersion: '2025-06-18' }), notice('notifications/initialized'), {
        jsonrpc: '2.0',
        id: 'x',
      }),
      date: '2025-06-18',
    },
  ],
  'basic-013': [late({ jsonrpc: '2.0', id: 'x' })],
  'basic-014': [late({ jsonrpc: '2.0', id: 'x', error: { code: -32_600 } })],
  'basic-015': [late({ jsonrpc: '2.0', id: 'x', error: { code: 'no', message: 'm' } })],
  'basic-017': [late({ ...notice('notifications/roots/list_changed'), id: 3 })],
  'basic-038': [now(own(1, 'tools/list'), { jsonrpc: '2.0', id: 1, result: {} })].map((one) => ({
    ...one,
    over: 'stdio' as const,
  })),
  'meta-002': [late(request(1, 'ping', { _meta: { '-bad-/x': 1 } }))],
  'meta-006': [late(request(1, 'ping', { _meta: { 'com.mcp.tools/x': 1 } }))],
  'meta-007': [
    now({
      ...own(1, 'server/discover'),
      params: { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': undefined } },
    }),
  ],
  'meta-009': [
    now({ ...own(1, 'tools/list'), params: { _meta: { ...meta, 'io.modelcontextprotocol/clientInfo': undefined } } }),
  ],
  'meta-020': [now(own(1, 'tools/list', {}, { traceparent: 'none' }))],
  'progress-002': [
    late([
      request(1, 'tools/list', { _meta: { progressToken: 5 } }),
      request(2, 'tools/list', { _meta: { progressToken: 5 } }),
    ]),
  ],
  'lifecycle-001': [first(request(1, 'tools/list'))],
  'lifecycle-002': [first(initialize({ clientInfo: undefined }))],
  'lifecycle-004': [{ ...first(initialize(), request(1, 'tools/list')), over: 'stdio' }],
  'lifecycle-009': [late(request(1, 'resources/subscribe', { uri: 'check://notes' }))],
  'cancel-001': [late(notice('notifications/cancelled', { requestId: 99 }))],
  'cancel-004': [late(notice('notifications/cancelled', {}))],
  'page-002': [late(request(1, 'tools/list', { cursor: 'made up' }))],
  'versioning-012': [
    now(own(1, 'tools/list', {}, { 'io.modelcontextprotocol/clientCapabilities': { extensions: { bare: {} } } })),
    first(initialize({ capabilities: { extensions: { bare: {} } } })),
  ],
  'elicit-015': [
    now(own(1, 'tools/list', {}, { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { notifier: {} } } })),
  ],
  'elicit-059': [now(ask, retry({ inputResponses: answers({ action: 'accept', content: {} }), requestState: state }))],
  'mrtr-017': [now(ask, retry({ inputResponses: { ...answers(accepted), other: {} }, requestState: state }))],
  'mrtr-018': [now(ask, retry({ inputResponses: answers(accepted) }))],
  'mrtr-020': [
    now(
      ask,
      retry({ inputResponses: answers(accepted), requestState: state }),
      own('c', 'tools/call', { name: 'ask', inputResponses: { 'again-1-0': accepted }, requestState: state }),
    ),
  ],
  'mrtr-021': [now(ask, { ...retry({ inputResponses: answers(accepted), requestState: state }), id: 'a' })],
  'roots-002': [now(ask, bare(retry({ inputResponses: answers(accepted), requestState: state }), { elicitation: {} }))],
  'elicit-002': [now(ask, bare(retry({ inputResponses: answers(accepted), requestState: state }), { roots: {} }))],
  'sampling-002': [
    now(
      bare(ask, { sampling: {} }),
      bare(retry({ inputResponses: { 'first-0-0': sampled }, requestState: state }), { roots: {} }),
    ),
  ],
  'roots-004': [now(ask, retry({ inputResponses: answers(accepted, 'https://example.com'), requestState: state }))],
  'http-008': [late([request(1, 'ping'), request(2, 'ping')])],
  'http-009': [headed('2025-11-25', request(1, 'ping'), { accept: 'application/json' })],
  'http-031': [headed('2025-11-25', undefined, { accept: '*/*' }, 'GET')],
  'http-045': [headed('2025-11-25', request(1, 'ping'), { 'mcp-session-id': undefined })],
  'http-050': [headed('2025-11-25', request(1, 'ping'), { 'mcp-protocol-version': undefined })],
  'http-051': [headed('2025-11-25', request(1, 'ping'), { 'mcp-protocol-version': '2025-06-18' })],
  'http-064': [headed(newest, own(1, 'tools/list'), { 'mcp-protocol-version': undefined })],
  'http-065': [headed(newest, own(1, 'tools/list'), { 'mcp-protocol-version': '2025-11-25' })],
  'http-071': [headed(newest, own(1, 'tools/list'), { 'mcp-method': 'tools/LIST' })],
  'http-072': [headed(newest, own(1, 'tools/call', { name: 'echo' }), { 'mcp-name': 'Echo' })],
  'http-081': [region('Oslo', { region: 'Rome' }), region(undefined, { region: 'Rome' })],
  'http-095': [region('=?BASE64?TWFsbcO2?=', { region: 'Malm\u00f6' })],
  'http-093': [region('Malm\u00f6', { region: 'Malm\u00f6' })],
  'http-087': [called({ 'mcp-param-count': '9007199254740993' }, { count: 2 ** 53 })],
  'http-092': [
    called({ 'mcp-param-count': '3.0' }, { count: 3 }),
    called({ 'mcp-param-loud': 'True' }, { loud: true }),
  ],
  'http-094': [called({ 'mcp-param-region': alike }, { region: alike })],
  'http-073': [
    headed(newest, own(1, 'prompts/get', { name: 'grüße' }), { 'mcp-name': 'grüße' }),
    headed(newest, own(1, 'prompts/get', { name: 'grüße' }), { 'mcp-name': 'gr??e' }),
  ],
  'http-010': [
    {
      ...first(initialize({ protocolVersion: '2025-03-26' }), notice('notifications/initialized'), [
        request(1, 'ping'),
        { jsonrpc: '2.0', id: 'x', result: {} },
      ]),
      date: '2025-03-26',
    },
  ],
  'page-003': [
    {
      ...first(
        initialize(),
        notice('notifications/initialized'),
        request(1, 'tools/list'),
        initialize(),
        notice('notifications/initialized'),
        request(2, 'tools/list', { cursor: 'page 2 of conversation 1' }),
      ),
      over: 'stdio',
    },
  ],
  'lifecycle-008': [late(request(1, 'subscriptions/listen', {})), late(request(1, 'tasks/update', { taskId: 't' }))],
  'mrtr-022': [
    now(
      ask,
      { ...ask, id: 'a2' },
      retry({ inputResponses: { ...answers(accepted), 'first-1-0': accepted }, requestState: state }),
    ),
    now(ask, { ...ask, id: 'a2' }, retry({ inputResponses: answers(accepted), requestState: `${state}2` })),
  ],
  'http-096': [region('Oslo', {})],
  'http-090': [now(own(1, 'tools/call', { name: 'bad_header' }))],
  'wire-schema': [
    late(request(1, 'tools/call', { name: 7 })),
    now(own(1, 'tools/call', { name: 'echo', arguments: 'x' })),
  ],
};

/** Rows that these break as well, since the same fault is one of theirs too. */
const beside: Readonly<Record<string, readonly string[]>> = {
  'progress-002': ['http-008'],
};

/** A client that is judged, and how it speaks. */
function speaking({ date, over }: Case): { readonly judged: JudgedClient; say(said: Said): Promise<void> } {
  const judged = new JudgedClient({
    over: over ?? 'http',
    info: { name: 'p', version: '1' },
    isChosen: () => true,
    progress() {},
  });
  const line = { send: () => false };
  let session: string | undefined;
  const say = async ({ body, headers = {}, method = 'POST' }: Said): Promise<void> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? null);
    const head = { method, path: '/mcp', headers: { ...headersFor(date, body, session), ...headers } };
    if (body === undefined) judged.head(head);
    else {
      const { clientSession } = await judged.take({
        text,
        served: revisions,
        line,
        ...(over === undefined && { http: head }),
      });
      session = clientSession.session ??= clientSession.stage === 'answered' ? 'the-session' : undefined;
    }
  };
  return { judged, say };
}

/** Rows that are broken by what is said. @param isOver True where the client has gone, and ended its session. */
async function findingsOf(one: Case, isOver = false): Promise<readonly string[]> {
  const { date, says, isFirst } = one;
  const { judged, say } = speaking(one);
  if (date !== newest && isFirst !== true)
    for (const body of [initialize(), notice('notifications/initialized')]) await say({ body });
  for (const said of says) await say(said);
  for (const clientSession of judged.talks) clientSession.isDeleted = true;
  if (isOver) judged.end(true);
  return brokenIn(judged);
}

function brokenIn({ watching }: JudgedClient): readonly string[] {
  return watching.outcomes().flatMap(({ rule, outcome }) => (outcome.verdict === 'breaks' ? [rule.id] : []));
}

/** Headers as they should be. */
function headersFor(date: string, body: unknown, session: string | undefined): Readonly<Record<string, string>> {
  const { method, params } = (typeof body === 'object' && body !== null ? body : {}) as {
    method?: string;
    params?: Json;
  };
  const name = params?.['name'] ?? params?.['uri'];
  return {
    accept: 'application/json, text/event-stream',
    ...((date === newest || session !== undefined) && { 'mcp-protocol-version': date }),
    ...(session !== undefined && { 'mcp-session-id': session }),
    ...(date === newest && method !== undefined && { 'mcp-method': method }),
    ...(date === newest && typeof name === 'string' && { 'mcp-name': name }),
  };
}

describe('a rule about clients', () => {
  for (const [row, broken] of Object.entries(cases))
    for (const [at, one] of broken.entries())
      test(`finds what breaks ${row}, in way ${at + 1}`, async () => {
        const found = (await findingsOf(one)).filter((id) => id !== row && beside[row]?.includes(id) !== true);
        assert.ok((await findingsOf(one)).includes(row), `found ${found.join()}`);
        assert.deepEqual(found, []);
      });
});

test('every row is judged once, by a rule of its own or as another', () => {
  const ids = clientRules.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
  for (const { id, as } of clientRules) if (as !== undefined) assert.ok(ids.includes(as), `${id} is judged as ${as}`);
});

test('what a client of the newest revision says beside its requests is of no other', async () => {
  const said = now(own(1, 'tools/call', { name: 'echo' }), notice('notifications/cancelled', { requestId: 1 }));
  assert.deepEqual(await findingsOf({ ...said, over: 'stdio' }), []);
  assert.deepEqual(await findingsOf(said), []);
});

test('a request that overtakes notifications/initialized over HTTP is no fault, and one that nothing follows is', async () => {
  const opening = [initialize(), request(1, 'tools/list')];
  const late = first(...opening, notice('notifications/initialized'));
  assert.deepEqual(await findingsOf(late, true), []);
  assert.deepEqual(await findingsOf(first(...opening), true), ['lifecycle-004']);
});

test('who cannot read a batch, and says so without an id, has answered no notification', async () => {
  const unread = { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'this is no request' } };
  assert.deepEqual(await findingsOf(late(unread)), []);
  assert.deepEqual(await findingsOf(late({ ...unread, error: { ...unread.error, code: -32_601 } })), ['basic-018']);
});

test('long ids and names do not fill memory', async () => {
  const long = 'x'.repeat(100_000);
  const { judged, say } = speaking(late());
  for (const body of [initialize(), notice('notifications/initialized')]) await say({ body });
  for (let at = 0; at < 50; at++) {
    const params = { name: `${long}${at}`, arguments: { text: long }, _meta: { progressToken: `${long}${at}` } };
    await say({ body: request(`${long}${at}`, 'tools/call', params) });
  }
  const { talks } = judged;
  const kept = talks.flatMap(({ ids, done, said }) => [...ids, ...done, said]).join('');
  assert.ok(kept.length < 100_000, `${kept.length} characters are kept`);
  assert.equal(talks[0]?.ids.size, 51);
});

test('what was under way when a session went is held against nobody, and what comes later is', async () => {
  const lost = request(1, 'tools/call', { name: 'lost' });
  assert.deepEqual(await findingsOf(late(lost, request(2, 'ping'))), []);
  assert.deepEqual(await findingsOf(late(lost, request(2, 'ping'), request(3, 'ping'))), ['http-048']);
});

/** A call of the tool whose header changes, by the header that it had at first. */
const moving = (id: number): Said => ({
  body: own(id, 'tools/call', { name: 'moving', arguments: { place: 'Oslo' } }),
  headers: { 'mcp-param-place-1': 'Oslo' },
});

test('who is refused for its headers has the tools listed again', async () => {
  const { judged, say } = speaking(now());
  for (const said of [{ body: own(1, 'tools/list') }, moving(2)]) await say(said);
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  await say({ body: own(3, 'tools/call', { name: 'echo' }) });
  judged.end(true);
  assert.deepEqual(brokenIn(judged), ['http-103']);
});

test('who lists tools takes the headers of what came last', async () => {
  const lists = (id: number): Said => ({ body: own(id, 'tools/list') });
  const once: Case = { date: newest, says: [lists(1), moving(2), lists(3), moving(4)] };
  // It may have been under way when the list came.
  assert.deepEqual(await findingsOf(once, true), []);
  assert.deepEqual(await findingsOf({ ...once, says: [...once.says, lists(5), moving(6)] }, true), ['http-104']);
  // Of two clients in one place one may have listed what the other calls by its own list.
  const begins = (id: number): Said => ({ body: own(id, 'server/discover') });
  const two = [begins(10), ...once.says, begins(11), lists(5), moving(6)];
  assert.deepEqual(await findingsOf({ ...once, says: two }, true), []);
  const right = { ...moving(4), headers: { 'mcp-param-place-2': 'Oslo' } };
  const { judged, say } = speaking(once);
  for (const said of [...once.says.slice(0, 3), right]) await say(said);
  judged.end(true);
  const held = judged.watching.outcomes().filter(({ outcome }) => outcome.verdict === 'holds');
  for (const row of ['http-103', 'http-104'])
    assert.ok(
      held.some(({ rule: { id } }) => id === row),
      row,
    );
});
