import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chat,
  codeOf,
  connected,
  everything,
  form,
  handshakes,
  newest,
  stateless,
} from '../../../../../test/support/asked-client.ts';

describe('the handlers of a client', () => {
  const whole = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
  for (const [revision, capabilities] of [
    ['2024-11-05', { sampling: {}, roots: { listChanged: true } }],
    ['2025-03-26', { sampling: {}, roots: { listChanged: true } }],
    ['2025-06-18', { elicitation: {}, sampling: {}, roots: { listChanged: true } }],
    ['2025-11-25', whole],
    ['2026-07-28', { ...whole, roots: {} }],
  ] as const) {
    it(`advertise what ${revision} knows of [A31] [C25] [C26] [C29] [elicit-001] [elicit-002] [roots-001] [roots-002] [sampling-001] [sampling-002]`, async () => {
      const one = await connected(revision, everything);
      assert.deepEqual(one.declared(), capabilities);
    });
  }

  it('advertise nothing where that is off; what is declared goes out as it is [C28]', async () => {
    const capabilities = { sampling: { tools: {} } };
    for (const revision of [newest, stateless])
      assert.deepEqual(
        (await connected(revision, { ...everything, capabilities, advertise: false })).declared(),
        capabilities,
      );
  });

  it('that only open pages say nothing where there are none [A24] [A25]', async () => {
    assert.deepEqual((await connected('2025-06-18', { onElicitUrl: () => 'accept' })).declared(), {});
  });
});

describe('what a client cannot be asked', () => {
  const methods = { 'elicitation/create': form, 'sampling/createMessage': chat, 'roots/list': undefined };
  for (const [method, params] of Object.entries(methods)) {
    it(`${method} without its handler is no method, even when it was declared [C89] [C90] [C94] [roots-005]`, async () => {
      const capabilities = { elicitation: {}, sampling: {}, roots: {} };
      for (const options of [{}, { capabilities }, { ...everything, advertise: false }])
        assert.equal(codeOf(await (await connected(newest, options)).ask(method, params)), -32601);
    });
  }

  it('elicitation is no method before it existed', async () => {
    for (const revision of ['2024-11-05', '2025-03-26'])
      assert.equal(codeOf(await (await connected(revision, everything)).ask('elicitation/create', form)), -32601);
  });

  it('nothing is asked by requests at a stateless revision [C96]', async () => {
    const one = await connected(stateless, everything);
    for (const [method, params] of Object.entries(methods))
      await assert.rejects(one.ask(method, params), /was not answered/);
    assert.equal(one.warnings.length, 3);
  });
});

describe('roots', () => {
  for (const revision of handshakes) {
    it(`are listed at ${revision}, as they are now [C61] [E04]`, async () => {
      const one = await connected(revision, { roots: [{ uri: 'file:///a', name: 'A' }] });
      assert.deepEqual((await one.ask('roots/list'))['result'], { roots: [{ uri: 'file:///a', name: 'A' }] });
      await one.client.setRoots([]);
      assert.deepEqual((await one.ask('roots/list'))['result'], { roots: [] });
    });

    it(`that change are told at ${revision} [C46] [E10] [roots-003]`, async () => {
      const one = await connected(revision, { roots: [] });
      await one.client.setRoots([{ uri: 'file:///b' }]);
      const told = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
      assert.deepEqual(one.transport.sent.at(-1)?.message, told);
      await one.client.notifyRootsListChanged();
      assert.equal(one.transport.methods.filter((method) => method === told.method).length, 2);
    });
  }

  it('may be found by a function each time', async () => {
    let count = 0;
    const one = await connected(newest, { roots: async ({ revision }) => [{ uri: `file:///${revision}/${++count}` }] });
    await one.ask('roots/list');
    assert.deepEqual((await one.ask('roots/list'))['result'], { roots: [{ uri: `file:///${newest}/2` }] });
  });

  it('that change are not told where that was not declared, or nobody listens [C46] [E10]', async () => {
    const quiet = await connected(newest, { roots: [], capabilities: { roots: {} } });
    await quiet.client.setRoots([{ uri: 'file:///b' }]);
    const modern = await connected(stateless, { roots: [] });
    await modern.client.setRoots([{ uri: 'file:///b' }]);
    await modern.client.notifyRootsListChanged();
    for (const { transport } of [quiet, modern])
      assert.ok(!transport.methods.includes('notifications/roots/list_changed'));
  });

  it('are advertised by stateless requests from when there are some [C25]', async () => {
    const one = await connected(stateless);
    await one.client.setRoots([]);
    await one.client.callTool('x');
    assert.deepEqual(one.declared(), { roots: {} });
  });

  it('are refused where the server cannot learn of them any more', async () => {
    const one = await connected(newest);
    await assert.rejects(one.client.setRoots([]), TypeError);
  });

  it('that are no file URIs are refused, wherever they come from [C61] [roots-004] [roots-007]', async () => {
    const bad = [{ uri: 'https://a.example/' }];
    await assert.rejects(connected(newest, { roots: bad }), TypeError);
    const one = await connected(newest, { roots: () => bad });
    assert.equal(codeOf(await one.ask('roots/list')), -32603);
    await assert.rejects(one.client.setRoots(bad), TypeError);
  });
});
