import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBridge } from '../packages/parley/src/bridge.ts';
import { connect } from '../packages/parley/src/client.ts';
import { createHandler } from '../packages/parley/src/transports/http/server/fetch.ts';
import { listen, toNodeHandler } from '../packages/parley/src/transports/node/server/http.ts';
import { memoryTransport } from '../packages/parley/src/testing/memory-transport.ts';
import { createServer } from '../packages/parley/src/server/server.ts';
import { serveStdio } from '../packages/parley/src/transports/stdio/server/serve.ts';

const info = { name: 's', version: '1' };
const server = createServer(info);
const upstream = memoryTransport(server);

/** Options that no compiler checked. */
function loose(options: object): never {
  return options as never;
}

describe('An unknown option is a TypeError at once that names the nearest', () => {
  for (const [what, mistake, words] of [
    ['of a server', () => createServer(info, loose({ pagesize: 1 })), /a server has no option "pagesize"; .*pageSize/],
    ['in rounds', () => createServer(info, loose({ rounds: { maxRound: 1 } })), /rounds has .*"maxRound".*maxRounds/],
    ['in rateLimits', () => createServer(info, loose({ rateLimits: { tool: {} } })), /rateLimits .*"tool".*tools/],
    [
      'in a rate limit',
      () => createServer(info, loose({ rateLimits: { tools: { perSecond: 1, perMinute: 2 } } })),
      /rateLimits\.tools has no option "perMinute"; it has perSecond, burst/,
    ],
    [
      'in a rate of one tool',
      () => createServer(info, loose({ rateLimits: { byTool: { search: { perSecond: 1, bursts: 2 } } } })),
      /rateLimits\.byTool\["search"\] has no option "bursts"; .*burst/,
    ],
    [
      'in rates of tools',
      () => createServer(info, loose({ rateLimits: { byTool: 3 } })),
      /rateLimits\.byTool must be .* not 3/,
    ],
    [
      'in what holds while the store is away',
      () => createServer(info, loose({ rateLimits: { lost: 'allow' } })),
      /rateLimits\.lost must be "own" or "refuse", not "allow"/,
    ],
    [
      'in a rate of sessions',
      () => createServer(info, { rateLimits: { initialize: { perSecond: 0 } } }),
      /perSecond above 0, .* not 0/,
    ],
    [
      'in subscriptions',
      () => createServer(info, loose({ subscriptions: { listener: 1 } })),
      /subscriptions .*"listener".*listeners/,
    ],
    ['in cache', () => createServer(info, loose({ cache: { ttl: 1 } })), /cache .*"ttl".*ttlMs/],
    ['in tasks', () => createServer(info, loose({ tasks: { ttl: 1 } })), /tasks has no option "ttl"; .*ttlMs/],
    [
      'in limits of tasks',
      () => createServer(info, loose({ tasks: { limits: { runing: 1 } } })),
      /tasks\.limits has no option "runing"; .*running/,
    ],
    [
      'in times of tasks',
      () => createServer(info, { tasks: { leaseTtlMs: Number.NaN } }),
      /tasks\.leaseTtlMs must be .*NaN/,
    ],
    ['in a poll interval', () => createServer(info, { tasks: { pollIntervalMs: 0 } }), /pollIntervalMs must be .* 0/],
    ['in a limit of tasks', () => createServer(info, { tasks: { limits: { perOwner: -1 } } }), /limits\.perOwner .*-1/],
    ['in a store of tasks', () => createServer(info, loose({ tasks: { store: {} } })), /tasks\.store\.claim must be/],
    [
      'in the task of a tool',
      () => createServer(info).tool('t', loose({ task: { support: 'optional', ttl: 1 } }), () => 'x'),
      /the task of tool "t" has no option "ttl"; .*ttlMs/,
    ],
    [
      'in how a tool takes tasks',
      () => createServer(info).tool('t', loose({ task: 'always' }), () => 'x'),
      /task of tool "t" must be "optional" or "required", not "always"/,
    ],
    [
      'in the number of its runs',
      () => createServer(info).tool('t', { task: { support: 'optional', attempts: 0 } }, () => 'x'),
      /attempts of the task of tool "t" must be a whole number of at least 1, not 0/,
    ],
    [
      'in the time after which it is a task',
      () => createServer(info).tool('t', loose({ task: { support: 'optional', after: 'later' } }), () => 'x'),
      /after of tool "t", unless "background", must be a number of at least 0, not "later"/,
    ],
    ['in rounds that are none', () => createServer(info, loose({ rounds: 5 })), /rounds needs an object, not a number/],
    ['of createHandler', () => createHandler(server, loose({ allowedHost: [] })), /"allowedHost".*allowedHosts/],
    ['of memoryTransport', () => memoryTransport(server, loose({ authInfo: {} })), /"authInfo".*auth/],
    ['of toNodeHandler', () => toNodeHandler(server, loose({ port: 1 })), /"port"/],
    [
      'in ssePair',
      () => createHandler(server, loose({ ssePair: { sse: '/sse', message: '/m' } })),
      /ssePair .*"message".*messages/,
    ],
    [
      'of listen',
      () => listen(server, loose({ port: 0, hostname: '::' })),
      /listen .*"hostname"; it is called host here/,
    ],
    ['of serveStdio', () => serveStdio(server, loose({ maxLineByte: 1 })), /serveStdio .*"maxLineByte".*maxLineBytes/],
    [
      'that is no number',
      () => serveStdio(server, loose({ drainTimeoutMs: '5' })),
      /drainTimeoutMs must be a number .*, not "5"/,
    ],
    ['that is no hook', () => serveStdio(server, loose({ onError: 'log' })), /onError must be a function, not "log"/],
    ['of connect', () => connect(upstream, loose({ onElicitation: () => 'accept' })), /connect .*"onElicitation"/],
    ['of connect over HTTP', () => connect('http://127.0.0.1:1/', loose({ header: {} })), /"header".*headers/],
    [
      'of the cache',
      () => connect(upstream, loose({ cache: 'always' })),
      /cache must be "use", "refresh" or "bypass", not "always"/,
    ],
    ['in the info of a bridge', () => createBridge(loose({ upstream, info: { name: 'b' } })), /info needs .*version/],
    ['in more of it', () => createBridge(loose({ upstream, info: { ...info, secret: 1 } })), /info has .*"secret"/],
    ['of a bridge', () => createBridge(loose({ upstream, shared: 'shared' })), /createBridge .*"shared".*sharing/],
    [
      'of a bridge beside its own',
      () => (createBridge as (...given: object[]) => unknown)({ upstream }, { sharing: 'none' }),
      /createBridge takes all its options in one object/,
    ],
    ['in rounds of a bridge', () => createBridge(loose({ upstream, rounds: { ttl: 1 } })), /rounds .*"ttl".*ttlMs/],
    [
      'in rates of a bridge',
      () => createBridge(loose({ upstream, rateLimits: { request: { perSecond: 1 } } })),
      /rateLimits .*"request".*requests/,
    ],
    [
      'in one of several servers of a bridge',
      () => createBridge(loose({ upstreams: { one: { upstream, revision: [] } } })),
      /upstream "one" .*"revision".*revisions/,
    ],
  ] as const) {
    test(what, async () => {
      await assert.rejects(async () => mistake(), { name: 'TypeError', message: words });
    });
  }

  test('of a request, whatever its kind', async () => {
    const client = await connect(upstream);
    for (const [options, message] of [
      [{ cache: 'always' }, /cache must be "use", "refresh" or "bypass", not "always"/],
      [{ resultTypes: 'com.example/late' }, /resultTypes must be a list of strings or "any"/],
      [{ resultTypes: [7] }, /resultTypes must be a list of strings or "any"/],
      [{ timeout: 5 }, /a request has no option "timeout"; .*timeoutMs/],
    ] as const)
      await assert.rejects(async () => client.request('tools/list', {}, loose(options)), {
        name: 'TypeError',
        message,
      });
    await client.close();
  });

  test('in an update, which then changes nothing', async () => {
    const changing = createServer(info);
    const run = (): string => 'x';
    const tool = changing.tool('t', { description: 'before' }, run);
    const wrong = { description: 'after', inputSchema: {} };
    assert.throws(() => tool.update(loose(wrong)), {
      name: 'TypeError',
      message: /tool "t" .*"inputSchema".* input\b/,
    });
    const resource = changing.resource('a:b', { name: 'n' }, run);
    assert.throws(() => resource.update(loose({ mimetype: 'x' })), { name: 'TypeError', message: /mimeType/ });
    assert.throws(() => resource.update(loose({ cache: { ttl: 5 } })), { name: 'TypeError', message: /ttlMs/ });
    const client = await connect(memoryTransport(changing));
    assert.equal((await client.listTools())[0]?.description, 'before');
    await client.close();
  });

  test('and what is left out or known is fine', async () => {
    const rounds = { maxRounds: 2, ttlMs: undefined };
    createServer(info, loose({ rounds, rateLimits: undefined, cache: undefined }));
    const listening = await listen(server, loose({ port: 0, maxConnections: 5, maxBodyBytes: undefined }));
    const client = await connect(listening.url, loose({ headers: {}, onWarning: undefined }));
    await client.close();
    await listening.close();
  });
});
