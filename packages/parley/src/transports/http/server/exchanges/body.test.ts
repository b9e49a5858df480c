/** What a body is taken for, at the edges of its limits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readContent, type BodyContent } from './body.ts';
import { resolveHttpOptions } from './options.ts';
import type { Body } from './universal.ts';

const warnings: string[] = [];

function contentOf(body: Body, maxDepth = 2): BodyContent {
  const settings = {
    ...resolveHttpOptions({ maxDepth, onError: () => {} }),
    onWarning: (text: string) => warnings.push(text),
  };
  const call = { request: { body: () => body } };
  return readContent(call as never, { settings, endpoint: { exactNumbers: false } } as never) as BodyContent;
}

test('a body nests as deep as allowed, as text and as a value', () => {
  for (const [deep, is] of [
    [1, true],
    [[], true],
    [[[1, 'x', null]], true],
    [[{}], true],
    [[{ a: [] }], false],
    [{ a: { b: {} } }, false],
  ] as const)
    for (const body of [
      { kind: 'value', value: deep } as const,
      { kind: 'text', text: JSON.stringify(deep) } as const,
    ]) {
      const content = contentOf(body);
      if (is) assert.deepEqual(content, { kind: 'value', value: deep });
      else assert.match(JSON.stringify(content), /400.*the body nests deeper than 2 levels/);
    }
});

test('each body that cannot be read has its status', () => {
  const statusOf = (body: Body): number => {
    const content = contentOf(body);
    return content.kind === 'problem' ? content.problem.status : 0;
  };
  const kinds = ['too-large', 'taken', 'too-slow', 'no-room', 'not-utf8'] as const;
  assert.deepEqual(
    kinds.map((kind) => statusOf({ kind } as Body)),
    [413, 500, 408, 503, 400],
  );
  assert.equal(statusOf({ kind: 'text', text: '{' } as Body), 400);
  assert.deepEqual(contentOf({ kind: 'gone' } as Body), { kind: 'gone' });
  assert.match(warnings.join(), /larger maxBodyBytes/);
});
