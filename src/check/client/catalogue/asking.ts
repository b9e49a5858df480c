/** Everything that a handshake client is asked while its call of `ask` waits. */

import { isObject } from '../../../jsonrpc/message.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { askedAsTasks } from '../tasks/hosted.ts';
import type { Put } from '../talk.ts';
import type { Giving } from './answers.ts';
import { askedWords, questionsFor, sampling } from './questions.ts';

/** Asks one thing after the other. @returns The words of the result. */
export async function askedNow(giving: Giving): Promise<string> {
  const { talk, revision, put } = giving;
  const questions = questionsFor(revision, talk.capabilities);
  await put({ method: 'ping', params: {} });
  // What it does not know it refuses.
  await put({ method: 'x.parley/unknown', params: {} });
  for (const question of questions) {
    const { result } = await put(inProgress(question, giving));
    if (isObject(result)) talk.done.add(`answers ${question.method}`);
  }
  for (const question of undeclared(giving)) await put(question);
  await noticed(giving);
  await askedAsTasks(giving);
  if (revision.batches) await batched(giving);
  return askedWords(questions);
}

/** A question whose progress may be told. */
function inProgress({ method, params }: Put, { talk }: Giving): Put {
  if (method === 'roots/list') return { method, params };
  const progressToken = `progress-${talk.progress.size}`;
  talk.progress.set(progressToken, { last: -Infinity, isAnswered: false });
  return { method, params: { ...params, _meta: { progressToken } } };
}

/** Questions that a client has to refuse, since it declared nothing of the kind. */
function undeclared({ talk: { capabilities }, revision }: Giving): readonly Put[] {
  const { roots, sampling: samples, elicitation } = capabilities;
  const asks: Put[] = [];
  if (roots === undefined) asks.push({ method: 'roots/list', params: {}, probe: 'roots-undeclared' });
  // Before that revision a question had neither modes nor tools.
  if (revision.elicitation !== 'form-and-url' || !revision.serverRequests) return asks;
  if (isObject(elicitation) && elicitation['url'] === undefined)
    asks.push({
      method: 'elicitation/create',
      params: {
        mode: 'url',
        message: 'Please confirm.',
        elicitationId: 'check-none',
        url: 'https://example.com/confirm',
      },
      probe: 'url-undeclared',
    });
  if (isObject(samples))
    asks.push(
      samples['tools'] === undefined
        ? { ...sampling, params: { ...sampling.params, tools: [adds] }, probe: 'tools-undeclared' }
        : {
            ...sampling,
            params: { ...sampling.params, tools: [adds], messages: unanswered },
            probe: 'results-missing',
          },
    );
  return asks;
}

const adds = { name: 'add', description: 'Adds.', inputSchema: { type: 'object' } };

/** Messages in which a tool is used, and its result is missing. (Spec 2025-11-25, Sampling, Tool Use and Result Balance.) */
const unanswered: readonly JsonObject[] = [
  { role: 'user', content: { type: 'text', text: 'Add 1 and 2.' } },
  { role: 'assistant', content: { type: 'tool_use', id: 'use-1', name: 'add', input: {} } },
  { role: 'user', content: { type: 'text', text: 'And now?' } },
];

/** Tells what has to be ignored, and asks whether the client is there still. */
async function noticed({ talk: { capabilities }, revision, put, tell }: Giving): Promise<void> {
  tell('notifications/cancelled', { requestId: 'check-none', reason: 'no request has this id' });
  await put({ method: 'ping', params: {}, probe: 'ping-after-notices' });
  const { elicitation } = capabilities;
  if (revision.elicitation !== 'form-and-url' || !isObject(elicitation) || elicitation['url'] === undefined) return;
  tell('notifications/elicitation/complete', { elicitationId: 'check-none' });
  await put({ method: 'ping', params: {}, probe: 'ping-after-complete' });
}

/** Asks two things in one batch, and a third alone. */
async function batched({ put, putBatch }: Giving): Promise<void> {
  const ping: Put = { method: 'ping', params: {}, probe: 'in-batch' };
  const both = putBatch([ping, ping]);
  await put({ method: 'ping', params: {} });
  // Who answers nothing of a batch is not waited for any longer than those who do.
  await Promise.race([both, moment()]);
}

/** Time that answers to a batch may take more than one to what was asked after it, in milliseconds. */
function moment(): Promise<void> {
  return new Promise((resolve) => after(2_000, resolve));
}
