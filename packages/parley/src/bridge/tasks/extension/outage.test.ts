import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { McpError } from '../../../protocol/error.ts';
import { Outage } from './outage.ts';

const down = new ConnectionError('refused', 'nobody is there');
const busy = new McpError('busy', 'later');

test('failures that may pass are waited out for an hour, or for a shorter time, from the first one', (t) => {
  let now = 5;
  t.mock.method(performance, 'now', () => now);
  for (const [limit, ms] of [
    [undefined, 3_600_000],
    [60_000, 60_000],
  ] as const) {
    const outage = new Outage(limit);
    outage.failed(down, 'tasks/get');
    now += ms - 1;
    outage.failed(busy, 'tasks/get');
    outage.over();
    outage.failed(down, 'tasks/get');
    now += ms;
    assert.throws(() => outage.failed(down, 'tasks/get'), down);
    assert.throws(() => outage.failed(busy, 'tasks/update'), {
      kind: 'internalError',
      message: 'the upstream server refused tasks/update of the task of the call',
    });
  }
});

test('other failures end the call at once', () => {
  const own = new TypeError('a mistake');
  const internal = new McpError('internalError', 'broken', { data: { final: true } });
  for (const [method, error, thrown] of [
    ['tasks/get', own, own],
    ['tasks/get', new McpError('invalidParams', 'unknown'), { message: /does not have the task of the call any more/ }],
    ['tasks/update', new McpError('invalidParams', 'unknown'), { message: /refused tasks\/update/ }],
    ['tasks/get', new McpError('methodNotFound', 'no'), { kind: 'internalError', message: /refused tasks\/get/ }],
  ] as const)
    assert.throws(() => new Outage().failed(error, method), thrown as object);
  const outage = new Outage(0);
  assert.throws(() => outage.failed(internal, 'tasks/get'), internal);
});
