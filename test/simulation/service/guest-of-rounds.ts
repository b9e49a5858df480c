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
  await rounds.answersAhead();
  await rounds.takenUpTwice();
  await rounds.tooLate();
}

/** Before a bridge, whose server asks by requests of its own, or by rounds. */
export async function beGuestOfBridge(raw: Raw): Promise<void> {
  raw.headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' };
  const rounds = new Rounds(raw);
  await rounds.wrongStates();
  await rounds.wrongAnswers('ask');
  await rounds.takenUpTwice();
  // A server that asks by rounds itself has nothing that waits.
  if (raw.parts.plan.upstream !== '2026-07-28') {
    await rounds.pastRounds();
    await rounds.isTold();
    await rounds.leaves();
    await rounds.breaks();
  }
  if (raw.parts.plan.upstream === '2025-11-25') await rounds.visits();
  await rounds.tooLate();
}

/** How a call is sent. */
interface Way {
  readonly headers?: Headers;
  readonly meta?: object;
  readonly signal?: AbortSignal;
}

/** What a model said. */
function said(text: string): object {
  return { role: 'assistant', model: 'm', content: { type: 'text', text } };
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

  /** What is answered ahead is not asked, where it has a name. */
  async answersAhead(): Promise<void> {
    const key = ++this.#key;
    const { text } = await this.#call('keyed', key, { inputResponses: { word: said('yes') } });
    if (!text.includes('"text":"yes"')) this.#raw.violated(`is asked what it said ahead: ${text.slice(0, 200)}`);
  }

  /** Of two requests that bring the same answers one is answered at least, and the other is told why it is not, unless it gets the same. */
  async takenUpTwice(): Promise<void> {
    const key = ++this.#key;
    const asked = await this.#asked('ask', key);
    const inputResponses = this.#answersOf(asked);
    const bring = async (): Promise<Answer> =>
      await this.#call('ask', key, { requestState: asked.state, inputResponses });
    const all = await Promise.all([bring(), bring()]);
    const answered = all.filter(({ text }) => text.includes('"text":"yes"')).length;
    if (answered === 0)
      this.#raw.violated(`is answered ${answered} times: ${all.map(({ text }) => text.slice(0, 300)).join()}`);
  }

  /** Of two questions one is answered, and asked for no more; the same answer once more gets the same outcome, or is refused. */
  async pastRounds(): Promise<void> {
    const key = ++this.#key;
    const first = await this.#asked('ask-both', key);
    const [one = ''] = first.keys;
    const inputResponses = { [one]: said('yes') };
    const second = this.#readAsked(await this.#call('ask-both', key, { requestState: first.state, inputResponses }));
    if (second.keys.includes(one)) this.#raw.violated('is asked what it answered');
    const repeated = await this.#call('ask-both', key, { requestState: first.state, inputResponses });
    if (!repeated.text.includes('"error"') && this.#readAsked(repeated).keys.join() !== second.keys.join())
      this.#raw.violated(`gets another outcome for the same answers: ${repeated.text.slice(0, 300)}`);
    await this.#ends('ask-both', key, second);
  }

  /** What is said while it thinks is told to it when it comes back, under the name of that request. */
  async isTold(): Promise<void> {
    const key = ++this.#key;
    const meta = { progressToken: 'before', 'io.modelcontextprotocol/logLevel': 'debug' };
    const first = await this.#call('talkative', key, {}, { meta });
    const asked = this.#readAsked(first);
    await this.#raw.sleep(3_000);
    const more = { requestState: asked.state, inputResponses: this.#answersOf(asked) };
    const { text } = await this.#call('talkative', key, more, { meta: { ...meta, progressToken: 'after' } });
    // What came with the question may have gone with it.
    for (const words of ['"progress":3', `talkative ${key} word3`, '"text":"yes"'])
      if (!`${first.text}${text}`.includes(words))
        this.#raw.violated(`is not told ${words} when it comes back: ${text.slice(0, 600)}`);
    if (text.includes('"progressToken":"before"') || first.text.includes('"progressToken":"after"'))
      this.#raw.violated('is told under the name of another request');
  }

  /** Who goes while its answers are worked on may find what came of it, or that it was given up. */
  async leaves(): Promise<void> {
    for (const ms of [20, 120, 400]) {
      const key = ++this.#key;
      const asked = await this.#asked('talkative', key);
      const more = { requestState: asked.state, inputResponses: this.#answersOf(asked) };
      const given = new AbortController();
      this.#call('talkative', key, more, { signal: given.signal }).catch(() => undefined);
      await this.#raw.sleep(ms);
      given.abort(new Error('enough'));
      await this.#raw.sleep(3_000);
      const { text } = await this.#call('talkative', key, more);
      if (!text.includes('"text":"yes"') && !text.includes('"error"'))
        this.#raw.violated(`is answered ${text.slice(0, 200)} where it went`);
    }
  }

  /** What broke while it was thought about says so. */
  async breaks(): Promise<void> {
    const key = ++this.#key;
    const first = await this.#call('breaking', key, {});
    // The question may have been late, and come with the end.
    if (first.text.includes('"isError":true')) return;
    const asked = this.#readAsked(first);
    await this.#raw.sleep(3_000);
    const more = { requestState: asked.state, inputResponses: this.#answersOf(asked) };
    const { text } = await this.#call('breaking', key, more);
    if (!text.includes('"isError":true')) this.#raw.violated(`is not told what broke: ${text.slice(0, 300)}`);
  }

  /** A page that is wanted first is a question here; who does not visit it does not get through. */
  async visits(): Promise<void> {
    const key = (this.#key += 2) - (this.#key % 2);
    const asked = await this.#asked('page', key);
    const accepted = Object.fromEntries(asked.keys.map((one) => [one, { action: 'accept' }]));
    const again = this.#readAsked(
      await this.#call('page', key, { requestState: asked.state, inputResponses: accepted }),
    );
    const { text } = await this.#call('page', key, { requestState: again.state, inputResponses: {} });
    if (!text.includes('"error"')) this.#raw.violated(`passes without a visit: ${text.slice(0, 200)}`);
    const strange = await this.#call('page', key, { requestState: again.state, inputResponses: 5 });
    if (!strange.text.includes('"error"')) this.#raw.violated(`passes with no answers: ${strange.text.slice(0, 200)}`);
  }

  #answersOf({ keys }: Asked): object {
    return Object.fromEntries(keys.map((one) => [one, said('yes')]));
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
    const answers = keys.map((one) => [one, said('yes')]);
    const { text } = await this.#call(tool, key, { requestState: state, inputResponses: Object.fromEntries(answers) });
    if (!/"text":"yes(, yes)?"/.test(text)) this.#raw.violated(`is not answered when it answers ${tool}: ${text}`);
  }

  async #refused(what: string, tool: string, key: number, more: object, headers: Headers = {}): Promise<void> {
    const { text } = await this.#call(tool, key, more, { headers });
    if (!text.includes('"code":-32602')) this.#raw.violated(`is not refused ${what}: ${text.slice(0, 200)}`);
  }

  async #call(tool: string, key: number, more: object, { headers = {}, meta = {}, signal }: Way = {}): Promise<Answer> {
    const _meta = {
      ...meta,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'guest', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { sampling: {}, elicitation: { form: {}, url: {} } },
    };
    const params = { _meta, name: tool, arguments: { key }, ...more };
    return await this.#raw.request('tools/call', params, { 'Mcp-Name': tool, ...headers }, signal);
  }

  #readAsked({ text }: Answer): Asked {
    const json = text.startsWith('{') ? text : (/^data: (\{.*"result".*)$/m.exec(text)?.[1] ?? '{}');
    const { result } = JSON.parse(json) as { readonly result?: { requestState?: string; inputRequests?: object } };
    if (result?.requestState === undefined) this.#raw.violated(`is not asked: ${text.slice(0, 200)}`);
    return { state: result?.requestState ?? '', keys: Object.keys(result?.inputRequests ?? {}) };
  }
}
