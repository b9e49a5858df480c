import assert from 'node:assert/strict';
import { test } from 'node:test';
import { obstacles, type ReleaseState } from '../../scripts/release.ts';

const ready: ReleaseState = {
  version: '1.2.3',
  hasRepository: true,
  changelog: '# Changelog\n\n## 1.2.3 (2027-01-31)\n\nText.\n',
  changes: '',
  tags: ['v1.2.3', ''],
  hasIdentity: true,
};

test('a tagged version with a dated changelog can be published', () => {
  assert.deepEqual(obstacles(ready, true), []);
  assert.deepEqual(obstacles({ ...ready, hasIdentity: false }, false), []);
});

for (const [what, change, words] of [
  ['an undated changelog', { changelog: '## 1.2.3 (unreleased)\n' }, /no heading "## 1\.2\.3/],
  ['a changelog of another version', { changelog: '## 1.213 (2027-01-31)\n' }, /no heading/],
  ['a missing repository', { hasRepository: false }, /no "repository"/],
  ['an uncommitted change', { changes: ' M package.json\n' }, /not committed/],
  ['a missing tag', { tags: ['v1.2.2'] }, /no tag v1\.2\.3/],
  ['a machine without an identity', { hasIdentity: false }, /id-token: write/],
] as const)
  test(`${what} prevents a release`, () => {
    const found = obstacles({ ...ready, ...change }, true);
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', words);
  });
