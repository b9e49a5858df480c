/** What a server asks of a client. */

import assert from 'node:assert/strict';
import { exists } from '../../packages/cli/src/compatibility/cells.ts';
import type { Json } from '../support/raw.ts';
import { paramsSent, scriptedUpstream } from '../support/scripted-upstream.ts';
import { open } from '../support/raw.ts';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { ask, everythingOf, seenOf, type Question } from './question.ts';
import {
  at,
  bridgeOf,
  changed,
  compared,
  meet,
  nothing,
  refusal,
  type Pairing,
  type Seen,
  type Walk,
  type Walks,
} from './walk.ts';
import { until } from '../support/turns.ts';

const form: Question = {
  method: 'elicitation/create',
  params: { message: 'who?', requestedSchema: { type: 'object', properties: { who: { type: 'string' } } } },
  answer: { action: 'accept', content: { who: 'Ada' } },
};

const sampling: Question = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }], maxTokens: 10 },
  answer: { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'any' },
};

const roots: Question = {
  method: 'roots/list',
  params: {},
  answer: { roots: [{ uri: 'file:///work', name: 'work' }] },
};

function visit({ server }: Pairing): Question {
  const id = server.serverRequests ? { elicitationId: 'mine' } : {};
  return {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'log in', url: 'https://example.com/', ...id },
    answer: { action: 'accept' },
  };
}

/** Asks, and makes sure that question and answer are the same at both ends. */
async function answered(pairing: Pairing, ...rounds: readonly (readonly Question[])[]): Promise<Seen> {
  const asked = await ask(pairing, rounds);
  if (asked.error === undefined) {
    const questions = rounds.flat();
    assert.deepEqual(asked.questions.map(heardOf), questions.map(heardOf));
    assert.deepEqual(
      asked.answers,
      questions.map(({ answer }) => answer),
    );
    assert.deepEqual(at(asked.result, 'content'), [{ type: 'text', text: 'done' }]);
  }
  return seenOf(pairing, asked);
}

/** Method and params of a question, without what belongs to the hop. */
function heardOf(question: { readonly method?: unknown; readonly params?: unknown }): unknown {
  const { mode, ...params } = Object(question.params ?? {});
  return { method: question.method, params: mode === 'form' ? params : { mode, ...params } };
}

const elicitationForm: Walk = async (pairing) =>
  pairing.server.elicitation === 'none' ? nothing : answered(pairing, [form]);

const elicitationUrl: Walk = async (pairing) => {
  const { client, server } = pairing;
  if (server.elicitation !== 'form-and-url') return nothing;
  const asked = await ask(pairing, [[visit(pairing)]]);
  if (asked.error !== undefined) return refusal(client, asked.error);
  const { elicitationId, ...params } = Object(asked.questions[0]?.['params']);
  assert.deepEqual(params, { mode: 'url', message: 'log in', url: 'https://example.com/' });
  assert.equal(elicitationId !== undefined, client.serverRequests);
  if (client.serverRequests && server.serverRequests) assert.equal(elicitationId, 'mine');
  assert.deepEqual(asked.answers, [{ action: 'accept' }]);
  return seenOf(pairing, asked);
};

/** Several questions at once, and then another. */
const rounds: Walk = async (pairing) => {
  const { client, server } = pairing;
  const questions = [sampling, roots, form].filter(({ method }) => exists(method, server) && exists(method, client));
  return answered(pairing, questions, [sampling]);
};

const progressTold = 'notifications/progress';

/** A question that wants to hear of progress, whose client tells of it before it answers. */
const progressOfQuestions: Walk = async (pairing) => {
  const { client, server } = pairing;
  if (!server.serverRequests) return nothing;
  const { raw, transport } = await meet(
    pairing,
    {
      answers: {
        'tools/call': (_, peer) => {
          const params = { ...sampling.params, _meta: { progressToken: 'mine' } };
          peer.send({ jsonrpc: '2.0', id: 'question', method: sampling.method, params });
        },
      },
    },
    { capabilities: everythingOf(pairing) },
  );
  const call = raw.send('tools/call', { name: 'any' });
  if (!client.serverRequests) {
    const inputRequests = at(await call, 'result', 'inputRequests');
    assert.equal(JSON.stringify(inputRequests).includes('progressToken'), false);
    return changed;
  }
  await until(() => raw.heard.length > 0, 'the question');
  const progressToken = at(raw.heard[0]?.message, 'params', '_meta', 'progressToken');
  if (progressToken === undefined) return changed;
  await raw.notify(progressTold, { progressToken, progress: 1 });
  await until(() => transport.methods.includes(progressTold), 'the progress');
  return compared({ progressToken: 'mine', progress: 1 }, paramsSent(transport, progressTold));
};

const rootsChanges: Walk = async (pairing) => {
  const { client } = pairing;
  if (!exists('notifications/roots/list_changed', client)) return nothing;
  const { raw, transport } = await meet(
    pairing,
    { answers: { 'tools/call': { content: [] } } },
    { capabilities: everythingOf(pairing) },
  );
  await raw.result('tools/call', { name: 'any' });
  await raw.notify('notifications/roots/list_changed');
  await raw.notify('notifications/x.example/last');
  const told = (method: string): boolean => transport.methods.includes(method);
  await until(() => told('notifications/x.example/last'), 'the notification after it');
  return told('notifications/roots/list_changed') ? compared(1, 1) : changed;
};

const complete = 'notifications/elicitation/complete';

const elicitationComplete: Walk = async (pairing) => {
  const { server } = pairing;
  if (!exists(complete, server)) return nothing;
  const params = { elicitationId: 'mine' };
  const { raw } = await meet(
    pairing,
    {
      answers: {
        'tools/call': (sent, peer) => {
          peer.send({ jsonrpc: '2.0', method: complete, params });
          peer.reply(sent, { content: [] });
        },
      },
    },
    { capabilities: everythingOf(pairing) },
  );
  await raw.result('tools/call', { name: 'any' });
  const heard = raw.take().find(({ method }) => method === complete);
  return compared(params, heard?.['params']);
};

const urlElicitationRequired: Walk = async (pairing) => {
  const { client, server } = pairing;
  if (server.elicitation !== 'form-and-url' || !server.serverRequests) return nothing;
  const elicitations = [{ mode: 'url', message: 'log in', url: 'https://example.com/', elicitationId: 'mine' }];
  const error = { code: -32042, message: 'visit', data: { elicitations } };
  let visited = false;
  const transport = scriptedUpstream({
    up: server.date,
    answers: {
      'tools/call': (sent, peer) => {
        if (visited) peer.reply(sent, { content: [{ type: 'text', text: 'done' }] });
        else peer.refuse(sent, error);
      },
    },
  });
  const raw = await open(await bridgeOf(pairing, transport), client.date, { capabilities: everythingOf(pairing) });
  const response = await raw.ask('tools/call', { name: 'any' });
  const heard = response['error'];
  if (isObject(heard))
    return compared(error, heard).kind === 'carried' ? compared(1, 1) : refusal(client, heard as never);
  const { inputRequests, requestState } = Object(response['result']);
  const [[key, question]] = Object.entries(inputRequests as Json) as [[string, Json]];
  assert.equal(at(question, 'params', 'url'), 'https://example.com/');
  visited = true;
  const inputResponses = { [key]: { action: 'accept' } };
  const result = await raw.result('tools/call', { name: 'any', inputResponses, requestState });
  assert.deepEqual(result['content'], [{ type: 'text', text: 'done' }]);
  return changed;
};

/** The walks of questions. */
export const askingWalks: Walks = {
  'elicitation-form': elicitationForm,
  'elicitation-url': elicitationUrl,
  sampling: (pairing) => answered(pairing, [sampling]),
  roots: (pairing) => answered(pairing, [roots]),
  rounds,
  'progress-of-questions': progressOfQuestions,
  'roots-changes': rootsChanges,
  'elicitation-complete': elicitationComplete,
  'url-elicitation-required': urlElicitationRequired,
};
