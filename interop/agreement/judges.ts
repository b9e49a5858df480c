/** Two judges of one server: `parley check`, and the official conformance suite. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRequired } from '../../scripts/conformance-run.ts';
import { checkServer } from '../../packages/cli/src/check/run/check-server.ts';
import type { RowVerdict } from '../../packages/cli/src/check/report.ts';

/** What both say of a server at a revision. */
export interface Said {
  /** By the row. */
  readonly rows: ReadonlyMap<string, RowVerdict>;
  /** By the suite's check, which is looked at in several scenarios: true where one of them failed, false where all passed. */
  readonly failed: ReadonlyMap<string, boolean>;
}

/** Asks both, one after the other. */
export async function askBoth(url: string, revision: string): Promise<Said> {
  const [own, failed] = [await checkServer(url, { revisions: [revision as '2025-11-25'] }), await suite(url, revision)];
  return { rows: new Map(own.rows.map((row) => [row.id, row])), failed };
}

async function suite(url: string, revision: string): Promise<ReadonlyMap<string, boolean>> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-agreement-'));
  try {
    const failed = new Map<string, boolean>();
    for (const checks of (await runRequired(revision, { target: ['--url', url], directory })).values())
      for (const { id, status } of checks) {
        if (status === 'FAILURE' || status === 'WARNING') failed.set(id, true);
        else if (status === 'SUCCESS' && !failed.has(id)) failed.set(id, false);
      }
    return failed;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
