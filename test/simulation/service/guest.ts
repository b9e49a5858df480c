/**
 * A client that says what it likes, by bytes of its own: what must be refused, what waits for it while it has no stream, and a session that it ends. It
 * looks at nothing again by itself, as clients of ours do after a gap, so that only what it is told counts.
 */

import type { Process } from '../world.ts';
import { beSessionlessGuest } from './guest-of-no-session.ts';
import { bePairGuest } from './guest-of-pair.ts';
import { beGuestOfBridge, beRoundsGuest } from './guest-of-rounds.ts';
import { clientHeader } from './node.ts';
import { chance } from './chance.ts';
import { beGuestOfStreams } from './guest-of-streams.ts';
import { beAskedGuest } from './guest-that-is-asked.ts';
import { beGuestOfBridgeSession } from './guest-of-bridge-session.ts';
import { beTokenGuest } from './guest-of-tokens.ts';
import { guestKey, Heard, newsMs, Raw, type GuestParts } from './raw.ts';

/** Runs a guest to its end. */
export async function beGuest(process: Process, parts: GuestParts): Promise<void> {
  const raw = new Raw(process, parts);
  const { revision, pair } = parts.plan;
  const { tokens } = parts;
  if (tokens !== undefined) await beTokenGuest(raw, tokens);
  else if (pair) await bePairGuest(raw);
  else if (parts.plan.service === 'sessionless' && revision !== '2026-07-28') await beSessionlessGuest(raw);
  else if (parts.plan.upstream !== undefined && revision !== '2026-07-28') await beGuestOfBridgeSession(raw);
  else if (parts.plan.upstream !== undefined) await beGuestOfBridge(raw);
  else if (revision === '2026-07-28') await beRoundsGuest(raw);
  else await pickOf(sessionGuests, chance(parts.plan.seed, 'which guest'))(raw);
}

const sessionGuests: readonly ((raw: Raw) => Promise<void>)[] = [beSessionGuest, beGuestOfStreams, beAskedGuest];

function pickOf<Member>(list: readonly Member[], drawn: number): Member {
  return list[Math.floor(drawn * list.length)]!;
}

async function beSessionGuest(raw: Raw): Promise<void> {
  const { revision } = raw.parts.plan;
  const clientInfo = { name: 'guest', version: '1' };
  const opened = await raw.request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo });
  raw.headers = { 'Mcp-Session-Id': opened.session ?? '', 'MCP-Protocol-Version': revision };
  raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
  await refusals(raw);
  await strangers(raw);
  await waits(raw);
  raw.expect('the end', 204, await raw.send('DELETE', undefined));
  await raw.sleep(newsMs);
  for (let tries = 0; tries < 6; tries++)
    raw.expect('a request in a session that ended', 404, await raw.request('ping', {}));
  raw.expect('a stream of a session that ended', 404, await raw.send('GET', undefined));
}

/** What every process must refuse, and live. */
async function refusals(raw: Raw): Promise<void> {
  const { revision } = raw.parts.plan;
  const ping = { jsonrpc: '2.0', id: 'x', method: 'ping' };
  raw.expect('no JSON', 400, await raw.send('POST', '{"jsonrpc"'));
  raw.expect('no message', 400, await raw.send('POST', '{"id":[]}'));
  raw.expect('a type', 415, await raw.send('POST', 'x', { 'Content-Type': 'text/plain' }));
  raw.expect('a method of HTTP', 405, await raw.send('PUT', '{}'));
  raw.expect('no event stream', 406, await raw.send('GET', undefined, { Accept: 'application/json' }));
  raw.expect('a revision', 400, await raw.send('POST', JSON.stringify(ping), { 'MCP-Protocol-Version': '1999-01-01' }));
  for (const id of ['nobodys-1:1', '???', '-:', 'nobodys-1:x'])
    raw.expect('an event', 400, await raw.send('GET', undefined, { 'Last-Event-ID': id }));
  const strange = { 'Mcp-Session-Id': 'a'.repeat(48) };
  raw.expect('an unknown session', 404, await raw.send('POST', JSON.stringify(ping), strange));
  raw.expect('an unknown session', 404, await raw.send('GET', undefined, strange));
  raw.expect('an unknown session', 404, await raw.send('DELETE', undefined, strange));
  raw.expect('no session', 400, await raw.send('POST', JSON.stringify(ping), { 'Mcp-Session-Id': '' }));
  const steps = {
    ...ping,
    id: 's',
    method: 'tools/call',
    params: { name: 'steps', arguments: { key: guestKey + 50 }, _meta: { progressToken: 's' } },
  };
  for (const [batch, status] of [
    [[steps, ping], 200],
    [[ping, { jsonrpc: '2.0', id: [] }], 200],
    [[ping, { ...ping, id: 'y' }], 200],
    [[{ jsonrpc: '2.0', method: 'notifications/x' }], 202],
    [[], 400],
    [Array.from({ length: 200 }, () => ping), 400],
  ] as const)
    raw.expect(`a batch of ${batch.length}`, status, await raw.send('POST', JSON.stringify(batch)));
  raw.expect('an answer that nobody waits for', 202, await raw.post({ id: 'nobody', result: {} }));
  raw.expect('an unknown method', 200, await raw.request('nothing/at-all', {}));
  raw.expect('an unknown tool', 200, await raw.request('tools/call', { name: 'none', arguments: {} }));
  const again = await raw.request('initialize', { protocolVersion: revision });
  if (!again.text.includes('"error"')) raw.violated(`begins twice: ${again.text}`);
}

/** A session is nobody else's. */
async function strangers(raw: Raw): Promise<void> {
  if (!raw.parts.plan.knowsClients) return;
  const stranger = { [clientHeader]: 'stranger' };
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'ping' });
  raw.expect("somebody else's session", 404, await raw.send('POST', ping, stranger));
  raw.expect("somebody else's session", 404, await raw.send('GET', undefined, stranger));
  raw.expect("somebody else's session", 404, await raw.send('DELETE', undefined, stranger));
  raw.expect('nobody', 401, await raw.send('POST', ping, { [clientHeader]: '' }));
}

/** What changes while it has no stream waits for it; and it has one stream. */
async function waits(raw: Raw): Promise<void> {
  raw.parts.change();
  await raw.sleep(newsMs);
  const given = new AbortController();
  const stream = await raw.open('GET', undefined, {}, given.signal);
  if (stream.status !== 200) return raw.violated(`gets ${stream.status} for its stream`);
  const told = new Heard(stream).take(/notifications\/tools\/list_changed/);
  if ((await Promise.race([told, raw.sleep(newsMs)])) === undefined)
    raw.violated('does not hear what changed before it had a stream');
  raw.expect('a second stream', 409, await raw.send('GET', undefined));
  given.abort(new Error('enough'));
  await raw.sleep(newsMs);
}
