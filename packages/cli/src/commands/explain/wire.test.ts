import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTap } from './wire.ts';

test('a command that is explained has as long to end by itself as close gives it', () => {
  // Left out, it is the default of `spawn`: 2 s for each step.
  assert.equal('killTimeoutMs' in createTap().settings, false);
});
