/** The extensions that a peer declares. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredExtensions, ownMethodsKey } from './extension.ts';
import { tasksExtension } from './features/tasks.ts';
import { newestRevision, revisionOf } from './revision.ts';

test('declared extensions exclude tasks, our own methods and invalid settings', () => {
  const extensions = { 'com.example/a': { on: true }, [tasksExtension]: {}, [ownMethodsKey]: {}, 'com.example/b': 7 };
  assert.deepEqual(declaredExtensions(newestRevision, { extensions } as never), { 'com.example/a': { on: true } });
  assert.deepEqual(declaredExtensions(newestRevision, {}), {});
});

test('an experimental capability counts as an extension in older revisions', () => {
  const experimental = { 'com.example/a': {}, plain: {}, [ownMethodsKey]: {} };
  const older = revisionOf('2025-11-25') ?? assert.fail();
  assert.deepEqual(declaredExtensions(older, { experimental }), { 'com.example/a': {} });
  assert.deepEqual(declaredExtensions(newestRevision, { experimental }), {});
  const both = { experimental: { 'com.example/a': { of: 1 } }, extensions: { 'com.example/a': { of: 2 } } };
  assert.deepEqual(declaredExtensions(older, both as never), { 'com.example/a': { of: 2 } });
});
