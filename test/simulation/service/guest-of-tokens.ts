/** A guest of a service that goes by tokens: it comes without, with those of others, and with those that are over. */

import { guestKey, guestName, Heard, newsMs, type Answer, type Headers, type Raw } from './raw.ts';
import { rareScope, type Tokens } from './tokens.ts';

const clientInfo = { name: 'guest', version: '1' };
const newest = '2026-07-28';

/** Runs it to its end. */
export async function beTokenGuest(raw: Raw, tokens: Tokens): Promise<void> {
  const { pair, revision, service } = raw.parts.plan;
  const guest = new TokenGuest(raw, tokens);
  if (pair) await guest.pair();
  else if (revision === newest) await guest.exchanges();
  else if (service === 'sessionless') await guest.withoutSession();
  else await guest.session();
}

function by(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

class TokenGuest {
  readonly #raw: Raw;
  readonly #tokens: Tokens;

  constructor(raw: Raw, tokens: Tokens) {
    this.#raw = raw;
    this.#tokens = tokens;
  }

  /** A session is that of a person, whatever token; its stream ends with the token that opened it. */
  async session(): Promise<void> {
    const raw = this.#raw;
    const { revision } = raw.parts.plan;
    const begin = { protocolVersion: revision, capabilities: {}, clientInfo };
    await this.#strangers(async (headers) => await raw.request('initialize', begin, headers));
    const opened = await raw.request('initialize', begin);
    raw.headers = { 'Mcp-Session-Id': opened.session ?? '', 'MCP-Protocol-Version': revision };
    raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
    await this.#strangers(async (headers) => await raw.request('ping', {}, headers));
    const stranger = by(this.#tokens.give('c91'));
    raw.expect("somebody else's session", 404, await raw.request('ping', {}, stranger));
    await this.#scopes();
    await this.#streamEnds(async (headers, signal) => await raw.open('GET', undefined, headers, signal));
    raw.expect('a request after its stream', 200, await raw.request('ping', {}));
    raw.expect('the end', 204, await raw.send('DELETE', undefined));
  }

  async exchanges(): Promise<void> {
    const raw = this.#raw;
    raw.headers = { 'MCP-Protocol-Version': newest };
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': newest,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const list = async (headers: Headers): Promise<Answer> =>
      await raw.request('tools/list', { _meta }, { 'Mcp-Method': 'tools/list', ...headers });
    await this.#strangers(list);
    raw.expect('a list', 200, await list({}));
    const rare = { 'Mcp-Method': 'prompts/get', 'Mcp-Name': 'rare' };
    raw.expect('too few scopes', 403, await raw.request('prompts/get', { _meta, name: 'rare' }, rare));
    const listen = { jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen' };
    const body = JSON.stringify({ ...listen, params: { _meta, notifications: { toolsListChanged: true } } });
    await this.#streamEnds(
      async (headers, signal) => await raw.open('POST', body, { 'Mcp-Method': listen.method, ...headers }, signal),
    );
  }

  async withoutSession(): Promise<void> {
    const raw = this.#raw;
    raw.headers = { 'MCP-Protocol-Version': raw.parts.plan.revision };
    await this.#strangers(async (headers) => await raw.request('ping', {}, headers));
    await this.#scopes();
  }

  /** The stream of a pair lasts as long as what runs when its token is over, and takes nothing more. */
  async pair(): Promise<void> {
    const raw = this.#raw;
    raw.path = '/sse';
    await this.#strangers(async (headers) => await raw.send('GET', undefined, headers));
    const given = new AbortController();
    const token = this.#tokens.give(guestName);
    const stream = await raw.open('GET', undefined, by(token), given.signal);
    const heard = new Heard(stream);
    const endpoint = /^data: (.*)$/m.exec((await heard.take(/event: endpoint\ndata: .*\n/)) ?? '')?.[1];
    if (endpoint === undefined) return raw.violated('is not told where messages go');
    raw.path = endpoint;
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo };
    raw.expect('the beginning', 202, await raw.post({ id: 'i', method: 'initialize', params }));
    if ((await heard.take(/"id":"i","result"/)) === undefined) return;
    raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
    await this.#scopes();
    const name = { name: 'long', arguments: { key: guestKey + 70 } };
    await raw.sleep(Math.max(0, this.#tokens.overAt(token) - 10_000 - raw.parts.world.now));
    raw.expect('a call', 202, await raw.post({ id: 'long', method: 'tools/call', params: name }));
    await raw.sleep(Math.max(0, this.#tokens.overAt(token) + 500 - raw.parts.world.now));
    raw.parts.change();
    raw.expect('a request after its token', 404, await raw.request('ping', {}));
    raw.expect('an answer after its token', 202, await raw.post({ id: 'nobody', result: {} }));
    if ((await heard.take(/"id":"long","result"/)) === undefined) raw.violated('is not answered by what ran before');
    if ((await Promise.race([heard.take(/"method"/), raw.sleep(newsMs).then(() => 'silent')])) !== undefined)
      raw.violated('has a stream that outlives its token and what ran');
    raw.expect('a message for a stream that ended', 404, await raw.request('ping', {}));
  }

  /** Who has no token, one that nobody gave, one that is over or one that was taken back is nobody. */
  async #strangers(ask: (headers: Headers) => Promise<Answer>): Promise<void> {
    const raw = this.#raw;
    raw.expect('no token', 401, await ask({ authorization: '' }));
    raw.expect('a made-up token', 401, await ask(by('made-up')));
    raw.expect('a token that is over', 401, await ask(by(this.#tokens.give(guestName, 'common', -40_000))));
  }

  /** Some need more than most have; messages that come together are not run then. */
  async #scopes(): Promise<void> {
    const raw = this.#raw;
    const { revision, pair } = raw.parts.plan;
    const rare = { jsonrpc: '2.0', id: 'rare', method: 'prompts/get', params: { name: 'rare' } };
    const params = { name: 'echo', arguments: { key: guestKey + 60 } };
    const echo = { jsonrpc: '2.0', id: 'echo', method: 'tools/call', params };
    const both = by(this.#tokens.give(guestName, `common ${rareScope}`));
    const enough = pair ? 202 : 200;
    raw.expect('too few scopes', 403, await raw.send('POST', JSON.stringify(rare)));
    raw.expect('scopes enough', enough, await raw.send('POST', JSON.stringify(rare), both));
    if (revision !== '2025-03-26' && !pair) return;
    const batch = JSON.stringify([echo, rare]);
    raw.expect('a batch with too few scopes', 403, await raw.send('POST', batch));
    raw.expect('a batch with scopes enough', enough, await raw.send('POST', batch, both));
  }

  /** What was opened with a token lasts somewhat longer than that, and no longer. */
  async #streamEnds(open: (headers: Headers, signal: AbortSignal) => ReturnType<Raw['open']>): Promise<void> {
    const raw = this.#raw;
    const given = new AbortController();
    const token = this.#tokens.give(guestName);
    const stream = await open(by(token), given.signal);
    if (stream.status !== 200) return raw.violated(`gets ${stream.status} for its stream`);
    const over = new Heard(stream).take(/never/);
    const isOver = async (): Promise<boolean> =>
      (await Promise.race([over, raw.sleep(10).then(() => 'open')])) === undefined;
    await raw.sleep(Math.max(0, this.#tokens.overAt(token) - 5_000 - raw.parts.world.now));
    if (await isOver()) raw.violated('has a stream that ends before its token');
    // The network holds words back for 3 s at most, the last of a stream too.
    await raw.sleep(newsMs + 3_100);
    if (!(await isOver())) raw.violated('has a stream that outlives its token');
    given.abort(new Error('enough'));
  }
}
