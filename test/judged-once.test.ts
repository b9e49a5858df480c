/** What a call of a tool is judged and projected: once, whatever it came over. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { createHandler, createServer, type RevisionDate } from '../packages/parley/src/index.ts';
import { serveStdio } from '../packages/parley/src/stdio.ts';
import { counting, readings } from './support/counting.ts';

const stateless: RevisionDate = '2026-07-28';
const inSessions: RevisionDate = '2025-11-25';

const described = {
  'io.modelcontextprotocol/protocolVersion': stateless,
  'io.modelcontextprotocol/clientInfo': { name: 'counted', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { roots: {} },
  'io.modelcontextprotocol/logLevel': 'info',
  progressToken: 'p',
};

/** A way to call the tool once more. */
type Again = () => Promise<void>;

function server(): ReturnType<typeof createServer> {
  const served = createServer({ name: 'counted', version: '1' });
  served.tool('hello', {}, () => 'hello');
  return served;
}

let lastId = 0;

function callOf(_meta?: object): string {
  const params = { name: 'hello', arguments: {}, ...(_meta && { _meta }) };
  return JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params });
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: inSessions, capabilities: {}, clientInfo: { name: 'counted', version: '1' } },
});

function overHttp(): (body: string, headers: Readonly<Record<string, string>>) => Promise<Response> {
  const handler = createHandler(server());
  const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  return async (body, headers) => {
    const request = new Request('http://localhost/', { method: 'POST', headers: { ...accept, ...headers }, body });
    const response = await handler(request);
    assert.equal(response.status, 200);
    return response;
  };
}

async function inExchange(): Promise<Again> {
  const post = overHttp();
  const headers = { 'mcp-protocol-version': stateless, 'mcp-method': 'tools/call', 'mcp-name': 'hello' };
  return async () => assert.match(await (await post(callOf(described), headers)).text(), /hello/);
}

async function inSession(): Promise<Again> {
  const post = overHttp();
  const session = (await post(initialize, {})).headers.get('mcp-session-id') ?? '';
  const headers = { 'mcp-protocol-version': inSessions, 'mcp-session-id': session };
  return async () => assert.match(await (await post(callOf(), headers)).text(), /hello/);
}

function overStdio(first: string | undefined, meta: object | undefined): () => Promise<Again> {
  return async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    serveStdio(server(), { input, output });
    const said = (line: string): Promise<string> => {
      const answer = new Promise<string>((resolve) => output.once('data', (chunk) => resolve(String(chunk))));
      input.write(`${line}\n`);
      return answer;
    };
    if (first !== undefined) await said(first);
    return async () => assert.match(await said(callOf(meta)), /hello/);
  };
}

const ways: readonly (readonly [string, () => Promise<Again>])[] = [
  ['a POST that is an exchange', inExchange],
  ['a POST of a session', inSession],
  ['a line over stdio, stateless', overStdio(undefined, described)],
  ['a line over stdio, in a session', overStdio(initialize, undefined)],
];

/** The functions that judge and project, by file and name. */
const once = [
  'jsonrpc/message.ts classify',
  'server/runtime/parsed-message.ts parsedMessageOf',
  'server/runtime/request-meta.ts readRequestMeta',
  'protocol/compile/check.ts checkWritten',
  'protocol/compile/to-wire.ts toWire',
];

describe('a call of a tool', () => {
  for (const [name, open] of ways) {
    it(`is judged once, and its result projected once: ${name}`, async () => {
      const again = await open();
      await again();
      const counted = await counting(again);
      assert.deepEqual(
        once.map((one) => [one, counted.get(one) ?? 0]),
        once.map((one) => [one, 1]),
      );
    });
  }

  for (const [name, open] of ways.filter((_, at) => at % 2 === 0)) {
    it(`has each key of its _meta read once: ${name}`, async () => {
      const again = await open();
      await again();
      const counts = await readings('io.modelcontextprotocol/protocolVersion', again);
      // The parser has looked whether the token has lost digits.
      const expected = Object.keys(described).map((key) => [key, key === 'progressToken' ? 2 : 1]);
      assert.deepEqual(Object.fromEntries(counts), Object.fromEntries(expected));
    });
  }
});
