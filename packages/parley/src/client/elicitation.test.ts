import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  codeOf,
  connected,
  everything,
  form,
  name,
  newest,
  page,
  stateless,
} from '../../../../test/support/asked-client.ts';
import { turns } from '../../../../test/support/turns.ts';
import { McpError } from '../protocol/error.ts';
import type { Script } from '../testing/scripted.ts';
import { urlElicitations } from './api/errors.ts';
import type { ConnectOptions } from './api/options.ts';

describe('a form', () => {
  for (const revision of ['2025-06-18', newest]) {
    it(`is filled in at ${revision} [C89] [elicit-019] [elicit-015]`, async () => {
      const seen: unknown[] = [];
      const one = await connected(revision, {
        onElicit(params, context) {
          seen.push([params.message, params.requestedSchema, context.revision, context.signal.aborted]);
          return { action: 'accept', content: { name: 'Ada' } };
        },
      });
      assert.deepEqual((await one.ask('elicitation/create', form))['result'], {
        action: 'accept',
        content: { name: 'Ada' },
      });
      assert.deepEqual(seen, [['Who?', name, revision, false]]);
    });
  }

  for (const action of ['decline', 'cancel'] as const) {
    it(`may be answered with ${action}, and then says nothing else [elicit-007]`, async () => {
      const bare = await connected(newest, { onElicit: () => action });
      assert.deepEqual((await bare.ask('elicitation/create', form))['result'], { action });
      const full = await connected(newest, { onElicit: () => ({ action, content: { name: 'secret' } }) });
      assert.deepEqual((await full.ask('elicitation/create', form))['result'], { action });
    });
  }

  const defaults = {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'John' },
      age: { type: 'integer', default: 30 },
      status: { type: 'string', enum: ['on', 'off'], default: 'on' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      verified: { type: 'boolean', default: true },
      note: { type: 'string' },
    },
    required: ['verified'],
  };

  it('is filled with the defaults that were left out [elicit-022]', async () => {
    const one = await connected(newest, { onElicit: () => ({ action: 'accept', content: { age: 31 } }) });
    const { result } = await one.ask('elicitation/create', { message: 'm', requestedSchema: defaults });
    const content = { name: 'John', age: 31, status: 'on', tags: ['a'], verified: true };
    assert.deepEqual(result, { action: 'accept', content });
  });

  it('of 2025-06-18 has defaults of booleans alone', async () => {
    const { tags: _, ...properties } = defaults.properties;
    const one = await connected('2025-06-18', { onElicit: () => 'accept' });
    const { result } = await one.ask('elicitation/create', {
      message: 'm',
      requestedSchema: { ...defaults, properties },
    });
    assert.deepEqual(result, { action: 'accept', content: { verified: true } });
  });

  for (const [title, answer] of [
    ['lacks a field', { action: 'accept', content: {} }],
    ['has a wrong value', { action: 'accept', content: { name: 7 } }],
    ['has a value that no field holds', { action: 'accept', content: { name: 'a', more: { deep: 1 } } }],
    ['has an unknown action', { action: 'perhaps' }],
    ['is nothing', undefined],
  ] as const) {
    it(`whose answer ${title} is an error here, and the server learns no detail [elicit-005] [elicit-059]`, async () => {
      const one = await connected(newest, { onElicit: () => answer as never });
      const { error } = await one.ask('elicitation/create', form);
      assert.deepEqual(error, { code: -32603, message: 'internal error' });
      assert.match(
        one.warnings.join(),
        /elicitation\/create.*TypeError: the answer to elicitation\/create does not fit/,
      );
    });
  }

  for (const [title, params] of [
    ['without a message', { requestedSchema: name }],
    ['without a schema', { message: 'm' }],
    [
      'with a nested field',
      { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } },
    ],
  ] as const) {
    it(`${title} does not reach the handler`, async () => {
      const one = await connected(newest, { onElicit: () => assert.fail('the handler ran') });
      assert.equal(codeOf(await one.ask('elicitation/create', params)), -32602);
    });
  }
});

describe('a page to visit', () => {
  it('is answered with an action alone [C89]', async () => {
    const seen: unknown[] = [];
    const one = await connected(newest, {
      onElicitUrl(params) {
        seen.push([params.url, params.message, params.elicitationId]);
        return { action: 'accept', content: { a: 1 } };
      },
    });
    assert.deepEqual((await one.ask('elicitation/create', page))['result'], { action: 'accept' });
    assert.deepEqual(seen, [[page.url, page.message, page.elicitationId]]);
  });

  it('is refused when its url is none', async () => {
    const one = await connected(newest, everything);
    assert.equal(codeOf(await one.ask('elicitation/create', { ...page, url: 'pay here' })), -32602);
  });

  for (const [title, options, params] of [
    ['a visit where only forms were declared', { onElicit: everything.onElicit }, page],
    ['a form where only visits were declared', { onElicitUrl: everything.onElicitUrl }, form],
    ['a form in so many words', { onElicitUrl: everything.onElicitUrl }, { ...form, mode: 'form' }],
    ['a mode that nobody knows', everything, { ...form, mode: 'telepathy' }],
    ['a visit that was not declared', { ...everything, advertise: false, capabilities: { elicitation: {} } }, page],
  ] as const) {
    it(`${title} is -32602 [A25] [elicit-017]`, async () => {
      // exactOptionalPropertyTypes: the handlers of `everything` are there.
      const one = await connected(newest, options as ConnectOptions);
      assert.equal(codeOf(await one.ask('elicitation/create', params)), -32602);
    });
  }

  it('that is over is told once, for ids that were asked about [C53] [elicit-028]', async () => {
    const over: string[] = [];
    const one = await connected(newest, { ...everything, onElicitationComplete: (id) => void over.push(id) });
    const complete = (elicitationId: unknown) =>
      one.peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
    complete('e1');
    await one.ask('elicitation/create', page);
    for (const id of ['other', 'e1', 'e1', 7]) complete(id);
    assert.deepEqual(over, ['e1']);
  });

  it('may be over before the user agreed to it here', async () => {
    const over: string[] = [];
    const one = await connected(newest, {
      onElicitUrl: () => new Promise(() => {}),
      onElicitationComplete: (id) => void over.push(id),
    });
    one.peer.send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: page });
    await turns();
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
    assert.deepEqual(over, ['e1']);
  });
});

describe('an error that names pages to visit', () => {
  const data = {
    elicitations: [page, { ...page, elicitationId: 'e2' }, { mode: 'form' }, 7, { ...page, elicitationId: 3 }],
  };
  const refusing: Script = (sent, peer) => peer.refuse(sent, { code: -32042, message: 'visit first', data });

  it('has its kind and the pages, and makes their ids known [C50] [C51] [C52]', async () => {
    const over: string[] = [];
    const one = await connected(newest, { onElicitationComplete: (id) => void over.push(id) }, refusing);
    const error: unknown = await one.client.callTool('x').catch((caught: unknown) => caught);
    assert.ok(error instanceof McpError);
    assert.deepEqual([error.kind, error.code], ['urlElicitationRequired', -32042]);
    assert.deepEqual(
      urlElicitations(error).map(({ elicitationId }) => elicitationId),
      ['e1', 'e2'],
    );
    for (const elicitationId of ['e2', 'e2', 'e3', 'e1'])
      one.peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
    assert.deepEqual(over, ['e2', 'e1']);
  });

  for (const revision of ['2025-06-18', stateless]) {
    it(`is like any other at ${revision} [C52]`, async () => {
      const one = await connected(
        revision,
        { onElicitationComplete: () => assert.fail('nothing was waited for') },
        refusing,
      );
      const error: unknown = await one.client.callTool('x').catch((caught: unknown) => caught);
      assert.ok(error instanceof McpError);
      assert.deepEqual([error.kind, error.code, error.data], [undefined, -32042, data]);
      assert.deepEqual(urlElicitations(error), []);
      one.peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
    });
  }

  it('may lack them', () => {
    for (const broken of [undefined, null, {}, { elicitations: 7 }])
      assert.deepEqual(urlElicitations(new McpError('urlElicitationRequired', 'm', { data: broken })), []);
    assert.deepEqual(urlElicitations(new Error('other')), []);
  });
});
