/**
 * `npm run lab -- interop [peer…] [--route words] [--wire]`: drives clients and servers of others with ours, and prints what
 * works. A run of all of them writes `docs/evidence/interop.md`. Fails where something goes wrong that is no known fault of a peer.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drive } from './harness/drive.ts';
import { authorizationPart } from './auth/page.ts';
import { page } from './harness/page.ts';
import { peers } from './harness/peers.ts';
import { faults } from './harness/faults.ts';
import { runPeers } from './harness/run-peers.ts';
import { unexplained, unseen } from './harness/report.ts';
import { routesOf } from './harness/routes.ts';

const { values, positionals } = parseArgs({
  options: { route: { type: 'string' }, wire: { type: 'boolean' } },
  allowPositionals: true,
});
const chosen = peers.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const { reports, missing } = await runPeers(chosen, {
  faults,
  wire: values.wire === true,
  routesOf: (peer) => routesOf(peer).filter(({ title }) => title.includes(values.route ?? '')),
  drive,
});
for (const fault of unseen(reports)) console.log(`no longer seen: ${fault.peer}, ${fault.side}, ${fault.steps.join()}`);
if (positionals.length === 0 && values.route === undefined) {
  const manual = readFileSync(join(import.meta.dirname, 'by-hand.md'), 'utf8');
  const text = `${page({ reports, missing })}\n${manual}${authorizationPart()}`;
  writeFileSync(join(import.meta.dirname, '../docs/evidence/interop.md'), text);
}
process.exitCode = unexplained(reports).length === 0 ? 0 : 1;
