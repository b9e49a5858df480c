/** Has clients of every kind talk to three processes while something befalls them: `npm run lab -- scale [times] [clients of each kind] [one|cluster] [fault]`. */

import { missing } from '../../support/engines.ts';
import { play, type Fault } from './play.ts';

const [times = '3', clients = '1', engine = 'cluster', only = ''] = process.argv.slice(2);
const reason = missing('redis-server');
if (reason !== false) throw new Error(reason);

const faults: readonly Fault[] =
  engine === 'cluster' ? ['nothing', 'replacing', 'killing', 'failing over'] : ['nothing', 'replacing', 'killing'];
for (const fault of faults.filter((one) => one.startsWith(only))) {
  const { calls, failures, violations, processes, p50, p99 } = await play({
    engine: engine === 'cluster' ? 'cluster' : 'one',
    fault,
    times: fault === 'nothing' ? 1 : Number(times),
    clients: Number(clients),
  });
  console.log(
    `${fault}: ${calls} calls at ${processes} processes, p50 ${p50} ms, p99 ${p99} ms; ${failures.length} failed, ${violations.length} violations`,
  );
  for (const line of failures.slice(0, 20)) console.log(`  ${line}`);
  for (const line of violations.slice(0, 20)) console.log(`  violation: ${line}`);
  if (violations.length > 0) process.exitCode = 1;
}
