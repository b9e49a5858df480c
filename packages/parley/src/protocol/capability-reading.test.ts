/** Capabilities that a peer declares in a way of its own. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromWire } from './compile/from-wire.ts';
import { initializeRequestParamsShape, initializeResultShape } from './features/lifecycle.ts';
import { revisionOf, type Revision } from './revision.ts';

const revision = revisionOf('2025-11-25') as Revision;

test('whatever a peer sends in place of a capability says that it has it', () => {
  const client = (capabilities: object): unknown =>
    fromWire(revision, initializeRequestParamsShape, {
      protocolVersion: '2025-11-25',
      clientInfo: { name: 'c', version: '1' },
      capabilities,
    }).capabilities;
  const server = (capabilities: object): unknown =>
    fromWire(revision, initializeResultShape, {
      protocolVersion: '2025-11-25',
      serverInfo: { name: 's', version: '1' },
      capabilities,
    }).capabilities;
  for (const odd of [true, 'yes', 1, []]) {
    for (const name of ['roots', 'sampling', 'elicitation', 'tasks'])
      assert.deepEqual(client({ [name]: odd }), { [name]: {} });
    for (const name of ['tools', 'prompts', 'resources', 'logging', 'completions', 'tasks'])
      assert.deepEqual(server({ [name]: odd }), { [name]: {} });
    assert.deepEqual(server({ tasks: { requests: odd } }), { tasks: { requests: {} } });
    assert.deepEqual(client({ tasks: { requests: { sampling: odd } } }), { tasks: { requests: { sampling: {} } } });
  }
  for (const read of [client, server]) assert.deepEqual(read({ tasks: null }), {});
});
