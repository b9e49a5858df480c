/** Everything that a handshake client is asked while its call of `ask` waits. */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { after, monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { askedAsTasks } from './hosted.ts';
import type { Prompted } from '../client-session.ts';
import type { Giving } from './answers.ts';
import { askedWords, elicitation, questionsFor, sampling } from './questions.ts';
import { pagePath } from './tools.ts';

/** Asks one thing after the other. @returns The words of the result. */
export async function askedNow(giving: Giving): Promise<string> {
  const { clientSession, revision, put } = giving;
  const questions = questionsFor(revision, clientSession.capabilities);
  await put({ method: 'ping', params: {} });
  // What it does not know it refuses.
  await put({ method: 'x.parley/unknown', params: {} });
  for (const question of questions) {
    const { result, error } = await put(inProgress(question, giving));
    if (isObject(result)) clientSession.done.add(`answers ${question.method}`);
    if (isObject(error) && question === elicitation) await askedByName(giving);
  }
  for (const question of undeclared(giving)) await put(question);
  await visited(giving);
  await noticed(giving);
  await takenBack(giving);
  await askedAsTasks(giving);
  if (revision.batches) await batched(giving);
  await giving.slow();
  return askedWords(questions);
}

/** Asks for a form by the name of its mode, and without it once more, where it was refused without. */
async function askedByName({ put, revision }: Giving): Promise<void> {
  if (revision.elicitation !== 'form-and-url') return;
  const { method, params } = elicitation;
  const { result } = await put({ method, params: { ...params, mode: 'form' }, probe: 'form-named' });
  if (isObject(result)) await put({ ...elicitation, probe: 'form-unnamed' });
}

/** A question whose progress may be told. */
function inProgress({ method, params }: Prompted, { clientSession }: Giving): Prompted {
  if (method === 'roots/list') return { method, params };
  const progressToken = `progress-${clientSession.progress.size}`;
  clientSession.progress.set(progressToken, { last: -Infinity, isAnswered: false });
  return { method, params: { ...params, _meta: { progressToken } } };
}

/** Questions that a client has to refuse, since it declared nothing of the kind. */
function undeclared({ clientSession: { capabilities }, revision }: Giving): readonly Prompted[] {
  const { roots, sampling: samples, elicitation: forms } = capabilities;
  const asks: Prompted[] = [];
  if (roots === undefined) asks.push({ method: 'roots/list', params: {}, probe: 'roots-undeclared' });
  if (samples === undefined) asks.push({ ...sampling, probe: 'sampling-undeclared' });
  if (forms === undefined && revision.elicitation !== 'none') asks.push({ ...elicitation, probe: 'form-undeclared' });
  // In earlier revisions, a question had neither modes nor tools.
  if (revision.elicitation !== 'form-and-url' || !revision.serverRequests) return asks;
  if (isObject(forms) && forms['url'] === undefined)
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

/** Limit of the pages that are remembered of one conversation. */
const maxPages = 100;

/** Asks for a page to be shown, which lies here, where the client can do that: who says no must not have opened it. */
async function visited({ clientSession, revision, remote, put }: Giving): Promise<void> {
  const { elicitation: forms } = clientSession.capabilities;
  if (revision.elicitation !== 'form-and-url' || remote === undefined || !isObject(forms) || !isObject(forms['url']))
    return;
  const asked = monotonicNow();
  // A page that was accepted in another call, or by another client, has a different URL.
  const name = `${clientSession.number}-${++clientSession.pageCount}`;
  const { href: url, pathname: path } = new URL(`${pagePath}/${name}`, remote);
  const message = 'Say no: this page sees who opens it all the same.';
  const params = { mode: 'url', message, elicitationId: `check-page-${name}`, url };
  const { result } = await put({ method: 'elicitation/create', params });
  const action = isObject(result) ? result['action'] : undefined;
  // A client that only shows pages gets no other question.
  if (isObject(result)) clientSession.done.add('answers by a page');
  if ((action === 'decline' || action === 'cancel') && clientSession.refusedPages.length < maxPages)
    clientSession.refusedPages.push({ path, asked, refused: monotonicNow() });
}

/** Tells what has to be ignored, and asks whether the client is there still. */
async function noticed({ clientSession: { capabilities }, revision, put, tell }: Giving): Promise<void> {
  tell('notifications/cancelled', { requestId: 'check-none', reason: 'no request has this id' });
  const { id: requestId } = await put({ method: 'ping', params: {}, probe: 'ping-after-notices' });
  // A cancellation may cross the answer.
  // Who answers no ping any more is asked for none.
  if (requestId === undefined) return;
  tell('notifications/cancelled', { requestId });
  const { id } = await put({ method: 'ping', params: {}, probe: 'ping-after-crossing' });
  if (id === undefined) return;
  await put({ method: 'ping', params: { _meta: { [oddKey]: [oddKey] } }, probe: 'odd-meta' });
  const { elicitation: forms } = capabilities;
  if (revision.elicitation !== 'form-and-url' || !isObject(forms) || forms['url'] === undefined) return;
  tell('notifications/elicitation/complete', { elicitationId: 'check-none' });
  await put({ method: 'ping', params: {}, probe: 'ping-after-complete' });
}

/** Takes a question back that a person, or a model, would answer. */
async function takenBack({ clientSession: { capabilities }, revision, putAndCancel }: Giving): Promise<void> {
  const question = questionsFor(revision, capabilities).find(({ method }) => method !== 'roots/list');
  if (question === undefined) return;
  // A single late answer may have been delayed by chance.
  const isLate = await putAndCancel({ ...question, probe: 'cancelled' });
  if (isLate) await putAndCancel({ ...question, probe: 'cancelled-again' });
}

/** Reserved `_meta` key without a definition. */
const oddKey = 'io.modelcontextprotocol/check';

/** Asks two things in one batch, and a third alone. */
async function batched({ put, putBatch }: Giving): Promise<void> {
  const ping: Prompted = { method: 'ping', params: {}, probe: 'in-batch' };
  const both = putBatch([ping, ping]);
  await put({ method: 'ping', params: {} });
  // Who answers nothing of a batch is not waited for any longer than those who do.
  await Promise.race([both, moment()]);
}

/** Extra time for the answers to a batch, compared with a later request, in milliseconds. */
function moment(): Promise<void> {
  return new Promise((resolve) => after(2_000, resolve));
}
