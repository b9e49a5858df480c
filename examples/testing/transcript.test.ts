import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from 'parley-mcp/protocol';
import { createServer } from 'parley-mcp/server';
import { differences, linesOf, memoryTransport, parseTranscripts, valueToSend } from 'parley-mcp/testing';

const text = `
# A call of an unknown tool is rejected
revisions: 2025-11-25
C: {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"$revision","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
S: {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"$revision",…}}
C: {"jsonrpc":"2.0","method":"notifications/initialized"}
C: {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}
S: {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"<string>",…}}
`;

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

for (const transcript of parseTranscripts(text))
  for (const revision of transcript.revisions)
    test(`${transcript.title} (${revision.date})`, async () => {
      const came: unknown[] = [];
      let tell = (): void => undefined;
      const channel = await memoryTransport(server).open({
        message: (value) => {
          came.push(value);
          tell();
        },
        problem: (error) => assert.fail(error),
        closed: () => undefined,
      });
      const bindings = new Map<string, unknown>();
      for (const { kind, text: line } of linesOf(transcript, revision)) {
        // A transcript can contain invalid messages.
        if (kind === 'client') await channel.send(valueToSend(line, revision, bindings) as Message);
        else {
          if (came.length === 0) await new Promise<void>((resolve) => (tell = resolve));
          assert.deepEqual(differences(line, came.shift(), revision, bindings), []);
        }
      }
      await channel.close();
    });
