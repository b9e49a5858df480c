/** A question of a scripted server to a raw client in the middle of a call, in the ways of both eras. */

import assert from 'node:assert/strict';
import type { AskMethod } from '../../packages/parley/src/connection/client-request.ts';
import { requireCapabilities } from '../../packages/parley/src/connection/required-capabilities.ts';
import type { ClientCapabilities } from '../../packages/parley/src/protocol/capability.ts';
import { projectClientCapabilities } from '../../packages/parley/src/protocol/compile/capabilities.ts';
import { errorToWire, McpError, type ErrorObject } from '../../packages/parley/src/protocol/error.ts';
import type { Json, Raw, RawError } from '../support/raw.ts';
import type { Scripted } from '../support/scripted-upstream.ts';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import {
  at,
  capabilitiesHeard,
  changed,
  carried,
  meet,
  refusal,
  wire,
  type Met,
  type Pairing,
  type Seen,
} from './walk.ts';
import { until } from '../support/turns.ts';

/** What a server asks. */
export interface Question {
  readonly method: string;
  readonly params: Json;
  readonly answer: Json;
}

/** What became of it. */
export interface Asked {
  /** What the client heard of each question, in order. */
  readonly questions: readonly Json[];
  /** What the server heard as answers, in order; an error stands as it came. */
  readonly answers: readonly Json[];
  /** What came of the call. */
  readonly result: Json | undefined;
  readonly error: RawError | undefined;
}

/** Everything that a client can declare in its revision. */
export function everythingOf({ client }: Pairing): Json {
  return wire(
    projectClientCapabilities(client, {
      roots: { listChanged: true },
      sampling: { tools: {}, context: {} },
      elicitation: { form: {}, url: {} },
    }),
  );
}

/** Lets a server ask in one call, all questions of a round at once, and the client answer. */
export async function ask(
  pairing: Pairing,
  rounds: readonly (readonly Question[])[],
  capabilities: Json = everythingOf(pairing),
): Promise<Asked> {
  const answers: Json[] = [];
  const questions = rounds.flat();
  const server = pairing.server.era === 'stateless' ? asksInRounds : asksInSession;
  const script = server(rounds, { answers, refused: () => refusedBy(pairing, questions, met) });
  const met: Met = await meet(pairing, { answers: script }, { capabilities });
  const heard: Json[] = [];
  const answerTo = (question: Json): Json => {
    heard.push(question);
    const known = questions.find(
      ({ method, params }) => method === question['method'] && params['message'] === at(question, 'params', 'message'),
    );
    return (known ?? questions[0])?.answer ?? {};
  };
  const client = pairing.client.era === 'stateless' ? inRounds : inSession;
  const response = await client(met.raw, answerTo);
  // A response has one of these.
  const { result, error } = response as { readonly result?: Json; readonly error?: RawError };
  return { questions: heard, answers, result, error };
}

/** The error of a server that was told that the client cannot be asked this. */
function refusedBy({ server }: Pairing, questions: readonly Question[], { transport }: Met): ErrorObject | undefined {
  // What a client declares are its capabilities.
  const declared = (capabilitiesHeard(server, transport) ?? {}) as ClientCapabilities;
  try {
    for (const { method, params } of questions) requireCapabilities(method as AskMethod, params, server, declared);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof McpError, String(error));
    return errorToWire(server, error);
  }
}

interface Course {
  readonly answers: Json[];
  refused(): ErrorObject | undefined;
}

type Answers = NonNullable<Scripted['answers']>;

const done: Json = { content: [{ type: 'text', text: 'done' }] };

/** A stateless server: each round is an `InputRequiredResult`. */
function asksInRounds(rounds: readonly (readonly Question[])[], { answers, refused }: Course): Answers {
  return {
    'tools/call': (sent, peer) => {
      const error = refused();
      if (error !== undefined) return peer.refuse(sent, error);
      const { inputResponses = {}, requestState } = Object(sent.message['params']);
      const round = requestState === undefined ? 0 : Number(requestState);
      for (const key of Object.keys(rounds[round - 1] ?? [])) answers.push(inputResponses[`q${key}`]);
      const next = rounds[round];
      if (next === undefined) return peer.reply(sent, { ...done, resultType: 'complete' });
      const inputRequests = Object.fromEntries(next.map(({ method, params }, at) => [`q${at}`, { method, params }]));
      return peer.reply(sent, { resultType: 'input_required', inputRequests, requestState: String(round + 1) });
    },
  };
}

/** A handshake server: each round is some requests at once. */
function asksInSession(rounds: readonly (readonly Question[])[], { answers, refused }: Course): Answers {
  const first = rounds.map((_, round) => rounds.slice(0, round).flat().length);
  let send = (_round: number): void => undefined;
  return {
    'tools/call': (sent, peer) => {
      const error = refused();
      if (error !== undefined) return peer.refuse(sent, error);
      send = (round) => {
        if (rounds[round] === undefined) return peer.reply(sent, done);
        for (const [index, { method, params }] of rounds[round].entries())
          peer.send({ jsonrpc: '2.0', id: (first[round] ?? 0) + index, method, params });
      };
      return send(0);
    },
    // What has no method is a response; one round is over when all of it is answered.
    undefined: ({ message }) => {
      answers[Number(message['id'])] = (message['result'] ?? { error: message['error'] }) as Json;
      const count = Object.keys(answers).length;
      const next = first.indexOf(count);
      if (next > 0) send(next);
      else if (count === rounds.flat().length) send(rounds.length);
    },
  };
}

async function inSession(raw: Raw, answerTo: (question: Json) => Json): Promise<Json> {
  let response: Json | undefined;
  void raw.ask('tools/call', { name: 'any' }).then((came) => (response = came));
  await until(() => {
    for (const question of raw.take()) {
      if (question['id'] === undefined) continue;
      void raw.receive({ jsonrpc: '2.0', id: question['id'], result: answerTo(question) });
    }
    return response !== undefined;
  }, 'a response to the call');
  return response as unknown as Json;
}

async function inRounds(raw: Raw, answerTo: (question: Json) => Json): Promise<Json> {
  let given: Json = {};
  for (let rounds = 0; rounds < 8; rounds++) {
    const response = await within(raw.ask('tools/call', { name: 'any', ...given }));
    const result = response['result'];
    if (!isObject(result) || result['resultType'] !== 'input_required') return response;
    const requests = Object.entries(Object(result['inputRequests'])) as [string, Json][];
    const inputResponses = Object.fromEntries(requests.map(([key, question]) => [key, answerTo(question)]));
    given = { inputResponses, ...('requestState' in result ? { requestState: result['requestState'] } : {}) };
  }
  return assert.fail('the questions never ended');
}

/** A call that hangs fails at once, with words. */
async function within(call: Promise<Json>): Promise<Json> {
  let settled = false;
  const settle = (): void => void (settled = true);
  call.then(settle, settle);
  await until(() => settled, 'a response to the call');
  return await call;
}

/** In the words of the table: the way of one era becomes that of the other, or the call is refused. */
export function seenOf(pairing: Pairing, { error, questions }: Asked): Seen {
  if (error !== undefined) return refusal(pairing.client, error);
  assert.ok(questions.length > 0, 'no question came');
  return pairing.client.era === pairing.server.era ? carried : changed;
}
