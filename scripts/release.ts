/**
 * `npm run lab -- release`: checks that this version can be published.
 * `npm run lab -- release --publish`: publishes it with a statement of provenance. The workflow `release` does this for a tag.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../test/support/sources.ts';
import { npm, packageNames, packageTarball } from './package-once.ts';

/** The state of the repository and of the machine that a release depends on. */
export interface ReleaseState {
  readonly version: string;
  /** Whether package.json has `repository`, which provenance is compared with. */
  readonly hasRepository: boolean;
  readonly changelog: string;
  /** What `git status --porcelain` prints. */
  readonly changes: string;
  /** The tags of the current commit. */
  readonly tags: readonly string[];
  /** Whether the machine can prove which workflow runs. */
  readonly hasIdentity: boolean;
}

/** The reasons why the version cannot be published. */
export function obstacles(state: ReleaseState, isPublished: boolean): readonly string[] {
  const { version, hasRepository, changelog, changes, tags, hasIdentity } = state;
  const dated = new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, 'm');
  return [
    ...(dated.test(changelog) ? [] : [`CHANGELOG.md has no heading "## ${version} (<date>)"; write the date`]),
    ...(hasRepository ? [] : ['package.json has no "repository"; provenance needs it']),
    ...(changes.trim() === '' ? [] : ['there are changes that are not committed']),
    ...(tags.includes(`v${version}`) ? [] : [`the commit has no tag v${version}; run \`git tag v${version}\``]),
    ...(!isPublished || hasIdentity ? [] : ['provenance needs GitHub Actions with the permission "id-token: write"']),
  ];
}

function stateHere(): ReleaseState {
  const git = (...words: readonly string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
  // Our own file, which has these fields.
  const manifest = JSON.parse(readFileSync(join(root, 'packages/parley/package.json'), 'utf8')) as {
    readonly version: string;
    readonly repository?: unknown;
  };
  return {
    version: manifest.version,
    hasRepository: manifest.repository !== undefined,
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    changes: git('status', '--porcelain'),
    tags: git('tag', '--points-at', 'HEAD').split('\n'),
    hasIdentity: process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] !== undefined,
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { publish: { type: 'boolean', default: false } } });
  const found = obstacles(stateHere(), values.publish);
  for (const line of found) console.error(line);
  if (found.length > 0) process.exitCode = 1;
  else
    for (const name of packageNames) {
      const tarball = packageTarball(name);
      if (values.publish)
        console.log(npm(root, 'publish', tarball, '--provenance', '--access', 'public', '--ignore-scripts'));
      else console.log(`ready: ${tarball}`);
    }
}
