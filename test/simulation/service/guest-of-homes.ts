/**
 * A guest of a bridge whose sessions each have a home: whichever process a request comes to, the home answers it, and as long as it lives nobody says that the
 * session is gone, also where it stands still for a while.
 */

import { guestKey, Heard, newsMs, type Answer, type Headers, type Raw } from './raw.ts';

/** The longest that a request may wait for a home that stands still, in milliseconds. */
const longestMs = 60_000;

/** Runs it to its end. */
export async function beGuestOfHomes(raw: Raw): Promise<void> {
  const { revision, nodes } = raw.parts.plan;
  const begin = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'guest', version: '1' } };
  const opened = await raw.request('initialize', begin);
  raw.headers = { 'Mcp-Session-Id': opened.session ?? '', 'MCP-Protocol-Version': revision };
  raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
  const guest = new GuestOfHomes(raw);
  await guest.refusals();
  await guest.answers();
  if (nodes > 1) await guest.standsStill();
  await guest.streams();
  raw.expect('the end', 204, await raw.send('DELETE', undefined));
  for (let tries = 0; tries < 4; tries++)
    raw.expect('a request in a session that ended', 404, await raw.request('ping', {}));
  const nobodys = `${'a'.repeat(48)}-${'b'.repeat(18)}`;
  raw.expect(
    'a session of a process that never was',
    404,
    await raw.request('ping', {}, { 'Mcp-Session-Id': nobodys }),
  );
}

const ping = { jsonrpc: '2.0', id: 'x', method: 'ping' };
const eventsOnly: Headers = { Accept: 'text/event-stream' };

class GuestOfHomes {
  readonly #raw: Raw;
  #key = guestKey;

  constructor(raw: Raw) {
    this.#raw = raw;
  }

  /** Each of them as often as it takes to come to every process. */
  async refusals(): Promise<void> {
    const raw = this.#raw;
    const hasBatches = raw.parts.plan.revision === '2025-03-26';
    for (let time = 0; time < 4; time++) {
      raw.expect('a request', 200, await raw.request('ping', {}));
      raw.expect('a request', 200, await raw.send('POST', JSON.stringify({ ...ping, id: `e${time}` }), eventsOnly));
      raw.expect('no JSON', 400, await raw.send('POST', '{"jsonrpc"'));
      raw.expect('no message', 400, await raw.send('POST', '{"id":[]}'));
      raw.expect('an answer that nobody waits for', 202, await raw.post({ id: 'nobody', result: {} }));
      raw.expect('an unknown method', 200, await raw.request('nothing/at-all', {}));
      raw.expect('an event', 400, await raw.send('GET', undefined, { 'Last-Event-ID': 'nobodys-1:1' }));
      raw.expect('a revision', 400, await raw.request('ping', {}, { 'MCP-Protocol-Version': '1999-01-01' }));
      const batch = [ping, { ...ping, id: 'y' }, { jsonrpc: '2.0', id: [] }];
      raw.expect('a batch', hasBatches ? 200 : 400, await raw.send('POST', JSON.stringify(batch)));
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

  /** A home that stands still is not gone. */
  async standsStill(): Promise<void> {
    const raw = this.#raw;
    const { world, plan } = raw.parts;
    for (let node = 0; node < plan.nodes; node++) {
      raw.parts.stop(node, 18_000);
      const begun = world.now;
      const batch = JSON.stringify([ping, { ...ping, id: 'y' }]);
      const all = await Promise.all([
        raw.request('ping', {}),
        raw.request('ping', {}),
        raw.send('POST', JSON.stringify({ ...ping, id: `z${node}` }), eventsOnly),
        raw.post({ method: 'notifications/nothing' }),
        raw.post({ id: 'nobody', result: {} }),
        raw.send('POST', batch),
        this.#call('steps', ++this.#key, { progressToken: `t${node}` }),
      ]);
      if (all.some(({ status }) => status === 404))
        raw.violated(
          `is told that its session is gone, while its home stands still: ${all.map(({ text }) => text).join()}`,
        );
      const ms = world.now - begun;
      if (ms > longestMs) raw.violated(`waits ${ms} ms for a home that stands still`);
      await raw.sleep(Math.max(0, begun + 20_000 - world.now));
    }
    raw.expect('a request afterwards', 200, await raw.request('ping', {}));
  }

  /** It has one stream, whichever process it comes to. */
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
