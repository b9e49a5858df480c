/** A guest that comes over HTTP+SSE: what is refused before it is read, what is said on the stream, and an end. */

import { clientHeader } from './node.ts';
import { Heard, newsMs, type Headers, type Raw } from './raw.ts';

/** Runs it to its end. */
export async function bePairGuest(raw: Raw): Promise<void> {
  raw.path = '/sse';
  raw.expect('no event stream', 406, await raw.send('GET', undefined, { Accept: 'application/json' }));
  const given = new AbortController();
  const stream = await raw.open('GET', undefined, {}, given.signal);
  if (stream.status !== 200) return raw.violated(`gets ${stream.status} for its stream`);
  const heard = new Heard(stream);
  const endpoint = /^data: (.*)$/m.exec((await heard.take(/event: endpoint\ndata: .*\n/)) ?? '')?.[1];
  if (endpoint === undefined) return raw.violated('is not told where messages go');
  raw.path = endpoint;
  await refusals(raw);
  await conversation(raw, heard);
  given.abort(new Error('enough'));
  await raw.sleep(newsMs);
  raw.expect('a message for a stream that ended', 404, await raw.request('ping', {}));
}

const ping = JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'ping' });

async function refusals(raw: Raw): Promise<void> {
  const [path = '', query = ''] = raw.path.split('?');
  raw.expect('a type', 415, await raw.send('POST', 'x', { 'Content-Type': 'text/plain' }));
  raw.expect('a method of HTTP', 405, await raw.send('PUT', '{}'));
  for (const other of [path, `${path}?sessionId=nobodys`, `${path}?${query}0`]) {
    raw.path = other;
    raw.expect('a stream that is not there', 404, await raw.send('POST', ping));
  }
  raw.path = `${path}?${query}`;
  if (!raw.parts.plan.knowsClients) return;
  raw.expect("somebody else's stream", 404, await raw.send('POST', ping, { [clientHeader]: 'stranger' }));
  raw.expect('nobody', 401, await raw.send('POST', ping, { [clientHeader]: '' }));
}

/** What is said wrong is accepted and answered on the stream. */
async function conversation(raw: Raw, heard: Heard): Promise<void> {
  const hears = async (what: string, body: string, words: RegExp, headers: Headers = {}): Promise<void> => {
    const { status } = await raw.send('POST', body, headers);
    if (status !== 202) return raw.violated(`is answered ${status} for ${what}`);
    if ((await Promise.race([heard.take(words), raw.sleep(newsMs)])) === undefined)
      raw.violated(`does not hear of ${what}`);
  };
  const message = (more: object): string => JSON.stringify({ jsonrpc: '2.0', ...more });
  const clientInfo = { name: 'guest', version: '1' };
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo };
  const newest = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
  const strange = { _meta: { 'io.modelcontextprotocol/protocolVersion': '1999-01-01' } };
  await hears('a request before the beginning', message({ id: 'early', method: 'tools/list' }), /"id":"early","error"/);
  await hears('the newest', message({ id: 'new', method: 'tools/list', params: newest }), /"id":"new","error"/);
  await hears('the oldest', message({ id: 'old', method: 'tools/list', params: strange }), /"id":"old","error"/);
  await hears('what is spoken', message({ id: 'd', method: 'server/discover', params: newest }), /"id":"d","error"/);
  await hears('the beginning', message({ id: 'i', method: 'initialize', params }), /"id":"i","result"/);
  raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
  raw.expect('a notification', 202, await raw.post({ method: 'notifications/x', params: newest }));
  raw.expect('an answer that nobody waits for', 202, await raw.post({ id: 'nobody', result: {} }));
  await hears('no JSON', '{"jsonrpc"', /"error"/);
  await hears('no message', '{"id":[]}', /"error"/);
  await hears('a batch', `[${ping}]`, /"error"/);
  await hears('an unknown method', message({ id: 'u', method: 'nothing/at-all' }), /"id":"u","error"/);
  await hears('a second beginning', message({ id: 'j', method: 'initialize', params }), /"id":"j","error"/);
  await hears('a request', ping, /"id":"x","result"/);
}
