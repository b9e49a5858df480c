/** A guest that answers questions wrongly, or with what it was given elsewhere, and by hand: requests of 2026-07-28, each its own. */

import { clientHeader, mostRounds, roundMs } from './node.ts';
import { guestKey, type Answer, type Headers, type Raw } from './raw.ts';

/** Runs it to its end. */
export async function beRoundsGuest(raw: Raw): Promise<void> {
  raw.headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' };
  const rounds = new Rounds(raw);
  await rounds.wrongStates();
  await rounds.wrongAnswers('ask');
  await rounds.wrongAnswers('hand');
  await rounds.withoutEnd();
  await rounds.tooLate();
}

/** Before a bridge, whose server asks by requests of its own, or by rounds. */
export async function beGuestOfBridge(raw: Raw): Promise<void> {
  raw.headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' };
  const rounds = new Rounds(raw);
  await rounds.wrongStates();
  await rounds.wrongAnswers('ask');
  await rounds.tooLate();
}

interface Asked {
  readonly state: string;
  readonly keys: readonly string[];
}

class Rounds {
  readonly #raw: Raw;
  #key = guestKey;

  constructor(raw: Raw) {
    this.#raw = raw;
  }

  /** A state is good for its own request and its own client, and as it was given. */
  async wrongStates(): Promise<void> {
    const key = ++this.#key;
    const asked = await this.#asked('ask', key);
    const requestState = asked.state;
    const tampered = `${requestState.slice(0, -4)}${requestState.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    await this.#refused('a state of another request', 'ask', key + 1, { requestState });
    await this.#refused('a state of another tool', 'hand', key, { requestState });
    await this.#refused('a state that was changed', 'ask', key, { requestState: tampered });
    await this.#refused('no state', 'ask', key, { requestState: '' });
    await this.#refused('no state', 'ask', key, { requestState: '?' });
    await this.#refused('a state that is too long', 'ask', key, { requestState: 'A'.repeat(400_000) });
    // A bridge hands the state of a server that asks by rounds on as it is, and is one client to that server.
    const { knowsClients, upstream } = this.#raw.parts.plan;
    if (knowsClients && upstream !== '2026-07-28')
      await this.#refused("somebody else's state", 'ask', key, { requestState }, { [clientHeader]: 'stranger' });
    this.#key++;
    await this.#ends('ask', key, asked);
    if (this.#raw.parts.plan.service === 'once')
      await this.#refused('a state that was used', 'ask', key, { requestState });
  }

  /** What is no answer is asked for again, and what was not asked is ignored. */
  async wrongAnswers(tool: string): Promise<void> {
    const key = ++this.#key;
    let asked = await this.#asked(tool, key, { inputResponses: { strange: { role: 'assistant' } } });
    const wrong = tool === 'ask' ? [5, {}, { role: 'x' }, undefined] : [];
    for (const answer of wrong) {
      const inputResponses = { ...Object.fromEntries(asked.keys.map((one) => [one, answer])), strange: {} };
      asked = this.#readAsked(await this.#call(tool, key, { requestState: asked.state, inputResponses }));
    }
    await this.#ends(tool, key, asked);
  }

  /** A handler that asks without end is ended. */
  async withoutEnd(): Promise<void> {
    const key = ++this.#key;
    let requestState: string | undefined;
    for (let round = 0; round <= mostRounds; round++) {
      const answer = await this.#call('endless', key, requestState === undefined ? {} : { requestState });
      if (answer.text.includes('"error"')) return;
      requestState = this.#readAsked(answer).state;
    }
    this.#raw.violated(`is asked more than ${mostRounds} times`);
  }

  /** A state is good for a while. */
  async tooLate(): Promise<void> {
    const key = ++this.#key;
    const { state } = await this.#asked('ask', key);
    await this.#raw.sleep(roundMs + 60_000);
    await this.#refused('a state that is over', 'ask', key, { requestState: state });
  }

  async #asked(tool: string, key: number, more: object = {}): Promise<Asked> {
    return this.#readAsked(await this.#call(tool, key, more));
  }

  async #ends(tool: string, key: number, { state, keys }: Asked): Promise<void> {
    const content = { type: 'text', text: 'yes' };
    const answers = keys.map((one) => [one, { role: 'assistant', model: 'm', content }]);
    const { text } = await this.#call(tool, key, { requestState: state, inputResponses: Object.fromEntries(answers) });
    if (!text.includes('"text":"yes"')) this.#raw.violated(`is not answered when it answers ${tool}: ${text}`);
  }

  async #refused(what: string, tool: string, key: number, more: object, headers: Headers = {}): Promise<void> {
    const { text } = await this.#call(tool, key, more, headers);
    if (!text.includes('"code":-32602')) this.#raw.violated(`is not refused ${what}: ${text.slice(0, 200)}`);
  }

  async #call(tool: string, key: number, more: object, headers: Headers = {}): Promise<Answer> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'guest', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
    };
    const params = { _meta, name: tool, arguments: { key }, ...more };
    return await this.#raw.request('tools/call', params, { 'Mcp-Name': tool, ...headers });
  }

  #readAsked({ text }: Answer): Asked {
    const json = text.startsWith('{') ? text : (/^data: (\{.*"result".*)$/m.exec(text)?.[1] ?? '{}');
    const { result } = JSON.parse(json) as { readonly result?: { requestState?: string; inputRequests?: object } };
    if (result?.requestState === undefined) this.#raw.violated(`is not asked: ${text.slice(0, 200)}`);
    return { state: result?.requestState ?? '', keys: Object.keys(result?.inputRequests ?? {}) };
  }
}
