/** A guest of a service without sessions: each request for itself, many of them wrong. */

import { guestKey, type Raw } from './raw.ts';

/** Runs it to its end. */
export async function beSessionlessGuest(raw: Raw): Promise<void> {
  const { revision } = raw.parts.plan;
  const clientInfo = { name: 'guest', version: '1' };
  const begin = { protocolVersion: revision, capabilities: {}, clientInfo };
  const opened = await raw.request('initialize', begin);
  if (opened.session !== null) raw.violated('is given a session where there is none');
  raw.expect('the beginning', 200, opened);
  raw.headers = { 'MCP-Protocol-Version': revision };
  raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
  raw.expect('an answer that nobody waits for', 202, await raw.post({ id: 'nobody', result: {} }));
  raw.expect('a request', 200, await raw.request('ping', {}));
  raw.expect('a list', 200, await raw.request('tools/list', {}));
  const strange = { 'Mcp-Session-Id': 'a'.repeat(48) };
  raw.expect('a session', 404, await raw.request('ping', {}, strange));
  raw.expect('a notification in a session', 404, await raw.post({ method: 'notifications/x' }, strange));
  raw.expect('a revision', 400, await raw.request('ping', {}, { 'MCP-Protocol-Version': '1999-01-01' }));
  raw.expect('a request of no revision', 200, await raw.request('ping', {}, { 'MCP-Protocol-Version': '' }));
  raw.expect('no JSON', 400, await raw.send('POST', '{"jsonrpc"'));
  raw.expect('no message', 400, await raw.send('POST', '{"id":[]}'));
  raw.expect('a type', 415, await raw.send('POST', 'x', { 'Content-Type': 'text/plain' }));
  raw.expect(
    'a revision without sessions',
    400,
    await raw.request('ping', {}, { 'MCP-Protocol-Version': '2026-07-28' }),
  );
  await leaves(raw);
  for (const method of ['GET', 'DELETE']) raw.expect(method, 405, await raw.send(method, undefined));
  await batches(raw);
}

async function batches(raw: Raw): Promise<void> {
  const ping = { jsonrpc: '2.0', id: 'x', method: 'ping' };
  const params = { name: 'steps', arguments: { key: guestKey + 50 }, _meta: { progressToken: 's' } };
  const steps = { ...ping, id: 's', method: 'tools/call', params };
  for (const [batch, status] of [
    [[ping, { ...ping, id: 'y' }, steps], 200],
    [[ping, { jsonrpc: '2.0', id: [] }], 200],
    [[{ jsonrpc: '2.0', method: 'notifications/x' }], 202],
    [[], 400],
    [Array.from({ length: 200 }, () => ping), 400],
  ] as const)
    raw.expect(`a batch of ${batch.length}`, status, await raw.send('POST', JSON.stringify(batch)));
  const strange = { 'Mcp-Session-Id': 'a'.repeat(48) };
  raw.expect('a batch in a session', 404, await raw.send('POST', JSON.stringify([ping]), strange));
}

/** Who goes in the middle of it is in nobody's way. */
async function leaves(raw: Raw): Promise<void> {
  const calls = [51, 52].map((at) => ({
    jsonrpc: '2.0',
    id: `leaves ${at}`,
    method: 'tools/call',
    params: { name: 'steps', arguments: { key: guestKey + at }, _meta: { progressToken: `l${at}` } },
  }));
  const bodies = calls.map((call) => JSON.stringify(call));
  if (raw.parts.plan.revision === '2025-03-26') bodies.push(JSON.stringify(calls));
  for (const body of bodies) {
    const given = new AbortController();
    const opened = raw.open('POST', body, {}, given.signal).catch(() => undefined);
    await raw.sleep(60);
    given.abort(new Error('enough'));
    await opened;
  }
  raw.expect('a request afterwards', 200, await raw.request('ping', {}));
}
