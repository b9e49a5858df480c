import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestRevision } from '../../../../../parley/src/protocol/revision.ts';
import type { HeardMessage } from '../../rule.ts';
import { uriRules } from './uris.ts';

const [absolute = assert.fail()] = uriRules;

/** Contents of a resource, as they answer a request for it. */
function read(asked: string, given: string): HeardMessage {
  return {
    message: { jsonrpc: '2.0', id: 1, result: { contents: [{ uri: given, text: 'text' }] } },
    sent: undefined,
    request: { method: 'resources/read', params: { uri: asked } },
    revision: newestRevision,
    capabilities: {},
    exchange: { sent: '', status: 200, headers: {}, text: '', messages: [], malformed: [], end: 'complete' },
  };
}

test('a URI without a scheme in contents is found', () => {
  assert.deepEqual(absolute.watch(read('memo://one', 'one')), {
    breaks: '"one" has no scheme, so that it is no URI but a reference to one',
    where: 'resources/read',
  });
  assert.equal(absolute.watch(read('memo://one', 'memo://two')), 'holds');
});

test('a server that repeats the odd URI by which it was asked is told nothing of it', () => {
  assert.equal(absolute.watch(read('none <of them>', 'none <of them>')), 'not-seen');
});
