import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from '../../../parley/src/jsonrpc/message.ts';
import { newestRevision, revisionOf, type Revision } from '../../../parley/src/protocol/revision.ts';
import type { RawExchange } from './harness/exchange.ts';
import { isProbe, type WatchRule } from './rule.ts';
import { checkRules } from './rules/rules.ts';
import { Watching } from './watching.ts';

const older = revisionOf('2025-06-18') ?? newestRevision;

/** What comes of a list of tools: one has a field that is wrong, and the type of the result is missing, which the newest revision wants alone. */
function listed(watching: Watching, revision: Revision, field: Readonly<Record<string, unknown>>): void {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const message = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'a', ...field }] } };
  const text = JSON.stringify(message);
  const exchange: RawExchange = {
    sent: JSON.stringify(request),
    status: undefined,
    headers: {},
    text,
    messages: [message].filter(isObject),
    malformed: [],
    end: 'complete',
  };
  const circumstances = { capabilities: {}, declared: undefined, running: new Set(), asked: undefined };
  watching.heard(exchange, { revision, request, isAside: false, again: new Set(), ...circumstances });
}

function verdictsAt(
  revisions: readonly Revision[],
  field: Readonly<Record<string, unknown>> = { inputSchema: null },
): readonly (readonly [string, string])[] {
  const watching = new Watching(checkRules.filter((rule): rule is WatchRule => !isProbe(rule)));
  for (const revision of [newestRevision, older]) listed(watching, revision, field);
  return watching
    .outcomes(revisions)
    .filter(({ rule }) => rule.id === 'wire-schema')
    .map(({ revision, outcome }) => [revision.date, outcome.verdict]);
}

test('what a server said in a revision that it does not speak names no cause of its faults', () => {
  assert.deepEqual(verdictsAt([older]), [['2025-06-18', 'breaks']]);
});

test('one cause is one finding, of all revisions that are spoken', () => {
  assert.deepEqual(verdictsAt([newestRevision, older]), [
    ['2026-07-28', 'not-judged'],
    ['2025-06-18', 'not-judged'],
  ]);
});

test('what is missing in the newest revision alone hides no fault in another field, in either of them', () => {
  assert.deepEqual(verdictsAt([newestRevision, older], { inputSchema: { type: 'object' }, description: 5 }), [
    ['2026-07-28', 'breaks'],
    ['2025-06-18', 'breaks'],
  ]);
});

/** What comes of a request, at one revision: what the rules find that it breaks, and where. */
function foundIn(
  sent: Readonly<Record<string, unknown>>,
  said: Readonly<Record<string, unknown>>,
  revision = older,
): readonly string[] {
  const watching = new Watching(checkRules.filter((rule): rule is WatchRule => !isProbe(rule)));
  const [request, message] = [sent, said].map((one) => ({ jsonrpc: '2.0', ...one }));
  const exchange: RawExchange = {
    sent: JSON.stringify(request),
    status: undefined,
    headers: {},
    text: JSON.stringify(message),
    messages: [message],
    malformed: [],
    end: 'complete',
  };
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const circumstances = { capabilities, declared: undefined, running: new Set(), asked: undefined };
  watching.heard(exchange, { revision, request, isAside: false, again: new Set(), ...circumstances });
  return watching
    .outcomes([revision])
    .flatMap(({ rule, outcome }) =>
      outcome.verdict === 'breaks'
        ? [outcome, ...(outcome.more ?? [])].map(({ where = '' }) => (rule.isGeneral ? where : rule.id))
        : [],
    )
    .toSorted();
}

const call = { id: 1, method: 'tools/call', params: { name: 'a' } };

test('a fault of a block hides none of the result beside it', () => {
  const result = { content: [{ type: 'image', data: 'YQ==' }], structuredContent: 5 };
  assert.deepEqual(foundIn(call, { id: 1, result }), ['tools-029', 'tools/call structuredContent']);
});

test('a fault of a prompt hides none beside it', () => {
  const content = { type: 'resource', resource: { uri: 'a:b' }, annotations: 5 };
  const asked = { id: 1, method: 'prompts/get', params: { name: 'a' } };
  assert.deepEqual(foundIn(asked, { id: 1, result: { messages: [{ role: 'model', content }] } }), [
    'prompts-008',
    'prompts/get messages[0].content.annotations',
    'prompts/get messages[0].role',
  ]);
});

test('a level that is none hides no missing data, and a question with an object in it no wrong message', () => {
  const log = { method: 'notifications/message', params: { level: 'loud' } };
  assert.deepEqual(foundIn(call, log), ['logging-008', 'notifications/message data']);
  const requestedSchema = { type: 'object', properties: { a: { type: 'object' } }, required: 5 };
  const question = { id: 9, method: 'elicitation/create', params: { message: 'Which?', requestedSchema } };
  assert.deepEqual(foundIn(call, question), ['elicit-021', 'elicitation/create requestedSchema.required']);
});

test('an answer that is of an older JSON-RPC hides nothing of its result', () => {
  const tools = [{ name: 'a', inputSchema: { type: 'object' }, title: 5 }];
  const said = { jsonrpc: '1.0', id: 1, result: { tools } };
  assert.deepEqual(foundIn({ id: 1, method: 'tools/list' }, said), ['basic-001', 'tools/list tools[0].title']);
});

test('an empty result beside an error is one fault', () => {
  const error = { code: -32603, message: 'It failed.' };
  const [found, ...others] = foundIn({ id: 1, method: 'tools/list' }, { id: 1, result: {}, error });
  assert.deepEqual([found, others], ['basic-012', []]);
});
