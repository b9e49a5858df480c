import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, handler, meta, newest, problem } from '../../../../../../test/support/stateless-call.ts';
import { visit, type Sent } from '../../../../../../test/support/fake-http.ts';

function query(argumentsOfCall: Record<string, unknown>, headers: Record<string, string> = {}): Sent {
  return call({ method: 'tools/call', params: { name: 'query', arguments: argumentsOfCall }, headers });
}

test('a notification whose header contradicts it is refused [http-016]', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { _meta: meta() } });
  const answer = await visit(handler, { headers: { 'MCP-Protocol-Version': newest, 'Mcp-Method': 'other' }, body });
  assert.deepEqual(problem(answer), { status: 400, code: -32020, id: undefined, data: undefined });
});

const refused: readonly (readonly [title: string, sent: Sent, status: number, code: number])[] = [
  [
    'a version header that is missing [http-070] [http-074]',
    call({ headers: { 'MCP-Protocol-Version': undefined } }),
    400,
    -32020,
  ],
  ['a version header unlike the body [http-066]', call({ claimed: 'v999.0.0' }), 400, -32020],
  [
    'a handshake version header with a stateless body [http-066]',
    call({ headers: { 'MCP-Protocol-Version': '2025-11-25' } }),
    400,
    -32020,
  ],
  ['a handshake version in the body under a stateless header', call({ claimed: '2025-11-25' }), 400, -32020],
  [
    'an Mcp-Method header that is missing [http-074] [http-076]',
    call({ headers: { 'Mcp-Method': undefined } }),
    400,
    -32020,
  ],
  ['an Mcp-Method header unlike the body [http-075]', call({ headers: { 'Mcp-Method': 'tools/list' } }), 400, -32020],
  ['an Mcp-Method header in another case [http-078]', call({ headers: { 'Mcp-Method': 'Echo' } }), 400, -32020],
  [
    'an Mcp-Name header that is missing [http-074]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': undefined } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header unlike the tool [http-075]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': 'b' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header unlike the uri [http-075]',
    call({ method: 'resources/read', params: { uri: 'a://b' }, headers: { 'Mcp-Name': 'a://c' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header unlike the prompt [http-075]',
    call({ method: 'prompts/get', params: { name: 'a' }, headers: { 'Mcp-Name': 'b' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header unlike the task',
    call({ method: 'tasks/get', params: { taskId: 't' }, headers: { 'Mcp-Name': 'u' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header without a name to mirror',
    call({ method: 'tools/call', headers: { 'Mcp-Name': 'a' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header that came twice',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': 'a, a' } }),
    400,
    -32020,
  ],
  [
    'a sentinel in capitals is no encoding [http-095]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': '=?BASE64?YQ==?=' } }),
    400,
    -32020,
  ],
  [
    'a sentinel with a broken alphabet [http-079]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': '=?base64?Y*==?=' } }),
    400,
    -32020,
  ],
  ['an argument without its header [http-098]', query({ region: 'eu' }), 400, -32020],
  ['an empty argument without its header [http-098]', query({ region: '' }), 400, -32020],
  [
    'a header unlike its argument [http-099] [http-100] [http-107]',
    query({ region: 'eu' }, { 'Mcp-Param-Region': 'us' }),
    400,
    -32020,
  ],
  [
    'a header in another case than its argument [http-078]',
    query({ region: 'eu' }, { 'Mcp-Param-Region': 'EU' }),
    400,
    -32020,
  ],
  ['a header for an absent argument', query({}, { 'Mcp-Param-Region': 'eu' }), 400, -32020],
  ['a header for a null argument', query({ region: null }, { 'Mcp-Param-Region': 'null' }), 400, -32020],
  [
    'a header with bytes that no header may have [http-101]',
    query({ region: 'é' }, { 'Mcp-Param-Region': 'é' }),
    400,
    -32020,
  ],
  [
    'a header with broken padding [http-101]',
    query({ region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' }),
    400,
    -32020,
  ],
  [
    'an integer past the safe range [http-087]',
    query({ page: { count: 9_007_199_254_740_992 } }, { 'Mcp-Param-Count': '9007199254740993' }),
    400,
    -32020,
  ],
  ['a header that is another number', query({ page: { count: 42 } }, { 'Mcp-Param-Count': '0x2a' }), 400, -32020],
  [
    'a version nobody knows',
    call({ claimed: 'v999.0.0', headers: { 'MCP-Protocol-Version': 'v999.0.0' } }),
    400,
    -32022,
  ],
  [
    'a version nobody knows in the header alone',
    call({ claimed: null, headers: { 'MCP-Protocol-Version': 'v999.0.0' } }),
    400,
    -32022,
  ],
  ['a stateless header without _meta', call({ claimed: null }), 400, -32602],
  ['server/discover without _meta', call({ method: 'server/discover', claimed: null }), 400, -32602],
  ['a method that is not implemented [http-068]', call({ method: 'unknown/method' }), 404, -32601],
];
for (const [title, sent, status, code] of refused) {
  test(`refused with its id: ${title} [http-115]`, async () => {
    const answer = problem(await visit(handler, sent));
    assert.deepEqual([answer.status, answer.code, answer.id], [status, code, 7]);
  });
}

const taken: readonly (readonly [title: string, sent: Sent])[] = [
  [
    'an encoded name that matches once decoded [http-079]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': '=?base64?YQ==?=' } }),
  ],
  [
    'a task that its header names',
    call({ method: 'tasks/get', params: { taskId: 't' }, headers: { 'Mcp-Name': 't' } }),
  ],
  ['an argument that its header mirrors', query({ region: 'eu' }, { 'mcp-param-region': 'eu' })],
  ['an encoded argument [http-079]', query({ region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=?=' })],
  [
    'half a sentinel is plain text',
    query({ region: '=?base64?SGVsbG8=' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=' }),
  ],
  ['an empty argument with an empty header', query({ region: '' }, { 'Mcp-Param-Region': '' })],
  ['a null argument without a header [http-097]', query({ region: null })],
  ['an absent argument without a header [http-097]', query({})],
  ['an integer of the same value [http-102]', query({ page: { count: 42 } }, { 'Mcp-Param-Count': '42.0' })],
  ['an integer past the safe range without a header [http-087]', query({ page: { count: 9_007_199_254_740_992 } })],
  [
    'an integer past the safe range with the same digits',
    query({ page: { count: 9_007_199_254_740_992 } }, { 'Mcp-Param-Count': '9007199254740992' }),
  ],
  ['a boolean', query({ dry: true }, { 'Mcp-Param-Dry': 'true' })],
  ['a header nobody asked for', query({}, { 'Mcp-Param-Other': 'x' })],
  ['a session id, which is ignored [http-112]', call({ headers: { 'Mcp-Session-Id': 'nonsense' } })],
  ['Last-Event-ID, which is ignored [http-113]', call({ headers: { 'Last-Event-ID': '5' } })],
  ['header names in any case [http-077]', call({ headers: { 'mcp-METHOD': 'echo' } })],
];
for (const [title, sent] of taken) {
  test(`accepted: ${title}`, async () => {
    const answer = await visit(handler, sent);
    assert.equal(answer.status, 200, answer.body);
    assert.equal(answer.headers['mcp-session-id'], undefined);
  });
}
