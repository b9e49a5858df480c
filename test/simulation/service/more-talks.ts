/** What servers by hand say of sessions that they do not know any more, before anything was asked, and in too many words. */

import { ConnectionError, unknownSessions } from '../../../packages/parley/src/jsonrpc/transport.ts';
import { sessions, stateless, type Line, type Talks, type Words } from './desk.ts';

/** More tools than a client remembers hints of. */
const manyTools = 1_100;

/** What a transport throws if the server does not know the session. Without a session, the same answer is an error like others. */
const notFound = (isSession: boolean): never => {
  const error = new ConnectionError('http', 'HTTP 404', { status: 404 });
  if (isSession) unknownSessions.add(error);
  throw error;
};

export const moreTalks: Talks = {
  /** What comes before the client asked anything is about nothing that it asked. */
  async 'words before anything'(desk) {
    const client = await desk.connect(sessions, (message, line) => {
      if (message['method'] !== 'open') return false;
      line.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
      line.say({ jsonrpc: '2.0', id: 99, result: {} });
      line.say({ jsonrpc: '2.0', id: 'early', method: 'strange' });
      line.say([]);
      line.say('none');
      return true;
    });
    await client.ping();
    await client.close();
  },

  /** Of more tools than there is room for, the hints that were seen last are remembered. */
  async 'more tools than anybody remembers'(desk) {
    let isAway = false;
    desk.facts = { cancelsByClosing: true };
    const calls: string[] = [];
    const client = await desk.connect(stateless, (message, line) => {
      if (message['method'] === 'tools/list') {
        const tools = Array.from({ length: manyTools }, (_, at) => ({
          name: `tool${at}`,
          inputSchema: { type: 'object' },
          ...(at % 3 === 0 && { annotations: { readOnlyHint: at % 2 === 0 } }),
          ...(at % 3 === 1 && { annotations: { idempotentHint: true } }),
        }));
        line.answer(message, { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' });
        return true;
      }
      if (message['method'] !== 'tools/call') return false;
      const { name } = message['params'] as { readonly name: string };
      calls.push(name);
      if (!isAway) return false;
      isAway = false;
      throw new ConnectionError('closed', 'it broke off');
    });
    const tools = await client.listTools();
    if (tools.length !== manyTools) desk.violated(`is told of ${tools.length} tools`);
    for (const name of ['tool1099', 'tool1096']) {
      isAway = true;
      await client.callTool(name, {}).catch(() => undefined);
    }
    isAway = false;
    await client.close();
  },

  /** A session that is not known is begun anew, unless nobody wants that, or nobody is there. */
  async 'a session that is lost'(desk) {
    let isLost = false;
    let isSession = true;
    let isGone = false;
    const script = ({ method }: Words): boolean => {
      if (isLost && method !== 'initialize') {
        isLost = false;
        notFound(isSession);
      }
      if (isGone && method === 'initialize') {
        isGone = false;
        throw new ConnectionError('refused', 'nobody is there');
      }
      return false;
    };
    const client = await desk.connect(sessions, script);
    isLost = true;
    await client.ping();
    isLost = isGone = true;
    await desk.fails('a ping', 'session-lost', () => client.ping());
    await client.ping();
    isLost = true;
    await desk.fails('a call', 'session-lost', () => client.callTool('one', {}));
    isLost = true;
    await client.request('notifications/roots/list_changed').catch(() => undefined);
    await client.close();
    const content = await desk.connect(sessions, script, { reconnect: false });
    isLost = true;
    await desk.fails('a ping of who does not come back', 'session-lost', () => content.ping());
    await content.close();
    const sessionless = await desk.connect(sessions, script);
    isSession = false;
    isLost = true;
    await desk.fails('a call without a session', 'http', () => sessionless.callTool('one', {}));
    await sessionless.close();
  },

  /** What is remembered of a server is asked anew where it does not hold any more. */
  async 'a server that is not what it was'(desk) {
    let isOld = false;
    const script = (message: Words, line: Line): boolean => {
      if (!isOld || message['method'] === 'initialize') {
        isOld = false;
        return false;
      }
      if (message['method'] === 'tools/call') throw new ConnectionError('http', 'HTTP 400', { status: 400 });
      if (message['method'] !== 'server/discover') return false;
      line.say({ jsonrpc: '2.0', id: message['id'], error: { code: -32_601, message: 'unknown' } });
      return true;
    };
    const options = { revisions: [stateless, sessions] } as const;
    const first = await desk.connect(stateless, script, options);
    const { negotiated } = first;
    await first.close();
    const client = await desk.connect(stateless, script, { ...options, negotiated });
    isOld = true;
    await client.callTool('one', {}).catch((error: unknown) => desk.violated(`is told ${String(error)}`));
    await client.close();
  },

  /** Who gives a subscription up while it is being made in a session has none. */
  async 'subscriptions that are given up'(desk) {
    let line: Line | undefined;
    const client = await desk.connect(sessions, (message, given) => {
      line = given;
      return message['method'] === 'resources/subscribe';
    });
    const given = new AbortController();
    const topics = { tools: true, updates: ['news://x'] };
    const subscribing = desk.fails('a subscription', 'enough', () =>
      client.subscribe(topics, () => undefined, { signal: given.signal }),
    );
    await desk.sleep(100);
    line?.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    given.abort(new Error('enough'));
    await subscribing;
    await client.close();
  },
};
