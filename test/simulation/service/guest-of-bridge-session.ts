/** A guest with a session of a bridge: what is refused, long answers, and its one stream. The balancer sends it to the same process each time. */

import { guestKey, Heard, newsMs, type Answer, type Headers, type Raw } from './raw.ts';

/** Runs it to its end. */
export async function beGuestOfBridgeSession(raw: Raw): Promise<void> {
  const { revision } = raw.parts.plan;
  const begin = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'guest', version: '1' } };
  const opened = await raw.request('initialize', begin);
  raw.headers = { 'Mcp-Session-Id': opened.session ?? '', 'MCP-Protocol-Version': revision };
  raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
  const guest = new Guest(raw);
  await guest.refusals();
  await guest.answers();
  await guest.streams();
  raw.expect('the end', 204, await raw.send('DELETE', undefined));
  raw.expect('a request in a session that ended', 404, await raw.request('ping', {}));
}

const ping = { jsonrpc: '2.0', id: 'x', method: 'ping' };
const eventsOnly: Headers = { Accept: 'text/event-stream' };

class Guest {
  readonly #raw: Raw;
  #key = guestKey;

  constructor(raw: Raw) {
    this.#raw = raw;
  }

  async refusals(): Promise<void> {
    const raw = this.#raw;
    for (let time = 0; time < 2; time++) {
      raw.expect('a request', 200, await raw.request('ping', {}));
      raw.expect('a request', 200, await raw.send('POST', JSON.stringify({ ...ping, id: `e${time}` }), eventsOnly));
      raw.expect('no JSON', 400, await raw.send('POST', '{"jsonrpc"'));
      raw.expect('no message', 400, await raw.send('POST', '{"id":[]}'));
      raw.expect('an answer that nobody waits for', 202, await raw.post({ id: 'nobody', result: {} }));
      raw.expect('an unknown method', 200, await raw.request('nothing/at-all', {}));
      raw.expect('an event', 400, await raw.send('GET', undefined, { 'Last-Event-ID': 'nobodys-1:1' }));
      raw.expect('a revision', 400, await raw.request('ping', {}, { 'MCP-Protocol-Version': '1999-01-01' }));
      const batch = [ping, { ...ping, id: 'y' }, { jsonrpc: '2.0', id: [] }];
      raw.expect('a batch', 200, await raw.send('POST', JSON.stringify(batch)));
    }
  }

  /** What is long is answered by its own answer, and who goes in the middle of it is in nobody's way. */
  async answers(): Promise<void> {
    const raw = this.#raw;
    for (let time = 0; time < 3; time++) {
      this.#answered(await this.#call('echo', ++this.#key, { padding: '.'.repeat(300_000) }), 'echo');
      this.#answered(await this.#call('steps', ++this.#key, { progressToken: `s${time}` }), 'steps');
      const given = new AbortController();
      const body = this.#bodyOf('steps', ++this.#key, { progressToken: `g${time}` });
      raw.open('POST', body, {}, given.signal).catch(() => undefined);
      await raw.sleep(300);
      given.abort(new Error('given up'));
    }
  }

  /** It has one stream. */
  async streams(): Promise<void> {
    const raw = this.#raw;
    for (let time = 0; time < 2; time++) {
      const given = new AbortController();
      const stream = await raw.open('GET', undefined, {}, given.signal);
      if (stream.status !== 200) return raw.violated(`gets ${stream.status} for its stream`);
      const heard = new Heard(stream);
      raw.expect('a second stream', 409, await raw.send('GET', undefined));
      raw.parts.change();
      const told = heard.take(/notifications\/tools\/list_changed/);
      if ((await Promise.race([told, raw.sleep(4 * newsMs)])) === undefined) raw.violated('does not hear what changed');
      given.abort(new Error('enough'));
      await raw.sleep(newsMs);
    }
  }

  async #call(name: string, key: number, meta: object): Promise<Answer> {
    return await this.#raw.send('POST', this.#bodyOf(name, key, meta));
  }

  #bodyOf(name: string, key: number, _meta: object): string {
    const params = { name, arguments: { key }, _meta };
    return JSON.stringify({ jsonrpc: '2.0', id: `call-${key}`, method: 'tools/call', params });
  }

  #answered({ status, text }: Answer, name: string): void {
    if (!text.includes(`${name} ${this.#key}`))
      this.#raw.violated(`is answered ${status} ${text.slice(0, 200)} and not by ${name} ${this.#key}`);
  }
}
