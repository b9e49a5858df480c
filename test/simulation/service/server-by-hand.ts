/**
 * A client of ours before a server by hand, which says what servers seldom say, or had better not, over a line of messages: each of its requests ends, with what
 * it was told or an error that says why.
 */

import type { Process } from '../world.ts';
import { capabilities, info, sessions, stateless, talkAll, type Line, type Talks, type Words } from './desk.ts';
import { moreTalks } from './more-talks.ts';
import type { GuestParts } from './raw.ts';

/** Runs all of it. */
export async function beBeforeServerByHand(process: Process, parts: GuestParts): Promise<void> {
  await talkAll({ ...talks, ...moreTalks }, process, parts);
}

const talks: Talks = {
  /** An error without an id fails the only request if it rejects a message that could not be read. Any other one is ignored. */
  async 'an error without an id'(desk) {
    let code = -32_600;
    const client = await desk.connect(sessions, ({ method }, line) => {
      if (method !== 'tools/call') return false;
      line.say({ jsonrpc: '2.0', error: { code, message: 'no' } });
      return true;
    });
    await desk.fails('the only call', 'McpError', () => client.callTool('one', {}));
    await desk.fails('two calls', 'timeout', () =>
      Promise.all([1, 2].map(async () => await client.callTool('one', {}, { timeoutMs: 500 }))),
    );
    code = -32_603;
    await desk.fails('the only call', 'timeout', () => client.callTool('one', {}, { timeoutMs: 500 }));
    await client.close();
  },

  /** An answer may name its request by text, and a result without content is empty. Any other malformed answer fails its request. */
  async 'answers that make no sense'(desk) {
    const client = await desk.connect(sessions, (message, line) => {
      if (message['method'] !== 'tools/call') return false;
      const { id } = message;
      const { name } = message['params'] as { readonly name: string };
      if (name === 'method') line.say({ jsonrpc: '2.0', id, method: 5, result: {} });
      else if (name === 'number') line.say({ jsonrpc: '2.0', id, result: 5 });
      else line.say({ jsonrpc: '2.0', id: String(id), result: {} });
      line.answer(message, { content: [{ type: 'text', text: 'late' }] });
      return true;
    });
    await desk.fails('an answer that is a number', 'invalid-message', () => client.callTool('number', {}));
    const { content } = await client.callTool('text', {});
    if (content.length > 0) desk.violated('reads content where there is none');
    const late = await client.callTool('method', {});
    if (late.content.length !== 1) desk.violated('takes a message for an answer that is none');
    await client.close();
  },

  /** What is too much within one request ends that one, and no other. */
  async 'more words than anybody wants'(desk) {
    const client = await desk.connect(
      sessions,
      (message, line) => {
        if (message['method'] !== 'tools/call') return false;
        const params = { level: 'error', data: 'word' };
        for (let at = 0; at < 9; at++) line.say({ jsonrpc: '2.0', method: 'notifications/message', params });
        line.answer(message, { content: [] });
        return true;
      },
      { maxNotifications: 5 },
    );
    await desk.fails('a call', 'too-large', () => client.callTool('one', {}));
    await client.ping();
    await client.close();
  },

  /** The clocks of a request stand still while a person is asked for its sake, whatever comes meanwhile. */
  async 'a person is asked'(desk) {
    desk.facts = { cancelsByClosing: true };
    const client = await desk.connect(sessions, (message, line, options) => {
      if (message['method'] !== 'tools/call') return false;
      const { name, _meta } = message['params'] as { readonly name: string; readonly _meta?: Words };
      for (let time = 0; time < 2; time++) options?.clocks?.waiting(true);
      desk.later(2_000, () => {
        // Who has answered is asked for no more: its clocks run again.
        if (name === 'after the person') options?.clocks?.waiting(false);
        const params = { progressToken: _meta?.['progressToken'], progress: 1 };
        line.say({ jsonrpc: '2.0', method: 'notifications/progress', params });
        line.answer(message, { content: [] });
        desk.later(100, () => options?.clocks?.waiting(true));
      });
      return true;
    });
    let heard = 0;
    const options = { timeoutMs: 500, maxTotalTimeoutMs: 900, onProgress: () => void heard++ };
    await client.callTool('one', {}, options);
    await client.callTool('after the person', {}, { timeoutMs: 500, onProgress: () => void heard++ });
    if (heard !== 2) desk.violated(`hears ${heard} reports while a person is asked`);
    await client.close();
  },

  /** Who gives up says why, and what comes too late is nobody's. */
  async 'a call that is given up'(desk) {
    const told: unknown[] = [];
    const client = await desk.connect(sessions, (message, line) => {
      if (message['method'] === 'notifications/cancelled')
        told.push((message['params'] as { readonly reason?: unknown }).reason);
      if (message['method'] !== 'tools/call') return false;
      desk.later(1_000, () => line.answer(message, { content: [] }));
      return true;
    });
    const given = new AbortController();
    desk.later(300, () => given.abort('enough'));
    await desk.fails('a call', 'enough', () => client.callTool('one', {}, { signal: given.signal }));
    await desk.sleep(1_500);
    if (told.join() !== 'enough') desk.violated(`tells a server ${told.join()} for a call that it gave up`);
    await client.close();
  },

  /** Lists of a session, parts of a resource, and what is none of it. */
  async 'changes of everything'(desk) {
    let line: Line | undefined;
    const client = await desk.connect(sessions, (_, given) => {
      line = given;
      return false;
    });
    const heard: string[] = [];
    const topics = { tools: true, prompts: true, resources: true, updates: ['news://x', 'news://folder/'] };
    const subscription = await client.subscribe(topics, (event) => void heard.push(event.type));
    if (subscription.honored.prompts !== true || subscription.honored.resources !== true)
      desk.violated('is not told of lists that a server has');
    for (const list of ['tools', 'prompts', 'resources'])
      line?.say({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
    for (const uri of ['news://x', 'news://x/part', 'news://folder/part', 'news://xy', 'news://other'])
      line?.say({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
    await desk.sleep(1_000);
    if (heard.length < 6) desk.violated(`hears ${heard.join()} of what changed`);
    await subscription.close();
    await desk.fails('a subscription to nothing', 'TypeError', () =>
      client.subscribe(undefined as never, () => undefined),
    );
    await client.close();
  },

  /** Servers that are gone as soon as they were reached: who waits is told, and who goes on is answered. */
  async 'a server that leaves at once'(desk) {
    let leaves = 0;
    const client = await desk.connect(sessions, (message, line) => {
      if (message['method'] === 'initialize' && line.number > 0 && leaves-- > 0) {
        line.answer(message, { protocolVersion: sessions, capabilities, serverInfo: info });
        line.hangUp();
        return true;
      }
      if (message['method'] !== 'tools/call') return false;
      if (line.number > 0) return false;
      line.hangUp();
      return true;
    });
    leaves = 4;
    await desk.fails('a call', 'closed', () => client.callTool('one', {}));
    await desk.fails('the next', 'closed', () => client.ping());
    leaves = 0;
    await client.ping();
    await client.close();
  },

  /** One that comes back as another is not gone on with. */
  async 'a server that comes back as another'(desk) {
    const client = await desk.connect(
      sessions,
      (message, line) => {
        if (message['method'] === 'tools/call') line.hangUp();
        if (message['method'] !== 'initialize' || line.number === 0) return message['method'] === 'tools/call';
        line.answer(message, { protocolVersion: '1999-01-01', capabilities, serverInfo: info });
        return true;
      },
      { revisions: [sessions] },
    );
    await desk.fails('a call', 'closed', () => client.callTool('one', {}));
    await desk.fails('what comes afterwards', 'incompatible', () => client.ping());
    await client.close();
  },

  /** It goes while it is being opened again, and before it was opened. */
  async 'a client that goes early'(desk) {
    const client = await desk.connect(sessions, (message, line) => {
      if (message['method'] === 'tools/call') line.hangUp();
      return message['method'] === 'tools/call' || (line.number > 0 && message['method'] === 'initialize');
    });
    await desk.fails('a call', 'closed', () => client.callTool('one', {}));
    const ping = desk.fails('what waits', 'closed', () => client.ping());
    await desk.sleep(200);
    await client.close();
    await ping;
    await desk.fails('what comes afterwards', 'closed', () => client.ping());
    await desk.fails('somebody who does not want it', 'enough', () =>
      desk.connect(sessions, () => false, { signal: AbortSignal.abort(new Error('enough')) }),
    );
  },

  /** A listener of warnings that throws has nobody to be told. */
  async 'what nobody wants to hear'(desk) {
    const throwing = (): never => {
      throw new Error('this listener throws');
    };
    const options = { onWarning: throwing, onLog: throwing, onNotification: throwing };
    const client = await desk.connect(
      sessions,
      (message, line) => {
        if (message['method'] !== 'ping') return false;
        line.say({ jsonrpc: '2.0', id: 987_654, result: {} });
        line.say('none');
        line.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: 'x' } });
        line.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'x', progress: 1 } });
        line.answer(message, {});
        return true;
      },
      options,
    );
    await client.ping();
    await client.close();
  },

  /** Subscriptions of the newest revision, acknowledged badly, twice, late, and without their names. */
  async 'subscriptions that are told badly'(desk) {
    let how = 0;
    const script = (message: Words, line: Line): boolean => {
      if (message['method'] !== 'subscriptions/listen') return false;
      const _meta = how % 2 === 0 ? { 'io.modelcontextprotocol/subscriptionId': message['id'] } : undefined;
      const tell = (method: string, params: object = {}): void =>
        line.say({ jsonrpc: '2.0', method: `notifications/${method}`, params: { ...params, ...(_meta && { _meta }) } });
      tell('tools/list_changed');
      tell('strange');
      tell('prompts/list_changed');
      if (how === 4) line.say({ jsonrpc: '2.0', error: { code: -32_600, message: 'no' } });
      if (how === 2) tell('subscriptions/acknowledged', { notifications: 5 });
      if (how === 2 || how === 4) return true;
      tell('subscriptions/acknowledged', { notifications: { toolsListChanged: true } });
      tell('subscriptions/acknowledged', { notifications: { toolsListChanged: true } });
      tell('tools/list_changed');
      return true;
    };
    const client = await desk.connect(stateless, script);
    for (; how < 6; how++) {
      const subscribed = client.subscribe({ tools: true }, () => undefined);
      if (how === 2) await desk.fails('a subscription', 'invalid-message', () => subscribed);
      // It may be about a cancellation that went before, and there is no ping by which to find out.
      else if (how === 4) await desk.fails('a subscription after a notification', 'timeout', () => subscribed);
      else await (await subscribed).close();
      // What names nobody is given to the next that waits.
      await desk.sleep(100);
    }
    how = 4;
    const fresh = await desk.connect(stateless, script);
    await desk.fails('a first subscription', 'McpError', () => fresh.subscribe({ tools: true }, () => undefined));
    await fresh.close();
    const given = new AbortController();
    const early = desk.fails('a subscription', 'enough', () =>
      client.subscribe({ tools: true }, () => undefined, { signal: given.signal }),
    );
    given.abort(new Error('enough'));
    await early;
    await client.close();
  },
};
