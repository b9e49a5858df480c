import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ExactNumber } from '../json/exact-number.ts';
import { connected, handshake, lastOf, stateless, text, tool } from '../../../../test/support/connected-client.ts';
import type { Script } from '../testing/scripted.ts';
import { OutputValidationError } from './api/errors.ts';

describe('arguments that travel in headers', () => {
  const region = tool('sql', {
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, n: { type: 'integer', 'x-mcp-header': 'N' } },
    },
  });
  const renamed = tool('sql', {
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Place' } } },
  });
  const broken = tool('broken', {
    inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } },
  });
  const serving =
    (tools: readonly object[]): Script =>
    (sent, peer) =>
      peer.reply(sent, sent.message['method'] === 'tools/list' ? { tools } : text);

  it('are mirrored once the tool is known [C03] [http-080] [http-081] [http-096]', async () => {
    const one = await connected(serving([region]), { kind: 'http' });
    await one.client.callTool('sql', { region: 'eu' });
    assert.equal(lastOf(one).headers['Mcp-Param-Region'], undefined);
    await one.client.listTools();
    await one.client.callTool('sql', { region: 'eu', n: null });
    assert.deepEqual(lastOf(one).headers, {
      'MCP-Protocol-Version': stateless,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'sql',
      'Mcp-Param-Region': 'eu',
    });
  });

  it('are mirrored for tools that were listed elsewhere [C03]', async () => {
    const one = await connected(serving([]), { kind: 'http' });
    one.client.primeTools([region as never]);
    await one.client.request('tools/call', { name: 'sql', arguments: { region: 'ä', n: 5 } });
    assert.equal(lastOf(one).headers['Mcp-Param-Region'], '=?base64?w6Q=?=');
    assert.equal(lastOf(one).headers['Mcp-Param-N'], '5');
  });

  for (const settings of [{ kind: 'stdio' }, { kind: 'http', revision: handshake }] as const) {
    it(`are mirrored nowhere else: ${JSON.stringify(settings)} [C71]`, async () => {
      const one = await connected(serving([region, broken]), settings);
      assert.equal((await one.client.listTools()).length, 2);
      await one.client.callTool('sql', { region: 'eu' });
      assert.deepEqual(lastOf(one).headers, {});
    });
  }

  it('make a tool with invalid annotations be left out, with a warning [C71] [http-090] [http-091]', async () => {
    const one = await connected(serving([broken, region]), { kind: 'http' });
    assert.deepEqual(
      (await one.client.listTools()).map(({ name }) => name),
      ['sql'],
    );
    assert.match(one.warnings.join(), /"broken".*string, integer or boolean/);
  });

  it('are learned anew when the server finds a mismatch, once [http-103] [http-104]', async () => {
    let calls = 0;
    const script: Script = (sent, peer) => {
      if (sent.message['method'] === 'tools/list') return peer.reply(sent, { tools: [renamed] });
      calls++;
      if (sent.headers['Mcp-Param-Place'] === undefined)
        return peer.refuse(sent, { code: -32020, message: 'mismatch' }, 400);
      peer.reply(sent, text);
    };
    const one = await connected(script, { kind: 'http' });
    one.client.primeTools([region as never]);
    assert.deepEqual((await one.client.callTool('sql', { region: 'eu' })).content, text.content);
    assert.equal(calls, 2);
    await assert.rejects(one.client.callTool('sql', {}), { kind: 'headerMismatch' });
    assert.equal(calls, 4);
  });
});

describe('structured results', () => {
  const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
  const giving =
    (result: object, outputSchema: object = output): Script =>
    (sent, peer) =>
      peer.reply(
        sent,
        sent.message['method'] === 'tools/list'
          ? { tools: [tool('add', { outputSchema })] }
          : { content: [], ...result },
      );

  for (const revision of ['2025-06-18', handshake, stateless]) {
    it(`of ${revision} that fit the output schema are given [C08] [tools-012]`, async () => {
      const { client } = await connected(giving({ structuredContent: { sum: 3 } }), { revision });
      await client.listTools();
      assert.deepEqual((await client.callTool('add')).structuredContent, { sum: 3 });
    });

    it(`of ${revision} that do not fit are an error with the places [C09] [C31] [tools-040]`, async () => {
      const { client } = await connected(giving({ structuredContent: { sum: 'x' } }), { revision });
      await client.listTools();
      await assert.rejects(client.callTool('add'), (error: unknown) => {
        assert.ok(error instanceof OutputValidationError);
        assert.equal(error.reason, 'does-not-fit');
        assert.equal(error.problems[0]?.path, '/sum');
        assert.deepEqual(error.result?.structuredContent, { sum: 'x' });
        return true;
      });
    });
  }

  it('are checked by what their numbers mean, however those are spelled', async () => {
    const spelled = (number: string): object => ({ structuredContent: { sum: new ExactNumber(number) } });
    const bounded = { ...output, properties: { sum: { type: 'integer', minimum: new ExactNumber('1.0') } } };
    const calling = async (number: string): Promise<unknown> => {
      const { client } = await connected(giving(spelled(number), bounded), { options: { exactNumbers: true } });
      await client.listTools();
      return (await client.callTool('add')).structuredContent;
    };
    assert.deepEqual(await calling('3.0'), { sum: new ExactNumber('3.0') });
    assert.deepEqual(await calling('12345678901234567890'), { sum: new ExactNumber('12345678901234567890') });
    await assert.rejects(calling('3.5'), /must be integer/);
    await assert.rejects(calling('0.0'), /must be >= 1/);
  });

  it('that are missing are an error, unless the tool failed [C82]', async () => {
    const missing = await connected(giving({}));
    await missing.client.listTools();
    await assert.rejects(missing.client.callTool('add'), OutputValidationError);
    const failed = await connected(giving({ isError: true }));
    await failed.client.listTools();
    assert.equal((await failed.client.callTool('add')).isError, true);
  });

  it('are not checked when nobody wants it, or the tool is not known [C31]', async () => {
    const off = await connected(giving({}), { options: { validateOutput: false } });
    await off.client.listTools();
    await off.client.callTool('add');
    const unknown = await connected(giving({}));
    await unknown.client.callTool('add');
  });

  for (const [$schema, how] of [
    ['https://json-schema.org/draft/2019-09/schema', 'it is read as 2020-12'],
    ['http://json-schema.org/draft-04/schema#', 'it is read as draft-07'],
    ['https://example.com/mine', 'nothing is validated against it'],
  ] as const)
    it(`of the dialect ${$schema} are given, with one warning [schema-004]`, async () => {
      const one = await connected(giving({ structuredContent: { sum: 3 } }, { ...output, $schema }));
      for (let round = 0; round < 2; round++) {
        await one.client.listTools({ cache: 'bypass' });
        assert.deepEqual((await one.client.callTool('add')).structuredContent, { sum: 3 });
      }
      assert.deepEqual(one.warnings, [
        `the output schema of tool "add" is of the dialect "${$schema}", which is not supported: ${how}`,
      ]);
    });

  it('of a dialect that is not supported are checked by the nearest', async () => {
    const $schema = 'https://json-schema.org/draft/2019-09/schema';
    const one = await connected(giving({ structuredContent: { sum: 'x' } }, { ...output, $schema }));
    await one.client.listTools();
    await assert.rejects(one.client.callTool('add'), { name: 'OutputValidationError', reason: 'does-not-fit' });
  });

  const text = { type: 'string', pattern: '(?i)^[a-z]+$' };
  const unusable: Readonly<Record<string, object>> = {
    'a pattern with flags in it': { ...output, properties: { sum: text } },
    'a group as Python names it': { ...output, properties: { sum: { type: 'string', pattern: '(?P<x>a)' } } },
    'a reference to a group': { ...output, properties: { sum: { pattern: String.raw`^(.)\1$` } } },
    'a reference that leads out': { ...output, properties: { sum: { $ref: 'https://example.com/x.json' } } },
    'a reference to nothing': { ...output, properties: { sum: { $ref: '#/$defs/Sum' } } },
    'too many subschemas': { ...output, anyOf: Array.from({ length: 10_001 }, () => ({})) },
    'an unknown type': { ...output, properties: { sum: { type: 'strnig' } } },
    'no property names': { type: 'object', properties: null },
  };
  for (const [what, outputSchema] of Object.entries(unusable)) {
    it(`of a schema with ${what} are given, with one warning that names the tool`, async () => {
      const one = await connected(giving({ structuredContent: { sum: 'aa' } }, outputSchema));
      for (let round = 0; round < 2; round++) {
        await one.client.listTools({ cache: 'bypass' });
        assert.deepEqual((await one.client.callTool('add')).structuredContent, { sum: 'aa' });
      }
      assert.equal(one.warnings.length, 1);
      assert.match(one.warnings[0] ?? '', /^the output schema of tool "add" cannot be used/);
    });
  }

  it('are held against what is left of a schema with a pattern that cannot be read', async () => {
    const { client, warnings } = await connected(
      giving({ structuredContent: { sum: 3 } }, { ...output, properties: { sum: text } }),
    );
    await client.listTools();
    await assert.rejects(client.callTool('add'), { reason: 'does-not-fit', message: /\/sum: must be string/ });
    assert.match(warnings.join(), /validated against the rest of it: at \/properties\/sum: pattern/);
  });

  it('that would keep this side busy are refused by name: too much to check', async () => {
    const { client } = await connected(giving({ structuredContent: {} }, { type: 'object', allOf: [{ $ref: '#' }] }));
    await client.listTools();
    await assert.rejects(client.callTool('add'), {
      name: 'OutputValidationError',
      reason: 'too-much-to-check',
      message: /^the result of tool "add" was not checked against its output schema: .* too much to check$/,
    });
  });
});

it('an unknown tool is told with the nearest names that the server has listed', async () => {
  const { client } = await connected((sent, peer) =>
    sent.message['method'] === 'tools/list'
      ? peer.reply(sent, { tools: [tool('get_weather'), tool('echo')], ttlMs: 0, cacheScope: 'private' })
      : peer.refuse(sent, { code: -32602, message: 'unknown tool' }),
  );
  await client.listTools();
  await assert.rejects(client.callTool('getWeather'), {
    name: 'McpError',
    message: 'unknown tool; the nearest name is "get_weather"',
  });
  await assert.rejects(client.callTool('echo'), { message: 'unknown tool' });
});
