import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../protocol/features/common.ts';
import { MiddlewareStack } from './middleware-stack.ts';
import type { Middleware } from './middleware.ts';
import { inOrder, passed } from './order.ts';
import { pass, type MiddlewareFacts } from './pass.ts';

const about: MiddlewareFacts = {
  side: 'server',
  direction: 'received',
  kind: 'request',
  method: 'tools/call',
  revision: '2026-07-28',
  requestId: 1,
  session: undefined,
  transport: undefined,
  protocol: undefined,
  auth: undefined,
  address: undefined,
  known: undefined,
  signal: new AbortController().signal,
  check: (params) => {
    if (params['bad'] === true) throw new Error('bad');
    return params;
  },
};

function chainOf(...all: readonly Middleware[]): MiddlewareStack {
  const chain = new MiddlewareStack();
  for (const one of all) chain.use(one);
  return chain;
}

const answer =
  (result: JsonObject = { done: true }) =>
  (): JsonObject =>
    result;

test('the first that was added is outermost, and what each gives goes to the one before', async () => {
  const seen = fc.array(fc.record({ isAsync: fc.boolean(), adds: fc.boolean(), wraps: fc.boolean() }), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(seen, async (kinds) => {
      const all = kinds.map(({ isAsync, adds, wraps }, at): Middleware => {
        const change = (params: JsonObject): JsonObject | undefined =>
          adds ? { ...params, [`p${at}`]: at } : undefined;
        const give = (result: JsonObject): JsonObject => (wraps ? { ...result, [`r${at}`]: at } : result);
        return isAsync
          ? async ({ params }, next) => give(await next(change(params)))
          : ({ params }, next) => {
              const result = next(change(params));
              return 'then' in result ? (result as PromiseLike<JsonObject>).then(give) : give(result);
            };
      });
      const given = await pass(chainOf(...all), about, { name: 'a' }, (params) => ({ params }));
      const params = {
        name: 'a',
        ...Object.fromEntries(kinds.flatMap(({ adds }, at) => (adds ? [[`p${at}`, at]] : []))),
      };
      const wraps = Object.fromEntries(kinds.flatMap(({ wraps: does }, at) => (does ? [[`r${at}`, at]] : [])));
      assert.deepEqual(given, { params, ...wraps });
    }),
  );
});

test('what only passes on gives the very result of what is behind it, at once', () => {
  const result = { done: true };
  const through: Middleware = (_passing, next) => next();
  assert.equal(pass(chainOf(through, through), about, {}, answer(result)), result);
});

test('a second call of next fails, and runs nothing', async () => {
  let runs = 0;
  const twice: Middleware = async (_passing, next) => {
    await next();
    return await next();
  };
  const run = async (): Promise<JsonObject> => await pass(chainOf(twice), about, {}, () => ({ run: ++runs }));
  await assert.rejects(run, { name: 'TypeError', message: 'middleware called next twice for tools/call' });
  assert.equal(runs, 1);
});

test('a call of next after the end fails, and runs nothing', async () => {
  let runs = 0;
  let late: (() => unknown) | undefined;
  for (const isAsync of [false, true]) {
    const keeps: Middleware = (_passing, next) => {
      late = next;
      return isAsync ? Promise.resolve({}) : {};
    };
    await pass(chainOf(keeps), about, {}, () => ({ run: ++runs }));
    assert.throws(() => late?.(), { message: 'middleware called next after it had ended for tools/call' });
  }
  assert.equal(runs, 0);
});

test('a call of next after the middleware failed fails too, and runs nothing', async () => {
  let runs = 0;
  let late: (() => unknown) | undefined;
  for (const isAsync of [false, true]) {
    const fails: Middleware = (_passing, next) => {
      late = next;
      if (isAsync) return Promise.reject(new Error('no'));
      throw new Error('no');
    };
    await assert.rejects(async () => await pass(chainOf(fails), about, {}, () => ({ run: ++runs })), /no/);
    assert.throws(() => late?.(), { message: 'middleware called next after it had ended for tools/call' });
  }
  assert.equal(runs, 0);
});

test('what never calls next answers in the place of what is behind it', () => {
  const given = pass(
    chainOf(() => ({ own: 1 })),
    about,
    {},
    () => assert.fail('it was run'),
  );
  assert.deepEqual(given, { own: 1 });
});

test('what is thrown goes through, and may be caught by what is outside', async () => {
  const thrown = new Error('no');
  const throws: Middleware = () => {
    throw thrown;
  };
  const rejects: Middleware = async () => {
    throw thrown;
  };
  for (const fails of [throws, rejects]) {
    await assert.rejects(async () => await pass(chainOf(fails), about, {}, answer()), thrown);
    const catches: Middleware = async (_passing, next) => {
      try {
        return await next();
      } catch (error) {
        return { caught: error === thrown };
      }
    };
    assert.deepEqual(await pass(chainOf(catches, fails), about, {}, answer()), { caught: true });
  }
});

test('a result that is no object is refused, but of a notification it is ignored', async () => {
  for (const garbage of [undefined, null, 'text', 7, []]) {
    for (const given of [garbage, Promise.resolve(garbage)]) {
      const chain = chainOf(() => given as never);
      await assert.rejects(async () => await pass(chain, about, {}, answer()), { name: 'TypeError' });
      assert.deepEqual(await pass(chain, { ...about, kind: 'notification' }, {}, answer()), {});
    }
  }
});

test('changed params are checked again, and those that do not fit are a mistake of the middleware', async () => {
  let runs = 0;
  for (const changed of [{ bad: true }, null, 'text', []]) {
    const changes: Middleware = (_passing, next) => next(changed as never);
    await assert.rejects(async () => await pass(chainOf(changes), about, {}, () => ({ run: ++runs })), {
      name: 'TypeError',
      message: /^middleware changed the params of tools\/call to invalid ones: /,
    });
  }
  assert.equal(runs, 0);
});

test('middleware sees the params as what is outside of it changed them', () => {
  const seen: JsonObject[] = [];
  const changes: Middleware = ({ params, meta }, next) => next({ ...params, _meta: { ...meta, b: 2 } });
  const sees: Middleware = ({ params, meta }, next) => {
    seen.push(params, meta);
    return next();
  };
  pass(chainOf(changes, sees), about, { _meta: { a: 1 } }, answer());
  assert.deepEqual(seen, [{ _meta: { a: 1, b: 2 } }, { a: 1, b: 2 }]);
});

test('middleware of one method is for that alone, in the order in which all of it was added', () => {
  const names: string[] = [];
  const named =
    (name: string): Middleware =>
    (_passing, next) => {
      names.push(name);
      return next();
    };
  const chain = new MiddlewareStack();
  chain.use('tools/call', named('a'));
  chain.use(named('b'));
  chain.use('prompts/get', named('c'));
  chain.use('tools/call', named('d'));
  pass(chain, about, {}, answer());
  pass(chain, { ...about, method: 'tools/list' }, {}, answer());
  assert.deepEqual(names, ['a', 'b', 'd', 'b']);
});

test('what is added while a request is under way holds for later ones', async () => {
  const chain = new MiddlewareStack();
  const seen: string[] = [];
  chain.use(async (_passing, next) => {
    chain.use((_inner, go) => {
      seen.push('late');
      return go();
    });
    return await next();
  });
  await pass(chain, about, {}, answer());
  assert.deepEqual(seen, []);
  await pass(chain, about, {}, answer());
  assert.deepEqual(seen, ['late']);
});

test('a chain within another has the middleware of both, and what is added to either', () => {
  const [outer, inner] = [new MiddlewareStack(), new MiddlewareStack()];
  const seen: string[] = [];
  const named =
    (name: string): Middleware =>
    (_passing, next) => {
      seen.push(name);
      return next();
    };
  inner.within(outer);
  assert.equal(inner.used, false);
  outer.use(named('outer'));
  assert.equal(inner.used, true);
  pass(inner, about, {}, answer());
  inner.use(named('inner'));
  pass(inner, about, {}, answer());
  assert.deepEqual(seen, ['outer', 'outer', 'inner']);
});

test('use takes nothing but functions', () => {
  for (const given of [[undefined], ['tools/call'], ['', () => ({})], [{}], ['tools/call', {}]])
    assert.throws(() => new MiddlewareStack().use(...(given as unknown as [Middleware])), { name: 'TypeError' });
});

test('notifications of one conversation keep their order, however long each takes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 }), async (turns) => {
      const owner = {};
      const gone: number[] = [];
      turns.forEach((count, at) =>
        inOrder(
          owner,
          () => {
            if (count === 0) return void gone.push(at);
            let waited = Promise.resolve();
            for (let turn = 0; turn < count; turn++) waited = waited.then(() => undefined);
            return waited.then(() => void gone.push(at));
          },
          () => assert.fail('nothing fails'),
        ),
      );
      await passed(owner);
      assert.deepEqual(gone, [...turns.keys()]);
      assert.equal(passed(owner), undefined);
    }),
  );
});

test('notifications behind one that never passes are bounded, and what is dropped is told of', () => {
  const owner = {};
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  inOrder(owner, () => new Promise(() => undefined), failed);
  for (let count = 0; count < 1005; count++) inOrder(owner, () => undefined, failed);
  assert.equal(failures.length, 6);
});

test('a notification that fails is told of, and the next ones pass', async () => {
  const owner = {};
  const failures: unknown[] = [];
  const gone: number[] = [];
  const thrown = new Error('no');
  inOrder(
    owner,
    async () => Promise.reject(thrown),
    (error) => void failures.push(error),
  );
  inOrder(
    owner,
    () => void gone.push(1),
    (error) => void failures.push(error),
  );
  await passed(owner);
  assert.deepEqual([failures, gone], [[thrown], [1]]);
});
