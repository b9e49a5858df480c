/** Stateless clients of a handshake server that asks in the middle of a call. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  bridgeBefore,
  bridgeTo,
  lineOver,
  serverAt,
  type QuietOptions,
} from '../../../../../../test/support/bridged.ts';
import {
  open,
  settle,
  statelessDate,
  withMeta,
  type Json,
  type Raw,
  type RawOptions,
} from '../../../../../../test/support/raw.ts';
import type { ToolContext, Server } from '../../../server.ts';
import { McpError } from '../../../protocol/error.ts';
import { metaKey } from '../../../protocol/meta.ts';
import type { ServerOptions } from '../../../server/definition/options.ts';
import { memoryTransport } from '../../../testing/memory-transport.ts';
import type { Bridge } from '../../bridge.ts';
import { tampered } from '../../../../../../test/support/tampered.ts';

const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const form = { message: 'Your name?', schema: { type: 'object', properties: { name: { type: 'string' } } } } as const;

/** A server of an older revision with one tool. */
function serverWith(run: (ctx: ToolContext) => Promise<string>, options?: ServerOptions): Server {
  const server = serverAt('2025-11-25', options);
  server.tool('ask', { description: 'Asks.' }, async (_, ctx) => await run(ctx));
  return server;
}

async function askName(ctx: ToolContext): Promise<string> {
  const answer = await ctx.elicit(form);
  return answer.action === 'accept' ? String(answer.content['name']) : answer.action;
}

const accepted = (name: string): Json => ({ action: 'accept', content: { name } });

interface Stage {
  readonly bridge: Bridge;
  readonly raw: Raw;
}

async function stage(
  t: TestContext,
  run: (ctx: ToolContext) => Promise<string>,
  options: QuietOptions & { readonly raw?: RawOptions; readonly server?: ServerOptions } = {},
): Promise<Stage> {
  const { raw: own, server, ...rest } = options;
  const bridge = await bridgeBefore(t, serverWith(run, server), rest);
  return { bridge, raw: await open(bridge, statelessDate, { capabilities, ...own }) };
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function deferred(): Deferred {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** The keys that a result asks for. */
function keysOf({ resultType, inputRequests }: Json): string[] {
  assert.equal(resultType, 'input_required');
  return Object.keys(Object(inputRequests));
}

function textOf({ content }: Json): unknown {
  return (content as readonly Json[] | undefined)?.[0]?.['text'];
}

/** The parameters of a retry that gives the same answer to everything. */
function retry(asked: Json, answer: Json, params: Json = { name: 'ask' }): Json {
  const { requestState } = asked;
  const inputResponses = Object.fromEntries(keysOf(asked).map((key) => [key, answer]));
  return { ...params, requestState, inputResponses };
}

describe('a question in the middle of a call', () => {
  it('is the result of the request, and its answer goes on with the call', async (t) => {
    let runs = 0;
    const { raw } = await stage(t, async (ctx) => {
      runs++;
      return `${await askName(ctx)} and ${await askName(ctx)}`;
    });
    const first = await raw.result('tools/call', { name: 'ask' });
    const [request] = Object.values(Object(first['inputRequests'])) as Json[];
    assert.equal(request?.['method'], 'elicitation/create');
    assert.equal(Object(request['params'])['message'], 'Your name?');
    const second = await raw.result('tools/call', retry(first, accepted('Ann')));
    assert.notEqual(second['requestState'], first['requestState']);
    const last = await raw.result('tools/call', retry(second, accepted('Bob')));
    assert.equal(textOf(last), 'Ann and Bob');
    assert.equal(runs, 1);
  });

  it('is asked together with those of the same turn, and again as long as its answer is missing or unfit [mrtr-025, mrtr-026]', async (t) => {
    const { raw } = await stage(t, async (ctx) => (await Promise.all([askName(ctx), askName(ctx)])).join('+'));
    const both = await raw.result('tools/call', { name: 'ask' });
    const [one, two] = keysOf(both);
    assert.ok(one !== undefined && two !== undefined);
    const answers = { [one]: accepted('Ann'), [two]: { roots: [] }, other: accepted('Eve') };
    const { requestState } = both;
    const rest = await raw.result('tools/call', { name: 'ask', requestState, inputResponses: answers });
    assert.deepEqual(keysOf(rest), [two]);
    assert.equal(textOf(await raw.result('tools/call', retry(rest, accepted('Bob')))), 'Ann+Bob');
  });

  it('keeps progress for the request that takes the call up, under its own token', async (t) => {
    const asking = deferred();
    const { raw } = await stage(t, async (ctx) => {
      ctx.progress(1);
      const name = askName(ctx);
      await asking.promise;
      ctx.progress(2);
      return await name;
    });
    const asked = await raw.result('tools/call', { name: 'ask', _meta: { progressToken: 'first' } });
    asking.resolve();
    await settle();
    await raw.result('tools/call', { ...retry(asked, accepted('Ann')), _meta: { progressToken: 'second' } });
    const reports = raw.take().map(({ params }) => params as Json);
    assert.deepEqual(
      reports.map(({ progressToken, progress }) => [progressToken, progress]),
      [
        ['first', 1],
        ['second', 2],
      ],
    );
  });

  // "a parked retry hears progress without a token and logs that it did not ask for"
  it('is told of nothing that the request that takes it up did not ask for', async (t) => {
    const asking = deferred();
    const { raw } = await stage(
      t,
      async (ctx) => {
        const name = askName(ctx);
        await asking.promise;
        ctx.progress(1);
        ctx.log('info', 'kept');
        ctx.log('error', 'kept');
        await name;
        ctx.progress(2);
        ctx.log('info', 'live');
        return `${await name} ${await askName(ctx)}`;
      },
      { server: { logging: true } },
    );
    const wishes = { progressToken: 'first', [metaKey.logLevel]: 'info' };
    const asked = await raw.result('tools/call', { name: 'ask', _meta: wishes });
    asking.resolve();
    await settle();
    const second = await raw.result('tools/call', retry(asked, accepted('Ann')));
    assert.deepEqual(raw.take(), []);
    assert.equal(textOf(await raw.result('tools/call', retry(second, accepted('Bob')))), 'Ann Bob');
    assert.deepEqual(raw.take(), []);
  });

  it('keeps of the log what the request that takes it up wants to hear', async (t) => {
    const asking = deferred();
    const { raw } = await stage(
      t,
      async (ctx) => {
        const name = askName(ctx);
        await asking.promise;
        ctx.log('info', 'kept');
        ctx.log('error', 'kept');
        return await name;
      },
      { server: { logging: true } },
    );
    const asked = await raw.result('tools/call', { name: 'ask', _meta: { [metaKey.logLevel]: 'info' } });
    asking.resolve();
    await settle();
    const answer = { ...retry(asked, accepted('Ann')), _meta: { [metaKey.logLevel]: 'error' } };
    assert.equal(textOf(await raw.result('tools/call', answer)), 'Ann');
    assert.deepEqual(
      raw.take().map(({ params }) => Object(params).level),
      ['error'],
    );
  });

  // `"params":{}` in every embedded request: the Go SDK fails the whole call without.
  it('has params where the server left them out', async (t) => {
    const { raw } = await stage(t, async (ctx) => String((await ctx.roots()).length));
    const asked = await raw.result('tools/call', { name: 'ask' });
    assert.deepEqual(Object.values(Object(asked['inputRequests'])), [{ method: 'roots/list', params: {} }]);
    assert.equal(textOf(await raw.result('tools/call', retry(asked, { roots: [] }))), '0');
  });

  it('is refused when too many of the same call wait for an answer', async (t) => {
    const { raw } = await stage(t, async (ctx) => {
      const outcomes = await Promise.allSettled(Array.from({ length: 101 }, () => askName(ctx)));
      return outcomes.filter(({ status }) => status === 'rejected').length.toString();
    });
    const asked = await raw.result('tools/call', { name: 'ask' });
    assert.equal(keysOf(asked).length, 100);
    assert.equal(textOf(await raw.result('tools/call', retry(asked, accepted('Ann')))), '1');
  });

  it('is refused where the client did not declare what it needs [mrtr-007]', async (t) => {
    const { raw } = await stage(
      t,
      async (ctx) => {
        try {
          return await askName(ctx);
        } catch (error) {
          return error instanceof McpError ? 'not declared' : 'else';
        }
      },
      { raw: { capabilities: { roots: {} } } },
    );
    assert.equal(textOf(await raw.result('tools/call', { name: 'ask' })), 'not declared');
  });
});

describe('the state of a parked call', () => {
  it('is good for the request that it was made for, its principal and its round alone [mrtr-011, mrtr-012, mrtr-014]', async (t) => {
    const { bridge, raw } = await stage(t, async (ctx) => `${await askName(ctx)} ${await askName(ctx)}`);
    const first = await raw.result('tools/call', { name: 'ask' });
    const state = String(first['requestState']);
    const answer = retry(first, accepted('Ann'));
    const eve = await open(bridge, statelessDate, { capabilities, auth: { principal: 'eve' } });
    const attempts = [
      raw.error('tools/call', { ...answer, requestState: tampered(state) }),
      raw.error('tools/call', { ...answer, arguments: { other: true } }),
      raw.error('tools/call', { ...answer, requestState: 'x'.repeat(100_000) }),
      eve.error('tools/call', answer),
    ];
    for (const { code, message } of await Promise.all(attempts)) {
      assert.equal(code, -32602);
      assert.match(message, /requestState is not valid/);
    }
    const second = await raw.result('tools/call', answer);
    assert.equal((await raw.error('tools/call', retry(first, accepted('Eve')))).code, -32602);
    assert.equal(textOf(await raw.result('tools/call', retry(second, accepted('Bob')))), 'Ann Bob');
    assert.equal((await raw.error('tools/call', retry(second, accepted('Eve')))).code, -32602);
  });

  it('names no call of another bridge', async (t) => {
    const keys = [new Uint8Array(32)];
    const here = await stage(t, askName, { rounds: { keys } });
    const there = await stage(t, askName, { rounds: { keys } });
    const asked = await here.raw.result('tools/call', { name: 'ask' });
    assert.equal((await there.raw.error('tools/call', retry(asked, accepted('Ann')))).code, -32602);
  });
});

describe('a parked call', () => {
  it('is cancelled upstream when nobody comes back in time [mrtr-008, mrtr-013]', async (t) => {
    const cancelled = deferred();
    const { raw } = await stage(
      t,
      async (ctx) => {
        ctx.signal.addEventListener('abort', () => cancelled.resolve());
        return await askName(ctx);
      },
      { rounds: { ttlMs: 20 } },
    );
    const asked = await raw.result('tools/call', { name: 'ask' });
    await cancelled.promise;
    assert.equal((await raw.error('tools/call', retry(asked, accepted('Ann')))).code, -32602);
  });

  it('is cancelled upstream when the request that took it up is', async (t) => {
    const cancelled = deferred();
    const { raw } = await stage(t, async (ctx) => {
      ctx.signal.addEventListener('abort', () => cancelled.resolve());
      await askName(ctx);
      return await new Promise<never>(() => undefined);
    });
    const asked = await raw.result('tools/call', { name: 'ask' });
    const waiting = raw.send('tools/call', retry(asked, accepted('Ann')), 'mine');
    await settle();
    await raw.notify('notifications/cancelled', { requestId: 'mine' });
    assert.equal(await waiting, undefined);
    await cancelled.promise;
  });

  it('that is over when its client comes back gives its result', async (t) => {
    const over = deferred();
    const { raw } = await stage(t, async (ctx) => {
      void askName(ctx).catch(() => undefined);
      await over.promise;
      return 'went on without';
    });
    const asked = await raw.result('tools/call', { name: 'ask' });
    over.resolve();
    await settle();
    assert.equal(textOf(await raw.result('tools/call', retry(asked, accepted('Ann')))), 'went on without');
  });

  it('whose server dies is an error that says so, and the next call works', async (t) => {
    const line = lineOver(memoryTransport(serverWith(askName)));
    const raw = await open(await bridgeTo(t, line.transport), statelessDate, { capabilities });
    const asked = await raw.result('tools/call', { name: 'ask' });
    line.cut();
    await settle();
    const error = await raw.error('tools/call', retry(asked, accepted('Ann')));
    assert.equal(error.code, -32603);
    assert.match(error.message, /the upstream server failed: the server exited/);
    const again = await raw.result('tools/call', { name: 'ask' });
    assert.equal(textOf(await raw.result('tools/call', retry(again, accepted('Bob')))), 'Bob');
  });

  it('shares its connection with no other call, and no connection is shared across principals', async (t) => {
    const line = lineOver(memoryTransport(serverWith(askName)));
    const bridge = await bridgeTo(t, line.transport);
    const ann = await open(bridge, statelessDate, { capabilities, auth: { principal: 'ann' } });
    const bob = await open(bridge, statelessDate, { capabilities, auth: { principal: 'bob' } });
    const before = line.opened;
    const asked: Json[] = [];
    for (const raw of [ann, ann, bob]) asked.push(await raw.result('tools/call', { name: 'ask' }));
    assert.equal(line.opened - before, 3);
    const answers = await Promise.all(
      [ann, ann, bob].map((raw, at) => raw.result('tools/call', retry(asked[at] ?? {}, accepted(`n${at}`)))),
    );
    assert.deepEqual(answers.map(textOf), ['n0', 'n1', 'n2']);
    // What became free serves the next call of the same principal.
    await ann.result('tools/call', { name: 'ask' });
    await bob.result('tools/call', { name: 'ask' });
    assert.equal(line.opened - before, 3);
  });

  it('may wait beside some of the same principal, not beside any number', async (t) => {
    const { bridge, raw } = await stage(t, askName, { maxUpstreams: 6 });
    const asked: Json[] = [];
    for (let at = 0; at < 3; at++) asked.push(await raw.result('tools/call', { name: 'ask' }));
    const refused = await raw.error('tools/call', { name: 'ask' });
    assert.match(refused.message, /3 calls wait for answers already/);
    // People answer, which takes longer than a second.
    assert.deepEqual(refused['data'], { retryAfterMs: 60_000 });
    const other = await open(bridge, statelessDate, { capabilities, auth: { principal: 'other' } });
    keysOf(await other.result('tools/call', { name: 'ask' }));
    await raw.result('tools/call', retry(asked[0] ?? {}, accepted('Ann')));
    keysOf(await raw.result('tools/call', { name: 'ask' }));
  });
});

describe('an error that wants a page visited first', () => {
  const elicitations = [{ mode: 'url', message: 'Log in.', url: 'https://example.com/login', elicitationId: 'a' }];
  const loggedOut = async (): Promise<never> => {
    throw new McpError('urlElicitationRequired', 'log in first', { data: { elicitations } });
  };

  it('asks for the visit, and the call is made anew after it', async (t) => {
    let visits = 0;
    const { raw } = await stage(t, async () => (visits++ === 0 ? await loggedOut() : 'in'));
    const asked = await raw.result('tools/call', { name: 'ask' });
    const [request] = Object.values(Object(asked['inputRequests'])) as Json[];
    assert.deepEqual(request, {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Log in.', url: 'https://example.com/login' },
    });
    assert.equal(textOf(await raw.result('tools/call', retry(asked, { action: 'accept' }))), 'in');
  });

  it('has the call made anew once, however often the answer is delivered', async (t) => {
    let calls = 0;
    const { raw } = await stage(t, async () => (calls++ === 0 ? await loggedOut() : `call ${calls}`));
    const answered = retry(await raw.result('tools/call', { name: 'ask' }), { action: 'accept' });
    const results = await Promise.all([1, 2].map(() => raw.result('tools/call', answered)));
    results.push(await raw.result('tools/call', answered));
    assert.deepEqual([results.map(textOf), calls], [Array(3).fill('call 2'), 2]);
  });

  it('is good until its time is over, and no longer [mrtr-013]', async (t) => {
    let now = 1_000_000_000_000;
    t.mock.method(Date, 'now', () => now);
    let visits = 0;
    const run = async (): Promise<string> => (visits++ % 2 === 0 ? await loggedOut() : 'in');
    const { raw } = await stage(t, run, { rounds: { ttlMs: 1_000 } });
    for (const [ms, isGood] of [
      [1_000, true],
      [1_001, false],
    ] as const) {
      const asked = await raw.result('tools/call', { name: 'ask' });
      now += ms;
      const retried = retry(asked, { action: 'accept' });
      if (isGood) assert.equal(textOf(await raw.result('tools/call', retried)), 'in');
      else assert.equal((await raw.error('tools/call', retried)).code, -32602);
    }
  });

  it('ends the call when the visit is declined', async (t) => {
    const { raw } = await stage(t, loggedOut);
    const asked = await raw.result('tools/call', { name: 'ask' });
    const error = await raw.error('tools/call', retry(asked, { action: 'decline' }));
    assert.match(error.message, /was not visited/);
  });
});

it('calls that wait count for the address that they come from, not for everybody without a principal', async (t) => {
  const bridge = await bridgeBefore(t, serverWith(askName), { maxUpstreams: 6 });
  const ask = async (address: string): Promise<Json> => {
    const conversation = bridge.endpoint.openConnection({ lasting: false, address, send: () => undefined });
    const params = withMeta({ name: 'ask' }, { capabilities });
    return { ...(await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })) };
  };
  for (let count = 0; count < 3; count++) assert.ok('result' in (await ask('10.0.0.1')));
  assert.match(JSON.stringify(await ask('10.0.0.1')), /3 calls wait for answers already/);
  assert.ok('result' in (await ask('10.0.0.2')));
});
