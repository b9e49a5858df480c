/** A guest that stays for more than an hour and has no stream open: by its requests alone a service knows that it is there. */

import type { Process } from '../world.ts';
import { guestName, Raw, type GuestParts } from './raw.ts';
import { restsOf } from './resting.ts';

/** Runs it to its end. */
export async function beGuestOfHours(process: Process, parts: GuestParts): Promise<void> {
  const { revision, restMs = 0 } = parts.plan;
  const raw = new Raw(process, parts);
  const begun = parts.world.now;
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: guestName, version: '1' } };
  const opened = await raw.request('initialize', params);
  raw.headers = { 'Mcp-Session-Id': opened.session ?? '', 'MCP-Protocol-Version': revision };
  raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
  for (const time of restsOf(restMs)) {
    await raw.sleep(begun + time - parts.world.now);
    raw.expect('a request after a rest', 200, await raw.request('ping', {}));
  }
  raw.expect('the end', 204, await raw.send('DELETE', undefined));
}
