import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { turns } from '../../../../../../test/support/turns.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import type { Message } from '../../../jsonrpc/message.ts';
import { InFlightRequests } from '../../../connection/in-flight-requests.ts';
import { newestOf, revisions } from '../../../protocol/revision.ts';
import type { Call } from '../call.ts';
import { connectionOf, question, type QuestionOrigin, type QuestionWay } from './question.ts';

const facts = newestOf(revisions, 'handshake') ?? assert.fail('there is a handshake revision');
const params = { message: 'q', requestedSchema: { type: 'object', properties: {} } };

interface Asked extends QuestionWay {
  readonly sent: (readonly [Message, related: unknown])[];
  readonly origin: QuestionOrigin;
  readonly stop: AbortController;
}

function asked(timeoutMs: number): Asked {
  const sent: Asked['sent'] = [];
  const stop = new AbortController();
  const connection = connectionOf(
    { lasting: true, send: (message, related) => void sent.push([message, related]) },
    new InFlightRequests<Call>(10),
  );
  const origin = { facts, signal: stop.signal, requestId: 'call' };
  return { sent, origin, stop, connection, isReady: () => true, timeoutMs };
}

function report(progressToken: unknown, progress: number) {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } } as const;
}

describe('a question of a server', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('waits on while its client reports progress under the token that it came with', async () => {
    const one = asked(50);
    const passedOn = { ...params, _meta: { progressToken: 'theirs' } };
    const failed = assert.rejects(question('elicitation/create', passedOn, one.origin, one), {
      name: 'McpError',
      kind: 'internalError',
      message: 'the client did not answer elicitation/create within 50 ms',
    });
    for (let progress = 0; progress < 3; progress++) {
      mock.timers.tick(45);
      assert.equal(one.connection.progressed(report('theirs', progress)), true);
    }
    mock.timers.tick(49);
    assert.equal(one.sent.length, 1);
    mock.timers.tick(1);
    await failed;
    assert.deepEqual(one.sent[1], [
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 1, reason: 'the client did not answer elicitation/create within 50 ms' },
      },
      'call',
    ]);
    assert.equal(one.connection.progressed(report('theirs', 9)), false);
  });

  it('is asked though another one has the same token, which goes on alone with it', async () => {
    const one = asked(0);
    const passedOn = { ...params, _meta: { progressToken: 7 } };
    const both = [1, 2].map(async () => question('elicitation/create', passedOn, one.origin, one));
    await turns();
    assert.deepEqual(
      one.sent.map(([message]) => message),
      [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'elicitation/create', params: passedOn })),
    );
    for (const id of [1, 2]) one.connection.answered({ jsonrpc: '2.0', id, result: { is: id } });
    assert.deepEqual(await Promise.all(both), [{ is: 1 }, { is: 2 }]);
  });

  it('whose answer is malformed fails at once', async () => {
    const one = asked(0);
    const failed = assert.rejects(question('roots/list', {}, one.origin, one), {
      kind: 'internalError',
      message: "the client's answer to roots/list is malformed",
    });
    await turns();
    const value = { jsonrpc: '2.0', id: 1, result: 7 };
    assert.equal(one.connection.malformed(value, { id: 1, reason: 'no result' }), true);
    await failed;
  });

  it('that is one too many is not sent', async () => {
    const one = asked(0);
    const all = Array.from({ length: 1000 }, () => question('roots/list', {}, one.origin, one));
    await assert.rejects(question('roots/list', {}, one.origin, one), {
      kind: 'internalError',
      message: 'more than 1000 questions wait for the client',
    });
    assert.equal(one.sent.length, 1000);
    const ended = Promise.allSettled(all);
    one.connection.end(new ConnectionError('closed', 'gone'));
    for (const outcome of await ended) {
      assert.ok(outcome.status === 'rejected');
      assert.match(String(outcome.reason), /the client went away before it answered/);
    }
    // Nobody is told anything any more.
    assert.equal(one.sent.length, 1000);
  });

  it('that its call gives up is cancelled, and its late answer ignored', async () => {
    const one = asked(0);
    const failed = assert.rejects(question('roots/list', {}, one.origin, one), {
      message: 'the request was cancelled',
    });
    await turns();
    one.stop.abort();
    await failed;
    assert.deepEqual(one.sent[1]?.[0], {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'the request was cancelled' },
    });
    one.connection.answered({ jsonrpc: '2.0', id: 1, result: {} });
  });
});
