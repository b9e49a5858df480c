import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  accepted,
  asking,
  confirm,
  connected,
  done,
  key,
  replies,
  where,
  type Connected,
  type Json,
} from '../../../../test/support/rounds-client.ts';
import { InputRequiredError, OutputValidationError } from './api/errors.ts';
import type { InputRequiredStep, Step } from './api/step.ts';

describe('a request stepped by hand', () => {
  const question = asking({ k: confirm, l: where }, { requestState: 'kept' });
  const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

  async function begun(
    ...results: readonly Json[]
  ): Promise<{ readonly step: InputRequiredStep<'tools/call'>; readonly one: Connected }> {
    const one = await connected(replies(...results));
    const step = await one.client.begin('tools/call', { name: 'x', arguments: { n: 1 } });
    assert.ok(step.status === 'input_required');
    return { step, one };
  }

  it('is JSON, and another client can go on with it [C69] [mrtr-017] [mrtr-018] [mrtr-021] [mrtr-027]', async () => {
    const { step } = await begun(question);
    const plain: Step<'tools/call'> = {
      status: 'input_required',
      method: 'tools/call',
      params: { name: 'x', arguments: { n: 1 } },
      inputRequests: { k: confirm, l: where } as never,
      requestState: 'kept',
    };
    assert.deepEqual(step, plain);
    assert.deepEqual(stored(step), step);
    const other = await connected(replies(asking({ m: confirm }), done));
    const second = await other.client.resume(stored(step), { k: 'decline', l: [{ uri: 'file:///a' }] });
    assert.ok(second.status === 'input_required');
    const third = await other.client.resume(stored(second), { m: { action: 'accept' } });
    assert.ok(third.status === 'complete');
    assert.deepEqual(third.result.content, done.content);
    const first = { name: 'x', arguments: { n: 1 } };
    assert.deepEqual(other.params(), [
      {
        ...first,
        inputResponses: { k: { action: 'decline' }, l: { roots: [{ uri: 'file:///a' }] } },
        requestState: 'kept',
      },
      { ...first, inputResponses: { m: accepted } },
    ]);
  });

  it('keeps any key and any state on its way through JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { maxLength: 4 }),
        fc.string({ unit: 'binary' }),
        async (keys, requestState) => {
          const inputRequests = Object.fromEntries(keys.map((name) => [name, where]));
          const one = await connected(
            replies({ resultType: 'input_required', inputRequests, requestState }, { contents: [] }),
          );
          const step = stored(await one.client.begin('resources/read', { uri: 'file:///a' }));
          assert.ok(step.status === 'input_required');
          const answers = Object.fromEntries(keys.map((name) => [name, []]));
          assert.equal((await one.client.resume(step, answers)).status, 'complete');
          const inputResponses = Object.fromEntries(keys.map((name) => [name, { roots: [] }]));
          assert.deepEqual(one.params()[1], { uri: 'file:///a', inputResponses, requestState });
        },
      ),
      { numRuns: 40 },
    );
  });

  for (const [title, answers] of [
    ['is missing', { k: 'accept' }],
    ['was not asked for', { k: 'accept', l: [], m: 'accept' }],
    ['does not fit', { k: { action: 'accept', content: { ok: 7 } }, l: [] }],
    ['is of another kind', { k: [], l: 'accept' }],
    ['is a place that is none', { k: 'cancel', l: [{ uri: 'https://a.example/' }] }],
  ] as const) {
    it(`sends nothing when an answer ${title} [mrtr-016] [mrtr-017]`, async () => {
      const { step, one } = await begun(question);
      await assert.rejects(one.client.resume(step, answers as never), TypeError);
      assert.equal(one.params().length, 1);
    });
  }

  it('may be complete at once, and is complete where there are no rounds', async () => {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      const one = await connected(replies(done), {}, revision);
      const step = await one.client.begin('tools/call', { name: 'x' });
      assert.ok(step.status === 'complete');
      assert.deepEqual(step.result.content, done.content);
    }
  });

  it('goes on with the state alone when nothing was asked for', async () => {
    const { step, one } = await begun({ resultType: 'input_required', requestState: '' }, done);
    await one.client.resume(step, {});
    assert.deepEqual(one.params()[1], { name: 'x', arguments: { n: 1 }, requestState: '' });
  });

  it('is not for other methods, other steps or other revisions', async () => {
    const { step, one } = await begun(question);
    await assert.rejects(one.client.begin('tools/list' as never, {} as never), TypeError);
    for (const wrong of [undefined, { status: 'complete', result: done }, { ...step, method: 'tools/list' }])
      await assert.rejects(one.client.resume(wrong as never, {}), TypeError);
    const older = await connected(replies(done), {}, '2025-11-25');
    await assert.rejects(older.client.resume(step, { k: 'accept', l: [] }), TypeError);
  });

  it('is held against the output schema of its tool', async () => {
    const { step, one } = await begun(question, { content: [], structuredContent: { sum: 'x' } });
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } } } as const;
    one.client.primeTools([{ name: 'x', inputSchema: { type: 'object' }, outputSchema }]);
    await assert.rejects(one.client.resume(step, { k: 'accept', l: [] }), OutputValidationError);
  });

  it('can take over where the handlers gave up', async () => {
    const one = await connected(replies(asking({ k: confirm }), done), { capabilities: { elicitation: {} } });
    const error: unknown = await one.client.callTool('x').catch((caught: unknown) => caught);
    assert.ok(error instanceof InputRequiredError);
    const step = await one.client.resume(error.step, { k: 'accept' });
    assert.equal(step.status, 'complete');
  });
});
