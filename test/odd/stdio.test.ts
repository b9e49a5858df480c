/** Odd servers on stdio; each is right but for what its row says. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { agreed, agrees } from './agreed.ts';
import { outcomes, peers, type User } from './peers.ts';
import { written } from './stdio-server.ts';

/** What the server does; what SDK 1.32.2, SDK 2.4.0 and our client have of its list; and a reason where ours is stricter. */
type Line = readonly [does: string, older: string, newer: string, parley: string, because?: string];

const lines: readonly Line[] = [
  ['nothing odd', 'odd', 'odd', 'odd'],
  ['a text at its start', 'odd', 'odd', 'odd'],
  ['a text before each answer', 'odd', 'odd', 'odd'],
  ['JSON that is no message', 'odd', 'odd', 'odd'],
  ['JSON that is no object', 'odd', 'odd', 'odd'],
  ['a byte order mark', 'no answer', 'no answer', 'odd'],
  ['lines that end with a carriage return', 'odd', 'odd', 'odd'],
  ['empty lines', 'odd', 'odd', 'odd'],
  ['blanks around each message', 'odd', 'odd', 'odd'],
  ['ids as text', 'odd', 'odd', 'odd'],
  ['ids with a fraction', 'odd', 'odd', 'odd'],
  ['no version of JSON-RPC', 'no answer', 'no answer', 'fails'],
  ['a number as version of JSON-RPC', 'no answer', 'no answer', 'fails'],
  ['an error of null beside the result', 'no answer', 'no answer', 'odd'],
  ['a result of null beside the error', 'no answer', 'no answer', 'fails'],
  ['an error without a message', 'no answer', 'no answer', 'fails'],
  ['an error whose code is text', 'no answer', 'no answer', 'fails'],
  ['an error that is text', 'no answer', 'no answer', 'fails'],
  ['a result that is a list', 'no answer', 'no answer', 'fails'],
  ['an answer with params', 'no answer', 'no answer', 'odd'],
  ['an answer with the method', 'no answer', 'no answer', 'no answer'],
  ['each answer twice', 'odd', 'odd', 'odd'],
  ['an answer as a batch', 'no answer', 'no answer', 'odd'],
  ['an answer to nothing', 'odd', 'odd', 'odd'],
  ['an error without a method for notifications', 'odd', 'odd', 'odd'],
  ['an invalid request for notifications', 'odd', 'odd', 'odd'],
  ['an error without an id for notifications', 'odd', 'odd', 'odd'],
  ['an error with an id of its own for notifications', 'odd', 'odd', 'odd'],
  ['a result for notifications', 'odd', 'odd', 'odd'],
  ['a log message before its first answer', 'odd', 'odd', 'odd'],
  ['a ping before its first answer', 'odd', 'odd', 'odd'],
  ['a ping without a text or number as id', 'odd', 'odd', 'odd'],
  ['a ping with params of null', 'odd', 'odd', 'odd'],
  ['a ping with a large id', 'odd', 'odd', 'odd'],
  ['a question before it is initialized', 'odd', 'odd', 'odd'],
  ['an unknown question', 'odd', 'odd', 'odd'],
  ['an unknown notification', 'odd', 'odd', 'odd'],
  ['a notification with params of null', 'odd', 'odd', 'odd'],
  ['a notification with a list of params', 'odd', 'odd', 'odd'],
  ['progress of nothing', 'odd', 'odd', 'odd'],
  ['a cancellation of nothing', 'odd', 'odd', 'odd'],
  ['a log message without data', 'odd', 'odd', 'odd'],
  ['a log message of an unknown level', 'odd', 'odd', 'odd'],
  ['an end at an unknown method', 'odd', 'odd', 'odd'],
];

const program = 'stdio-server.ts';
const path = join(import.meta.dirname, program);

/** Rows for which each client starts a process: it may end, and SDK 2.4.0 starts another one then. */
const inProcesses = new Set(['nothing odd', 'an end at an unknown method']);

/** The list, or that no answer came: the server answers in order, so that no answer follows those of later pings. */
async function listed(user: User): Promise<string> {
  const list = user.listTools().then((tools) => tools.map(({ name }) => name).join());
  const after = async (): Promise<string> => {
    for (let pings = 0; pings < 3; pings++) await user.ping();
    return 'no answer';
  };
  list.catch(() => undefined);
  return await Promise.race([list, after()]);
}

for (const [does, older, newer, parley, because] of lines)
  test(`a server on stdio: ${does}`, async () => {
    const place = inProcesses.has(does) ? { program, does } : { lines: (line: string) => written(does, line) };
    const { error, ...made } = await outcomes(place, listed);
    assert.deepEqual(
      peers.map((peer) => made[peer]),
      [older, newer, parley],
      String(error),
    );
    const isStricter = parley !== 'odd' && (older === 'odd' || newer === 'odd');
    assert.equal(isStricter, because !== undefined);
    // What is never answered is explained to be so, after a minute.
    if (parley === 'no answer') return;
    const all = await agreed({ lines: (line) => written(does, line), command: [process.execPath, path, does] });
    assert.ok(agrees(all), JSON.stringify(all));
  });
