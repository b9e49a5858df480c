/** Which of several servers a request is for. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { turns } from '../../../../../test/support/turns.ts';
import type { Call } from '../../server/runtime/call.ts';
import { McpError, type ErrorName } from '../../protocol/error.ts';
import { Routes } from './routes.ts';
import type { Backend } from './backend.ts';

const call = (method = 'resources/read', aborted = false): Call => ({ method, aborted }) as never;

/** A server that answers a request so. */
function backend(
  name: string,
  answer?: () => unknown,
  capabilities: object = { resources: {} },
  absent = false,
): Backend {
  const host = { capabilities: () => capabilities, handler: () => answer && (async () => answer()) };
  const single = { host };
  return { name, label: name, absent, single, present: () => single } as never;
}

const [a, b] = [backend('a'), backend('b')];

type Owned = readonly (readonly [string, Backend])[];

/** Routes between servers that list these resources and templates. */
function routes(resources: Owned, templates: Owned, backends: readonly Backend[] = [a, b]): Routes {
  const targetsOf = (owned: Owned) => new Map(owned.map(([uri, owner]) => [uri, { owner }]));
  const [listed, followed] = [targetsOf(resources), targetsOf(templates)];
  const catalogue = {
    view: async (kind: string) => ({ targets: kind === 'resources' ? listed : followed }),
    find: async (_: string, name: string) => (name === 'known' ? { owner: a, name } : undefined),
    usersOf: (_: string, name: string) => (name === 'shared' ? [a, b] : []),
  };
  return new Routes(backends, catalogue as never);
}

describe('a URI', () => {
  const templates: Owned = [
    ['x:{id}', a],
    ['{broken', a],
    ['x:{+id}', b],
  ];

  test('belongs to who lists it, else to who lists it as a template, else to the first whose template it follows', async () => {
    const found = routes([['x:1', b]], templates);
    const owner = async (uri: string) => (await found.ownerOf(uri, call()))?.name;
    assert.deepEqual(
      [await owner('x:1'), await owner('x:{+id}'), await owner('x:2'), await owner('x:2/3'), await owner('y:1')],
      ['b', 'b', 'a', 'b', undefined],
    );
  });

  test('is compared with the templates of one server as long as those cost 4,000,000, and with those of others', async () => {
    const uri = `x:${'z'.repeat(990)}`;
    const other = (at: number): readonly [string, Backend] => [`${at}:${'y'.repeat(998)}`, a];
    const matching = (owner: Backend): readonly [string, Backend] => [`x:{+${owner.name.repeat(995)}}`, owner];
    const owner = async (...owned: Owned) => (await routes([], owned).ownerOf(uri, call()))?.name;
    assert.equal(await owner(other(1), other(2), other(3), matching(a), matching(b)), 'a');
    assert.equal(await owner(other(1), other(2), other(3), other(4), matching(a), matching(b)), 'b');
    assert.equal(await owner(other(1), other(2), other(3), other(4), matching(a)), undefined);
  });

  test('of many costs a turn unless it is listed, and none once the call is aborted', async () => {
    const found = routes(
      [
        ['x:1', a],
        ['x:2', b],
      ],
      templates,
    );
    const owners = async (uris: readonly string[], by = call()): Promise<{ owned?: ReadonlyMap<string, Backend> }> => {
      const outcome: { owned?: ReadonlyMap<string, Backend> } = {};
      void found.ownersOf(uris, by).then((owned) => (outcome.owned = owned));
      await turns();
      return outcome;
    };
    const listed = await owners(['x:1', 'x:2']);
    assert.deepEqual(
      [...(listed.owned ?? [])].map(([uri, { name }]) => [uri, name]),
      [
        ['x:1', 'a'],
        ['x:2', 'b'],
      ],
    );
    for (const uri of ['x:9', 'y:9']) assert.equal((await owners([uri])).owned, undefined);
    assert.deepEqual([...(await found.ownersOf(['x:9', 'y:9'], call())).keys()], ['x:9']);
    const aborted = await owners(['x:1', 'x:2'], call('resources/read', true));
    assert.deepEqual([...(aborted.owned ?? []).keys()], ['x:1']);
  });
});

describe('a name', () => {
  test('that is nobody’s or several servers’ is an error that says what to write, or who is away', async () => {
    const found = routes([], [], [a, backend('b', undefined, {}, true)]);
    const words = async (name: string): Promise<string> =>
      await found.named('tools', name, call()).then(
        ({ owner }) => owner.name,
        (error: McpError) => error.message,
      );
    assert.equal(await words('known'), 'a');
    assert.equal(await words('shared'), 'the tool "shared" is called "a__shared" or "b__shared"');
    assert.equal(await words('other'), 'unknown tool "other" (not reached now: b)');
    assert.ok((await words('x'.repeat(129))).startsWith(`unknown tool "${'x'.repeat(128)}" `));
  });
});

describe('a request that each server may know', () => {
  const failing = (kind: ErrorName) =>
    backend(kind, () => {
      throw new McpError(kind, kind);
    });
  const ask = async (backends: readonly Backend[], by = call()): Promise<unknown> =>
    await routes([], [], backends)
      .inOrder({}, by)
      .catch((error: McpError) => error.kind);

  test('is answered by the first that does, and not asked of one that does not offer it', async () => {
    const served = backend('s', () => 'served');
    for (const kind of ['resourceNotFound', 'invalidParams', 'methodNotFound', 'internalError', 'busy'] as const)
      assert.equal(await ask([failing(kind), served]), 'served');
    assert.equal(await ask([backend('none', () => 'wrong', {}), backend('silent'), served]), 'served');
    assert.equal(await ask([failing('headerMismatch'), served]), 'headerMismatch');
    assert.equal(await ask([failing('busy'), served], call('resources/read', true)), 'busy');
    assert.equal(await ask([]), 'methodNotFound');
  });

  test('fails with the refusal that says most, in whatever order they come', async () => {
    const ranks = ['methodNotFound', 'invalidParams', 'resourceNotFound', 'internalError', 'busy'] as const;
    for (const [at, kind] of ranks.entries())
      for (const less of ranks.slice(0, at)) {
        assert.equal(await ask([failing(less), failing(kind)]), kind);
        assert.equal(await ask([failing(kind), failing(less)]), kind);
      }
  });

  test('goes to the owner of its URI alone, which must serve the method', async () => {
    const owner = backend('o', () => 'owned');
    const found = routes(
      [
        ['x:1', owner],
        ['x:2', a],
      ],
      [],
      [backend('s', () => 'served')],
    );
    assert.equal(await found.byUri('x:1', {}, call()), 'owned');
    assert.equal(await found.byUri('x:9', {}, call()), 'served');
    await assert.rejects(found.byUri('x:2', {}, call()), /resources\/read is not served by a/);
  });
});
