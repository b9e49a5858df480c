import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeChunks } from '../scripts/merge-chunks.ts';

const files = new Map([
  ['one.js', 'import {\n  named,\n  later\n} from "./chunks/chunk-A.js";\nexport {\n  named,\n  later\n};\n'],
  ['two.js', 'import {\n  lone\n} from "./chunks/chunk-C.js";\nexport {\n  lone\n};\n'],
  [
    'chunks/chunk-A.js',
    'import {\n  named as other\n} from "./chunk-B.js";\nvar named = "A" + other;\nvar later = () => import("./late-D.js");\nexport {\n  named,\n  later\n};\n',
  ],
  ['chunks/chunk-B.js', 'var named = "B";\nexport {\n  named\n};\n'],
  ['chunks/chunk-C.js', 'var lone = 1;\nexport {\n  lone\n};\n'],
  ['chunks/late-D.js', 'import {\n  named\n} from "./chunk-B.js";\nexport {\n  named as late\n};\n'],
]);

test('chunks that the same entry points load become one, others stay', async () => {
  const merged = await mergeChunks(files, ['one.js', 'two.js']);
  assert.deepEqual(
    [...merged.keys()].toSorted(),
    ['chunks/chunk-C.js', 'chunks/late-D.js', 'chunks/start-one.js', 'one.js', 'two.js'].toSorted(),
  );
});

test('what a page shares with a program on Node does not bring the rest of that along', async () => {
  const page = new Map([
    ...files,
    ['page.js', 'import {\n  named\n} from "./chunks/chunk-B.js";\nexport {\n  named\n};\n'],
  ]);
  const merged = await mergeChunks(page, ['one.js', 'two.js'], { 'page.js': 'one.js' });
  assert.match(merged.get('page.js') ?? '', /"\.\/chunks\/chunk-B\.js"/);
  assert.ok(merged.has('chunks/chunk-A.js'));
});

test('names that chunks have in common stay apart, and what is loaded on demand is outside', async () => {
  const merged = await mergeChunks(files, ['one.js', 'two.js']);
  const text = merged.get('chunks/start-one.js') ?? '';
  assert.match(text, /import\("\.\/late-D\.js"\)/);
  assert.match(
    merged.get('one.js') ?? '',
    /named_A as named,\n  later_A as later\n\} from "\.\/chunks\/start-one\.js"/,
  );
  assert.match(merged.get('chunks/late-D.js') ?? '', /named_B as named\n\} from "\.\/start-one\.js"/);
  const { named_A: one, named_B: other }: Record<string, unknown> = await import(
    `data:text/javascript,${encodeURIComponent(text)}`
  );
  assert.deepEqual([one, other], ['AB', 'B']);
});
