import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clientCapabilitiesShape,
  serverCapabilitiesShape,
  hasServerCapability,
  missing,
  supports,
  type ClientCapabilities,
  type ClientFlag,
  type ServerCapabilities,
} from './capability.ts';
import { projectClientCapabilities, projectServerCapabilities } from './compile/capabilities.ts';
import { fromWire } from './compile/from-wire.ts';
import { revisionOf, revisions, type Revision, type RevisionDate } from './revision.ts';

function at(date: RevisionDate): Revision {
  const revision = revisionOf(date);
  assert.ok(revision !== undefined);
  return revision;
}

interface Projection {
  readonly title: string;
  readonly declared: ClientCapabilities;
  /** What goes on the wire in each revision, oldest first. */
  readonly sent: readonly [unknown, unknown, unknown, unknown, unknown];
}

const list = { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } };

const own = { extensions: { 'com.example/x': { a: 1 } } };

const projections: readonly Projection[] = [
  {
    title: 'roots pass through [A03]',
    declared: { roots: {} },
    sent: [{ roots: {} }, { roots: {} }, { roots: {} }, { roots: {} }, { roots: {} }],
  },
  {
    title: 'changes of roots end with the handshake [A04] [A27]',
    declared: { roots: { listChanged: true } },
    sent: [
      { roots: { listChanged: true } },
      { roots: { listChanged: true } },
      { roots: { listChanged: true } },
      { roots: { listChanged: true } },
      { roots: {} },
    ],
  },
  {
    title: 'sampling passes through [A05]',
    declared: { sampling: {} },
    sent: [{ sampling: {} }, { sampling: {} }, { sampling: {} }, { sampling: {} }, { sampling: {} }],
  },
  {
    title: 'parts of sampling begin with 2025-11-25 [A09] [A27]',
    declared: { sampling: { tools: {}, context: {} } },
    sent: [
      { sampling: {} },
      { sampling: {} },
      { sampling: {} },
      { sampling: { tools: {}, context: {} } },
      { sampling: { tools: {}, context: {} } },
    ],
  },
  {
    title: 'experimental passes through as objects [A06]',
    declared: { experimental: { a: { b: 1 }, c: true as never } },
    sent: [
      { experimental: { a: { b: 1 } } },
      { experimental: { a: { b: 1 } } },
      { experimental: { a: { b: 1 } } },
      { experimental: { a: { b: 1 } } },
      { experimental: { a: { b: 1 } } },
    ],
  },
  {
    title: 'elicitation begins with 2025-06-18 [A07]',
    declared: { elicitation: {} },
    sent: [{}, {}, { elicitation: {} }, { elicitation: {} }, { elicitation: {} }],
  },
  {
    title: 'forms are bare elicitation in 2025-06-18 [A10]',
    declared: { elicitation: { form: {} } },
    sent: [{}, {}, { elicitation: {} }, { elicitation: { form: {} } }, { elicitation: { form: {} } }],
  },
  {
    title: 'forms and URLs are bare elicitation in 2025-06-18 [A10]',
    declared: { elicitation: { form: {}, url: {} } },
    sent: [{}, {}, { elicitation: {} }, { elicitation: { form: {}, url: {} } }, { elicitation: { form: {}, url: {} } }],
  },
  {
    title: 'URLs alone are nothing in 2025-06-18 [A08]',
    declared: { elicitation: { url: {} } },
    sent: [{}, {}, {}, { elicitation: { url: {} } }, { elicitation: { url: {} } }],
  },
  {
    title: 'tasks live in 2025-11-25 alone, whole [A11] [A12] [A30] [tasks-001]',
    declared: { tasks: list },
    sent: [{}, {}, {}, { tasks: list }, {}],
  },
  {
    title: 'hosting tasks does not declare the extension, nor the other way round [A02] [A13]',
    declared: { tasks: list, extensions: { 'io.modelcontextprotocol/tasks': { list: {} } } },
    sent: [{}, {}, {}, { tasks: list }, { extensions: { 'io.modelcontextprotocol/tasks': {} } }],
  },
  {
    title: 'extensions pass in every revision, as objects [A14] [A26]',
    declared: { extensions: { 'com.example/x': { a: 1 }, 'com.example/y': 1 as never } },
    sent: [own, own, own, own, own],
  },
  {
    title: 'an extension is left out of revisions older than its base [A14]',
    declared: { extensions: { 'io.modelcontextprotocol/skills': {}, 'com.example/x': {} } },
    sent: [
      { extensions: { 'com.example/x': {} } },
      { extensions: { 'com.example/x': {} } },
      { extensions: { 'com.example/x': {} } },
      { extensions: { 'com.example/x': {} } },
      { extensions: { 'io.modelcontextprotocol/skills': {}, 'com.example/x': {} } },
    ],
  },
];

for (const { title, declared, sent } of projections) {
  test(`client capabilities: ${title} [A01]`, () => {
    assert.deepEqual(
      revisions.map((revision) => projectClientCapabilities(revision, declared)),
      sent,
    );
  });
}

test('capabilities of nobody the tables know pass in every revision [E01]', () => {
  const declared = { 'com.example': { a: 1 } } as ClientCapabilities;
  for (const revision of revisions) assert.equal(projectClientCapabilities(revision, declared), declared);
});

test('server tasks are declared in 2025-11-25 alone, the extension since 2026-07-28 [tasks-092] [tasks-093]', () => {
  const declared: ServerCapabilities = {
    tools: { listChanged: true },
    tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  };
  assert.deepEqual(
    revisions.map((revision) => Object.keys(projectServerCapabilities(revision, declared))),
    [['tools'], ['tools'], ['tools'], ['tools', 'tasks'], ['tools', 'extensions']],
  );
});

test('completions are declared since 2025-03-26', () => {
  const sent = revisions.map((revision) => 'completions' in projectServerCapabilities(revision, { completions: {} }));
  assert.deepEqual(sent, [false, true, true, true, true]);
});

test('capabilities that need no change are the same object', () => {
  const declared: ServerCapabilities = { tools: {}, experimental: { a: {} }, extensions: { 'com.example/x': {} } };
  assert.equal(projectServerCapabilities(at('2026-07-28'), declared), declared);
});

interface Need {
  readonly title: string;
  readonly required: ClientCapabilities;
  readonly declared: ClientCapabilities;
  readonly missing: ClientCapabilities | undefined;
}

const needs: readonly Need[] = [
  { title: 'nothing is missing of nothing [A20]', required: {}, declared: {}, missing: undefined },
  {
    title: 'what is declared is not missing [A15] [A18]',
    required: { sampling: {} },
    declared: { sampling: {} },
    missing: undefined,
  },
  {
    title: 'what is not declared is missing [A15]',
    required: { sampling: {} },
    declared: { roots: {} },
    missing: { sampling: {} },
  },
  {
    title: 'exactly the missing part is named [A17] [A19]',
    required: { elicitation: { form: {}, url: {} }, roots: {} },
    declared: { elicitation: { form: {} }, roots: {} },
    missing: { elicitation: { url: {} } },
  },
  {
    title: 'empty elicitation has forms [A19] [A23] [A24]',
    required: { elicitation: { form: {} } },
    declared: { elicitation: {} },
    missing: undefined,
  },
  {
    title: 'empty elicitation has no URLs [A25]',
    required: { elicitation: { url: {} } },
    declared: { elicitation: {} },
    missing: { elicitation: { url: {} } },
  },
  {
    title: 'URLs alone have no forms [A19] [A25]',
    required: { elicitation: { form: {} } },
    declared: { elicitation: { url: {} } },
    missing: { elicitation: { form: {} } },
  },
  {
    title: 'parts are missing with their parent [A19]',
    required: { sampling: { tools: {} } },
    declared: {},
    missing: { sampling: { tools: {} } },
  },
  {
    title: 'a part implies its parent [A19] [A29]',
    required: { sampling: {} },
    declared: { sampling: { tools: {} } },
    missing: undefined,
  },
  {
    title: 'extensions are compared by key, and reported with their settings [A21]',
    required: { extensions: { 'a/b': { x: 1 }, 'c/d': { y: 2 } } },
    declared: { extensions: { 'a/b': { x: 2 } } },
    missing: { extensions: { 'c/d': { y: 2 } } },
  },
  {
    title: 'experimental ones are compared by key [A21]',
    required: { experimental: { a: { b: {} } } },
    declared: { experimental: { a: {} } },
    missing: undefined,
  },
];

for (const { title, required, declared, missing: expected } of needs) {
  test(`missing capabilities: ${title}`, () => assert.deepEqual(missing(required, declared), expected));
}

const flags: readonly (readonly [ClientFlag, ClientCapabilities, boolean])[] = [
  ['sampling', { sampling: {} }, true],
  ['sampling', {}, false],
  ['sampling.tools', { sampling: {} }, false],
  ['sampling.tools', { sampling: { tools: {} } }, true],
  ['sampling.context', { sampling: { context: {} } }, true],
  ['sampling.context', { sampling: { tools: {} } }, false],
  ['elicitation', { elicitation: {} }, true],
  ['elicitation.form', { elicitation: {} }, true],
  ['elicitation.url', { elicitation: {} }, false],
  ['elicitation.form', { elicitation: { url: {} } }, false],
  ['elicitation.url', { elicitation: { url: {} } }, true],
  ['roots', { roots: {} }, true],
  ['roots', {}, false],
  ['io.modelcontextprotocol/tasks', { extensions: { 'io.modelcontextprotocol/tasks': {} } }, true],
  ['io.modelcontextprotocol/tasks', { tasks: {} }, false],
  ['a/constructor', { extensions: {} }, false],
];

for (const [flag, declared, expected] of flags) {
  test(`${JSON.stringify(declared)} ${expected ? 'supports' : 'does not support'} ${flag} [A22]`, () => {
    assert.equal(supports(declared, flag), expected);
  });
}

test('a server capability is named by its path', () => {
  const declared: ServerCapabilities = { resources: { subscribe: true, listChanged: false }, logging: {} };
  assert.equal(hasServerCapability(declared, 'resources'), true);
  assert.equal(hasServerCapability(declared, 'resources.subscribe'), true);
  assert.equal(hasServerCapability(declared, 'resources.listChanged'), false);
  assert.equal(hasServerCapability(declared, 'logging'), true);
  assert.equal(hasServerCapability(declared, 'tools'), false);
  assert.equal(hasServerCapability(declared, 'constructor'), false);
});

test('junk in place of a capability says that it is there [A23] [elicit-015]', () => {
  const read = fromWire(at('2025-11-25'), clientCapabilitiesShape, {
    elicitation: true,
    sampling: 'yes',
    roots: false,
    tasks: null,
  });
  assert.deepEqual(read, { elicitation: {}, sampling: {} });
  assert.equal(supports(read, 'elicitation.form'), true);
});

test('extensions are read in every revision, tasks of the core only where they live [A14] [tasks-094]', () => {
  for (const revision of revisions) {
    const read = fromWire(revision, clientCapabilitiesShape, { extensions: { 'a/b': {} }, tasks: { list: {} } });
    assert.deepEqual(read.extensions, { 'a/b': {} });
    assert.equal(read.tasks !== undefined, revision.tasks === 'core');
  }
});

test('experimental capabilities are kept, whatever their value [D33]', () => {
  const read = fromWire(at('2025-03-26'), serverCapabilitiesShape, { experimental: { custom: true } });
  assert.deepEqual(Object.keys(read.experimental ?? {}), ['custom']);
});
