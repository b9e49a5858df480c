/** Ids and tokens beyond 2^53: each is read and written in its digits, wherever a message has it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage, toJson } from './encode.ts';
import type { Message } from './message.ts';

const large = '9007199254740993';

for (const [what, text] of [
  ['the id of a request', `{"jsonrpc":"2.0","id":${large},"method":"ping"}`],
  ['the id of a result', `{"jsonrpc":"2.0","id":${large},"result":{}}`],
  [
    'the progress token of a request',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":${large}}}}`,
  ],
  [
    'the token of a progress notification',
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${large},"progress":1}}`,
  ],
  [
    'the request that a notification cancels',
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${large}}}`,
  ],
  [
    'the subscription of a notification',
    `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":${large}}}}`,
  ],
  [
    'the subscription of a result',
    `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":${large}}}}`,
  ],
] as const)
  test(`${what} keeps its digits, alone and in a batch`, () => {
    // The parser returns what the text says.
    assert.equal(toJson(parseMessage(text, {}) as Message), text);
    assert.equal(toJson(parseMessage(`[${text}]`, {}) as readonly Message[]), `[${text}]`);
  });
