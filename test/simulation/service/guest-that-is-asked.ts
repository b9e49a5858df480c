/** A guest in a session that is asked, and answers badly or too early; and that begins in every way that is refused. */

import { guestKey, Heard, newsMs, type Headers, type Raw } from './raw.ts';

const clientInfo = { name: 'guest', version: '1' };

/** How often it answers badly before it gives up. */
const maxAnswers = 8;

/** Runs it to its end. */
export async function beAskedGuest(raw: Raw): Promise<void> {
  const { revision } = raw.parts.plan;
  const capabilities = { sampling: {}, elicitation: {} };
  const begin = { protocolVersion: revision, capabilities, clientInfo };
  const wrong = await raw.request('initialize', { protocolVersion: 5 });
  if (!wrong.text.includes('"error"') || wrong.session !== null) raw.violated(`begins with nothing: ${wrong.text}`);
  const opened = await raw.request('initialize', begin, { Accept: 'text/event-stream' });
  raw.expect('the beginning', 200, opened);
  raw.headers = { 'Mcp-Session-Id': opened.session ?? '', 'MCP-Protocol-Version': revision };
  const early = await raw.request('tools/call', { name: 'ask', arguments: { key: guestKey + 20 } });
  if (!early.text.includes('"error"') && !early.text.includes('"isError":true'))
    raw.violated(`is asked before it is ready: ${early.text.slice(0, 200)}`);
  raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
  await answers(raw, 'ask', guestKey + 21, { role: 'assistant', model: 'm', content: { type: 'text', text: 'yes' } });
  if (revision >= '2025-06-18') await answersBadly(raw, guestKey + 22);
  await sameIds(raw);
  raw.expect('the end', 204, await raw.send('DELETE', undefined));
}

/** A good answer that comes twice is taken once. */
async function answers(raw: Raw, tool: string, key: number, result: object): Promise<void> {
  const { heard, leave } = await call(raw, tool, key);
  const id = await asked(raw, heard);
  if (id === undefined) return raw.violated(`is not asked by ${tool}`);
  for (let time = 0; time < 2; time++) raw.expect('an answer', 202, await raw.post({ id, result }));
  if ((await within(raw, heard.take(/"text":"yes"/), 2 * newsMs)) === undefined)
    raw.violated('is not answered when it answers');
  leave();
}

/** What does not fit is asked for again, and not for ever. */
async function answersBadly(raw: Raw, key: number): Promise<void> {
  const { heard, leave } = await call(raw, 'form', key);
  for (let time = 0; time < maxAnswers; time++) {
    const id = await asked(raw, heard);
    if (id === undefined) break;
    if (time === maxAnswers - 1) raw.violated('is asked without end for what it does not give');
    raw.expect('an answer', 202, await raw.post({ id, result: { action: 'accept', content: { word: 5 } } }));
  }
  if (!/does not fit|"error"|"isError":true/.test(heard.text))
    raw.violated(`is not told that its answers do not fit: ${heard.text.slice(-300)}`);
  leave();
}

/** Of two requests with one id at a time the second is refused, or they ran at two processes; both are answered. */
async function sameIds(raw: Raw): Promise<void> {
  const steps = { name: 'steps', arguments: { key: guestKey + 30 }, _meta: { progressToken: 'same' } };
  const send = async (message: object, headers: Headers = {}): Promise<number> =>
    (await raw.send('POST', JSON.stringify({ jsonrpc: '2.0', id: 'same', ...message }), headers)).status;
  const all = await Promise.all([
    send({ method: 'tools/call', params: steps }),
    send({ method: 'ping' }),
    send({ method: 'ping' }, { Accept: 'text/event-stream' }),
    send({ method: 'ping' }),
  ]);
  if (all.some((status) => status !== 200 && status !== 400))
    raw.violated(`is answered ${all.join()} for requests with one id`);
  if (raw.parts.plan.revision !== '2025-03-26') return;
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } };
  const slow = {
    jsonrpc: '2.0',
    id: 'c',
    method: 'tools/call',
    params: { name: 'give-up', arguments: { key: guestKey + 31 } },
  };
  const { status } = await raw.send('POST', JSON.stringify([slow, cancelled]));
  if (status !== 200 && status !== 202) raw.violated(`is answered ${status} for what it cancels with it`);
}

async function call(raw: Raw, name: string, key: number): Promise<{ readonly heard: Heard; leave(): void }> {
  const params = { name, arguments: { key }, _meta: { progressToken: `p${key}` } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: `call-${key}`, method: 'tools/call', params });
  const given = new AbortController();
  const heard = new Heard(await raw.open('POST', body, {}, given.signal));
  return { heard, leave: () => given.abort(new Error('enough')) };
}

/** The id of the next question; `undefined` where none comes. */
async function asked(raw: Raw, heard: Heard): Promise<unknown> {
  const line = await within(raw, heard.take(/\{.*"method":"(?:sampling|elicitation)\/.*\}/), 2 * newsMs);
  return line === undefined ? undefined : (JSON.parse(line) as { readonly id: unknown }).id;
}

async function within<T>(raw: Raw, work: Promise<T>, ms: number): Promise<T | undefined> {
  return await Promise.race([work, raw.sleep(ms).then(() => undefined)]);
}
