/** The messages that clients and operators read when a server behind a bridge fails. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectionError, type ConnectionReason } from '../jsonrpc/transport.ts';
import { McpError } from '../protocol/error.ts';
import { revisionOf, type RevisionDate } from '../protocol/revision.ts';
import { authorizationIn, failureFor, harmlessWords, unreachable, wordsOf, type FailureContext } from './failure.ts';

const secret = 'GET https://up.example/mcp?key=secret failed';

const messages: Readonly<Record<ConnectionReason, string>> = {
  refused: 'the server cannot be reached',
  closed: 'the connection was closed',
  exited: 'the server exited',
  'session-lost': 'the server no longer knows the session',
  timeout: 'the server did not answer in time',
  aborted: 'the request was cancelled',
  http: 'the server answered with a failure',
  unauthorized: 'the server refused the bridge',
  'too-large': 'the server sent too much',
  'invalid-message': 'the server sent what cannot be read',
  busy: 'the bridge has too much under way with the server',
  incompatible: 'the server and the bridge have no revision in common',
};

const refusals = {
  'login-required': 'the upstream server requires a sign-in, and this bridge cannot ask its user',
  denied: 'no access to the upstream server was granted',
  'insufficient-scope': 'the upstream server wants more rights for this than were granted',
  timeout: 'the user did not sign in at the upstream server in time',
  'another reason': 'the bridge could not be authorized at the upstream server',
};

function authorizationError(reason: string): Error {
  return Object.assign(new Error(secret), { name: 'AuthorizationError', reason });
}

/** Wraps an error in others, each of which is caused by the next. */
function wrapped(error: Error, times: number): Error {
  return times === 0 ? error : new Error('outer', { cause: wrapped(error, times - 1) });
}

describe('the reason that clients read', () => {
  it('is fixed for each kind of connection error, with the HTTP status, and cites nothing', () => {
    for (const [reason, message] of Object.entries(messages) as [ConnectionReason, string][]) {
      const cause = new Error(secret);
      assert.equal(harmlessWords(new ConnectionError(reason, secret, { cause })), message);
      assert.equal(harmlessWords(new ConnectionError(reason, secret, { status: 418 })), `${message} (HTTP 418)`);
      const inside = new McpError('internalError', secret, { cause: new ConnectionError(reason, secret, { cause }) });
      assert.equal(harmlessWords(inside), message);
    }
  });

  it('is the message itself if the server sent JSON-RPC that is not valid', () => {
    const own = 'the response has no result';
    assert.equal(harmlessWords(new ConnectionError('invalid-message', own)), own);
    const cause = new McpError('invalidRequest', 'x');
    assert.equal(harmlessWords(new ConnectionError('invalid-message', own, { cause })), own);
    assert.equal(harmlessWords(new McpError('internalError', own)), own);
    assert.equal(harmlessWords(new ConnectionError('closed', own)), messages.closed);
    assert.equal(
      harmlessWords(new ConnectionError('invalid-message', own, { status: 200, cause })),
      `${messages['invalid-message']} (HTTP 200)`,
    );
  });

  it('is neutral for an unknown error', () => {
    for (const error of [new Error(secret), secret, undefined])
      assert.equal(harmlessWords(error), 'it could not be reached');
  });

  it('names the kind of a failed authorization, up to five errors deep', () => {
    for (const [reason, message] of Object.entries(refusals)) {
      const error = authorizationError(reason);
      assert.equal(authorizationIn(wrapped(error, 4)), error);
      assert.equal(authorizationIn(wrapped(error, 5)), undefined);
      assert.equal(harmlessWords(wrapped(error, 4)), message);
      for (const outer of [error, new ConnectionError('unauthorized', secret, { cause: error })]) {
        const { kind, message: shown, cause } = unreachable(outer);
        assert.deepEqual([kind, shown, cause], ['internalError', message, outer]);
      }
    }
    const nameless = Object.assign(new Error('x'), { name: 'AuthorizationError' });
    const other = Object.assign(new Error('x'), { reason: 'denied' });
    for (const error of [nameless, other]) assert.equal(authorizationIn(error), undefined);
  });
});

describe('an upstream that is not reached', () => {
  it('is busy with a time to retry, for a full queue and HTTP 429 and 503', () => {
    const cases: readonly (readonly [ConnectionError, string, number])[] = [
      [new ConnectionError('busy', secret), messages.busy, 1000],
      [new ConnectionError('http', secret, { status: 503 }), 'the upstream server has no room now', 1000],
      [new ConnectionError('http', secret, { status: 429, retryAfterMs: 7 }), 'the upstream server has no room now', 7],
    ];
    for (const [error, shown, retryAfterMs] of cases) {
      const { kind, message, data, cause } = unreachable(error);
      assert.deepEqual([kind, message, data, cause], ['busy', shown, { retryAfterMs }, error]);
    }
  });

  it('is busy as the bridge said itself', () => {
    const busy = new McpError('busy', 'no room', { data: { retryAfterMs: 7 } });
    assert.equal(unreachable(busy), busy);
    const { kind, message } = unreachable(new McpError('invalidParams', 'wrong'));
    assert.deepEqual([kind, message], ['internalError', 'the upstream server failed: wrong']);
  });

  it('is an internal error in every other case', () => {
    for (const status of [undefined, 428, 500, 502, 504]) {
      const error = new ConnectionError('http', secret, status === undefined ? {} : { status });
      const { kind, message, data, cause } = unreachable(error);
      const shown = `the upstream server failed: ${harmlessWords(error)}`;
      assert.deepEqual([kind, message, data, cause], ['internalError', shown, undefined, error]);
    }
  });
});

describe('the text of a warning', () => {
  it('is that of the innermost known cause, for the operator', () => {
    assert.equal(wordsOf(new Error('plain')), 'plain');
    assert.equal(wordsOf('no error'), 'unknown failure');
    assert.equal(wordsOf(new McpError('internalError', 'outer')), 'outer');
    const inner = new ConnectionError('closed', secret);
    assert.equal(wordsOf(new McpError('internalError', 'outer', { cause: inner })), secret);
    assert.equal(wordsOf(new McpError('internalError', 'outer', { cause: new Error('other') })), 'outer');
    assert.equal(wordsOf(new Error('outer', { cause: authorizationError('denied') })), secret);
  });
});

interface Client {
  readonly down?: RevisionDate;
  readonly up?: RevisionDate;
  readonly method?: string;
  readonly capabilities?: object;
  /** Whether the call can ask its client. */
  readonly asks?: boolean;
  readonly visits?: boolean;
}

function contextOf({ down = '2025-11-25', up = '2026-07-28', method = 'tools/call', ...rest }: Client): FailureContext {
  const { capabilities = {}, asks = false, visits = false } = rest;
  const client = { capabilities, supports: (flag: string) => visits && flag === 'elicitation.url' };
  const call = { method, facts: revisionOf(down), client, ask: asks ? () => undefined : undefined };
  // A failure reads these parts of a call alone.
  return { call, params: { uri: 'memo:1' }, revision: revisionOf(up) } as unknown as FailureContext;
}

describe('an error of the upstream', () => {
  const required = { requiredCapabilities: { sampling: {} } };

  it('says which capability the client lacks, or that the bridge keeps one back', () => {
    for (const kind of ['invalidRequest', 'missingRequiredClientCapability'] as const) {
      const error = new McpError(kind, 'no sampling', { data: required });
      const lacking = failureFor(error, contextOf({})) as McpError;
      assert.deepEqual(
        [lacking.kind, lacking.message, lacking.data],
        ['missingRequiredClientCapability', 'no sampling', required],
      );
      const kept = failureFor(error, contextOf({ capabilities: { sampling: {} } })) as McpError;
      assert.deepEqual(
        [kept.kind, kept.message, kept.cause],
        ['internalError', 'the upstream server refused tools/call: no sampling', error],
      );
    }
  });

  it('is internal if it is about the request of the bridge, and passes otherwise', () => {
    for (const kind of ['headerMismatch', 'unsupportedProtocolVersion', 'parseError', 'invalidRequest'] as const)
      assert.equal(
        (failureFor(new McpError(kind, 'x', { data: {} }), contextOf({})) as McpError).kind,
        'internalError',
      );
    for (const error of [new McpError('invalidParams', 'x'), new McpError(17, 'x'), new Error('x')])
      for (const down of ['2025-06-18', '2025-11-25'] as const)
        assert.equal(failureFor(error, contextOf({ down })), error);
    for (const error of [new ConnectionError('closed', secret), authorizationError('denied')])
      assert.deepEqual((failureFor(error, contextOf({})) as McpError).cause, error);
  });

  it('sends a client to a page only if its version or its call can', () => {
    const cases: readonly (readonly [Client, boolean])[] = [
      [{ down: '2025-11-25' }, true],
      [{ down: '2025-06-18' }, false],
      [{ down: '2026-07-28' }, false],
      [{ down: '2025-06-18', asks: true }, false],
      [{ down: '2026-07-28', asks: true, visits: true }, true],
    ];
    for (const [client, passes] of cases)
      for (const error of [new McpError('urlElicitationRequired', 'visit'), new McpError(-32042, 'visit')])
        assert.equal(failureFor(error, contextOf(client)) === error, passes, JSON.stringify(client));
  });

  it('is a missing resource with its URI for resources/read alone', () => {
    const named = { data: { uri: 'memo:2' } };
    const cases: readonly (readonly [McpError, Client, unknown])[] = [
      [new McpError('resourceNotFound', 'gone'), { method: 'resources/read' }, { uri: 'memo:1' }],
      [new McpError('invalidParams', 'gone', named), { method: 'resources/read' }, named.data],
      [new McpError('invalidParams', 'gone', named), { method: 'resources/read', up: '2025-11-25' }, undefined],
      [new McpError('invalidParams', 'gone', { data: { uri: 7 } }), { method: 'resources/read' }, undefined],
      [new McpError('invalidParams', 'gone', named), { method: 'tools/call' }, undefined],
    ];
    for (const [error, client, data] of cases) {
      const shown = failureFor(error, contextOf(client)) as McpError;
      if (data === undefined) assert.equal(shown, error);
      else assert.deepEqual([shown.kind, shown.message, shown.data], ['resourceNotFound', 'gone', data]);
    }
  });
});
