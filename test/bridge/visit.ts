/** What an official client does with a server of others. */

import assert from 'node:assert/strict';
import type { Answers, Door, Official, OfficialClient } from '../../scripts/demo-clients.ts';
import { tap } from '../../scripts/demo-wire.ts';
import type { Asked, Asking, Question, RealServer } from './real-servers.ts';

/** What every client answers. */
export const answers: Readonly<Record<Question, object>> = {
  'elicitation/create': { action: 'accept', content: { name: 'Ann' } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'well met' } },
  'roots/list': { roots: [{ uri: 'file:///home/ann', name: 'home' }] },
};

/** Does everything that needs no answer of the client. */
export async function useEverything(official: Official, door: Door, server: RealServer): Promise<void> {
  await withClient({ official, door }, async (client) => {
    const { tools } = await client.listTools();
    assert.ok(names(tools).includes(server.plain.name), `the tools are ${names(tools).join()}`);
    await says(official, client, server.plain);
    assert.match(await refusalOf(official, client, 'no-such-tool'), /no-such-tool|unknown tool|not found/i);
    assert.ok((await says(official, client, server.progress)) >= (official.hearsAllProgress ? 3 : 0));
    const { resource, prompt } = server;
    if (resource !== undefined) assert.match(JSON.stringify(await client.readResource(resource)), resource.says);
    if (prompt !== undefined) {
      const { says: words, ...params } = prompt;
      assert.match(JSON.stringify(await client.getPrompt(params)), words);
    }
  });
}

/** Makes every call in whose middle the server asks, and hears that the answer arrived; gives how many did. */
export async function answerMidCall(official: Official, door: Door, server: RealServer): Promise<number> {
  const asked = questionsOf(server, official);
  const given = Object.fromEntries(asked.map(([question]) => [question, answers[question]]));
  await withClient({ official, door, answers: given }, async (client) => {
    for (const [, call] of asked) {
      const heard = canBeAsked(official, call) ? call.says : (call.since?.before ?? call.says);
      await says(official, client, { ...call, says: heard });
    }
    if (server.rounds !== undefined && official.askedBy.includes('elicitation/create'))
      await says(official, client, server.rounds);
  });
  return asked.filter(([, call]) => canBeAsked(official, call)).length;
}

/** The questions of a server that the revision of a client does not have, at all or in the form in which they are asked. */
export function beyond(official: Official, server: RealServer): readonly string[] {
  return Object.entries(server.questions).flatMap(([question, call]) => {
    // The keys of this record are questions.
    if (!official.askedBy.includes(question as Question)) return [question];
    return canBeAsked(official, call) ? [] : [`${question} as it is asked there`];
  });
}

function canBeAsked({ revision }: Official, { since }: Asking): boolean {
  return since === undefined || revision >= since.revision;
}

/** Makes the same calls without an answer to anything, and hears what that comes to. */
export async function refusedMidCall(official: Official, door: Door, server: RealServer): Promise<void> {
  await withClient({ official, door }, async (client) => {
    for (const call of Object.values(server.questions))
      assert.match(await refusalOf(official, client, call.name, call.arguments), call.refusal);
  });
}

function questionsOf(server: RealServer, { askedBy }: Official): readonly (readonly [Question, Asking])[] {
  // The keys of this record are questions.
  const all = Object.entries(server.questions) as [Question, Asking][];
  return all.filter(([question]) => askedBy.includes(question));
}

/** Opens a client for as long as the work takes, and checks what it spoke. */
export async function withClient<T>(
  given: { readonly official: Official; readonly door: Door; readonly answers?: Answers },
  work: (client: OfficialClient) => Promise<T>,
): Promise<T> {
  const { official, door } = given;
  const { client, transport } = await official.create(door, given.answers);
  const { revisions } = tap(transport);
  await client.connect(transport);
  try {
    return await work(client);
  } finally {
    await client.close();
    assert.deepEqual([...revisions], [official.revision]);
  }
}

/** Calls, checks what the result says, and counts the reports of progress. */
async function says(official: Official, client: OfficialClient, call: Asked): Promise<number> {
  let heard = 0;
  const params = { name: call.name, arguments: call.arguments ?? {} };
  const result = await official.call(client, params, () => heard++);
  assert.match(JSON.stringify(result), call.says);
  return heard;
}

/** The words of an error, which the result of a call holds too. */
async function refusalOf(official: Official, client: OfficialClient, name: string, given?: object): Promise<string> {
  try {
    const result = await official.call(client, { name, arguments: given ?? {} }, () => undefined);
    assert.equal(result.isError, true, JSON.stringify(result));
    return JSON.stringify(result.content);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

function names(tools: unknown): readonly string[] {
  // Every client checks the form of a list.
  return (tools as readonly { readonly name: string }[]).map(({ name }) => name);
}
