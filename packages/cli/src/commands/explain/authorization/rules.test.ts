import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AuthorizationError } from '../../../../../parley/src/auth/common/errors.ts';
import { endpointsOf } from '../../../../../parley/src/auth/client/endpoints.ts';
import { requireCodes } from '../../../../../parley/src/auth/client/interactive/authorization-request.ts';
import { discoverServer } from '../../../../../parley/src/auth/client/discovery.ts';
import { siteOf } from '../../../../../parley/src/auth/client/site.ts';
import { revisions } from '../../../../../parley/src/protocol/revision.ts';
import { inThisProcess } from '../../../../../../test/support/cli-process.ts';
import type { Explanation } from '../report.ts';
import { challengeRows } from '../../../../../../test/support/explain/broken-challenges.ts';
import { metadataRows } from '../../../../../../test/support/explain/broken-metadata.ts';
import { changed } from '../../../../../../test/support/explain/broken.ts';
import { guarded, healthy, paths } from '../../../../../../test/support/explain/guarded.ts';
import type { AuthorizationExplained } from './report.ts';
import { rules } from './rules.ts';

const rows = [...challengeRows, ...metadataRows];

/** The authorization at a server, as `parley explain --json` says it. */
async function explained(origin: string, words: readonly string[] = []): Promise<AuthorizationExplained> {
  const { stdout, stderr } = await inThisProcess(['explain', '--json', ...words, `${origin}${paths.endpoint}`]);
  assert.equal(stderr, '');
  const { authorization }: Explanation = JSON.parse(stdout);
  assert.ok(authorization !== undefined, 'the authorization is explained');
  return authorization;
}

/** The reason for which a client stops before anybody is asked; `undefined` where it does not. */
async function clientStops(origin: string, { refusals }: AuthorizationExplained): Promise<string | undefined> {
  const named = refusals
    .flatMap(({ challenges }) => challenges)
    .find(({ parameters }) => parameters['resource_metadata'] !== undefined)?.parameters['resource_metadata'];
  const revision = revisions.find(({ authorizationAtRoot }) => authorizationAtRoot)?.date;
  const bound = {
    url: new URL(paths.endpoint, origin),
    fetch: (url: string, request: RequestInit) => fetch(url, request),
    atRoot: { revision },
  };
  try {
    const found = await discoverServer(siteOf(bound, {}), { resourceMetadata: named }, AbortSignal.timeout(10_000));
    requireCodes(found.server);
    endpointsOf(found.server);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AuthorizationError, String(error));
    return error.message;
  }
}

describe('the rules of authorization in parley explain', { concurrency: 4 }, () => {
  test('none is broken by a server at which nothing is wrong', async () => {
    const { broken } = await guarded(healthy, (origin) => explained(origin));
    assert.deepEqual(broken, []);
  });

  for (const row of rows)
    test(`a server that ${row.how} breaks ${row.rule}`, async () => {
      await guarded(
        (origin) => changed(origin, row),
        async (origin) => {
          const found = await explained(origin, row.header === undefined ? [] : ['--header', row.header]);
          const { broken } = found;
          assert.deepEqual(
            broken.map(({ rule }) => rule).toSorted(),
            [row.rule, ...(row.beside ?? [])].toSorted(),
            JSON.stringify(broken, undefined, 1),
          );
          const [one] = broken.filter(({ rule }) => rule === row.rule);
          assert.match(one?.what ?? '', row.what);
          assert.match(one?.source ?? '', /^(?:RFC \d+, section \d|spec \d{4}-\d\d-\d\d, Authorization)/);
          assert.doesNotMatch(JSON.stringify(found), /a-token-of-somebody/);
          // What is said of clients is what ours does.
          if (row.later === true) return;
          const why = await clientStops(origin, found);
          assert.equal(
            why !== undefined,
            broken.some(({ stops }) => stops),
            why ?? 'the client goes on',
          );
        },
      );
    });

  test('each is broken by a server of the table', () => {
    const shown = new Set(rows.map(({ rule }) => rule));
    assert.deepEqual(
      rules.map(({ id }) => id).filter((id) => !shown.has(id)),
      [],
    );
    assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
  });
});
