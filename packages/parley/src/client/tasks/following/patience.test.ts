import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { McpError } from '../../../protocol/error.ts';
import type { ClientSettings } from '../../requests/settings.ts';
import { TaskGoneError } from '../../api/task-errors.ts';
import { maxOutageMs, Patience } from './patience.ts';

const busy = new ConnectionError('closed', 'gone');

interface Patient {
  readonly patience: Patience;
  pass(ms: number): void;
  fail(error?: unknown): void;
}

/** Patience with a task that is kept so long. */
function patient(ttlMs: number | null): Patient {
  const reference = { server: '', taskId: 'a', revision: '2026-07-28', tool: 't', createdAt: '', ttlMs, answered: [] };
  let now = 1000;
  // It needs no more of the settings.
  const patience = new Patience({ clock: () => now, random: () => 0 } as ClientSettings);
  return {
    patience,
    pass: (ms) => void (now += ms),
    fail: (error = busy) => patience.failed(error, reference, undefined),
  };
}

const isExpired = (error: unknown): boolean => error instanceof TaskGoneError && error.reason === 'expired';

describe('failures that may pass', () => {
  it('are waited out until the task expires, and at least one is', () => {
    const one = patient(500);
    one.pass(499);
    one.fail();
    one.fail();
    one.pass(1);
    assert.throws(() => one.fail(), isExpired);
    one.patience.answered();
    one.fail();
    assert.throws(() => one.fail(), isExpired);
  });

  it('are waited out for an hour of a task without limit, from the first in a row', () => {
    const one = patient(null);
    one.fail();
    one.pass(maxOutageMs - 1);
    one.fail();
    one.patience.answered();
    one.pass(1);
    one.fail();
    one.pass(maxOutageMs);
    assert.throws(() => one.fail(), isExpired);
  });

  it('are asked about again after 1, 2 and 4 seconds, or as the server says, a minute at most', () => {
    const one = patient(null);
    assert.equal(one.patience.retryMs, undefined);
    const waits = [1, 2, 3].map(() => {
      one.fail();
      return one.patience.retryMs;
    });
    assert.deepEqual(waits, [1000, 2000, 4000]);
    for (const [asked, ms] of [
      [9_000, 9_000],
      [1, 16_000],
      [60_001, 60_000],
    ] as const) {
      one.fail(new ConnectionError('http', 'HTTP 503', { status: 503, retryAfterMs: asked }));
      assert.equal(one.patience.retryMs, ms);
    }
    one.patience.answered();
    assert.equal(one.patience.retryMs, undefined);
  });
});

it('a task that the server does not know is gone, and other errors are thrown as they are', () => {
  const one = patient(null);
  const unknown = new McpError('invalidParams', 'no such task');
  assert.throws(
    () => one.fail(unknown),
    (error) => error instanceof TaskGoneError && error.reason === 'unknown' && error.cause === unknown,
  );
  const refused = new ConnectionError('unauthorized', 'no');
  assert.throws(() => one.fail(refused), refused);
});
