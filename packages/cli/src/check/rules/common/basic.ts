import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Harness } from '../../harness/harness.ts';
import { responseIn, type RawExchange } from '../../harness/exchange.ts';
import { isEventStream } from '../../harness/manner.ts';
import { refusedWith } from './refusals.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless } from '../../harness/verdict.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about requests, notifications and batches of any kind. */

/** A method that no server has. */
export const noMethod = 'parley-check/qzvwkxjfhbtnmdrlsgpc';

const idAsText: ProbeRule = {
  id: 'basic-005',
  message: 'A request may have a string or an integer as its id, and its response has the same',
  fix: 'copy the id as it came: a number stays a number, a string a string',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    // A server that tests an id for truthiness treats the last two as missing.
    for (const id of ['a string', '7', 70_707, 0, '']) {
      const answer = await probeClient.request(harness.harmless, undefined, {
        id,
        until: (messages) => messages.flat().some((one) => isObject(one) && wholeText(one['id']) === wholeText(id)),
      });
      if (answer.response?.id === id) continue;
      const came = answer.messages.flat().find((one) => isObject(one) && 'id' in one);
      if (isObject(came) && wholeText(came['id']) === wholeText(id))
        return notJudged('its type changed: see basic-009');
      const why = isObject(came)
        ? `the id ${JSON.stringify(id)} came back as ${JSON.stringify(came['id'])}`
        : `a request with the id ${JSON.stringify(id)} got no response`;
      return breaks(answer, why);
    }
    return holds;
  },
};

const silentNotification: ProbeRule = {
  id: 'basic-018',
  message: 'A notification gets no response',
  fix: 'answer nothing to messages without an id; over HTTP 202 without a body',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    for (const method of ['notifications/cancelled', 'notifications/parley-check-unknown']) {
      const params = method === 'notifications/cancelled' ? { requestId: 'none-of-ours', reason: 'judged' } : undefined;
      const exchange = await probeClient.notify(method, params);
      // What says nothing that a response says is no message at all.
      const answer = exchange.messages
        .flat()
        .find((one) => isObject(one) && !('method' in one) && ('id' in one || 'result' in one || 'error' in one));
      // Over HTTP a refusal has a body, which is no response: it has no id.
      const isRefusal =
        exchange.status !== undefined &&
        exchange.status >= 400 &&
        isObject(answer) &&
        (answer['id'] === null || answer['id'] === undefined);
      if (answer !== undefined && !isRefusal) return breaks(exchange, `${method} was answered`);
    }
    return holds;
  },
};

/** Sends two requests in one batch. All rules use its outcome. */
async function batched(harness: Harness): Promise<{ readonly exchange: RawExchange; readonly missing: number }> {
  return await harness.kept('a batch', async () => {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const ids = ['batch-1', 'batch-2'];
    const text = JSON.stringify(ids.map((id) => ({ jsonrpc: '2.0', id, method: harness.harmless })));
    const exchange = await probeClient.text(text, {
      until: (messages) => ids.every((id) => messages.flat().some((one) => isObject(one) && one['id'] === id)),
    });
    return { exchange, missing: ids.filter((id) => responseIn(exchange, id)?.result === undefined).length };
  });
}

/** Tells whether one response came on a stream, where two should have. */
function isCutShort({ exchange, missing }: { readonly exchange: RawExchange; readonly missing: number }): boolean {
  return exchange.status !== undefined && isEventStream(exchange) && missing === 1;
}

const batch: ProbeRule = {
  id: 'basic-019',
  message: 'Batches of JSON-RPC are understood',
  fix: 'answer an array of requests with the responses to each, in an array or as events',
  async probe(harness) {
    const found = await batched(harness);
    if (isCutShort(found)) return notJudged('one response came on the stream: see http-020');
    const { exchange, missing } = found;
    return unless(missing > 0, exchange, `of two requests in a batch ${missing} got no result`);
  },
};

const batchOnStream: ProbeRule = {
  id: 'http-020',
  message: 'The stream that answers a batch has a response to each request in it',
  fix: 'end the stream when all requests of the batch are answered',
  over: 'http',
  async probe(harness) {
    const found = await batched(harness);
    const { exchange, missing } = found;
    if (missing === 2) return notJudged('none was answered: see basic-019');
    if (!isEventStream(exchange)) return notApplicable('it answers a batch without a stream');
    // A response may be slow, or be an error.
    if (missing > 0 && exchange.end !== 'complete')
      return notJudged('the stream had not ended when it was waited for no more');
    return unless(isCutShort(found), exchange, 'one of two requests got no response on it');
  },
};

const unknownMethod: ProbeRule = {
  id: 'harden-unknown-method',
  message: 'A method that the server does not have is answered with -32601',
  fix: 'answer with the error -32601, method not found',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const answer = await probeClient.request(noMethod);
    return refusedWith(answer, { code: -32601 });
  },
};

/** Rules that hold whatever a server offers. */
export const basicRules: readonly ProbeRule[] = [idAsText, silentNotification, batch, batchOnStream, unknownMethod];
