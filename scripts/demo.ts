/** The official clients visit the bridge and a server of Parley: `npm run lab -- demo`. Fails when any visit has a failure. */

import { officialClients } from './demo-clients.ts';
import { openBridge, openExample } from './demo-doors.ts';
import { askEverybody } from './demo-questions.ts';
import { visit, type Visit } from './demo-visit.ts';

const visitHeadings = [
  'client',
  'over',
  'revision',
  'tools+resources+templates+prompts',
  'calls',
  'reads',
  'prompts',
  'completions',
  'progress',
  'failures',
];

function cells(row: Visit): readonly string[] {
  const { client, way, revision, listed, called, read, got, completed, progress, failures } = row;
  return [
    client,
    way,
    revision,
    listed,
    called,
    read,
    got,
    completed,
    String(progress),
    failures.length === 0 ? 'none' : String(failures.length),
  ];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const clients = await officialClients();
let failed = 0;
for (const open of [openBridge, openExample]) {
  const { title, door, plan, close } = await open();
  const visits = await Promise.all(clients.map((client) => visit(client, door, plan)));
  await close();
  console.log(`\n${title}\n\n${table([visitHeadings, ...visits.map(cells)])}`);
  for (const { client, failures } of visits) for (const failure of failures) console.log(`  ${client}: ${failure}`);
  failed += visits.filter(({ failures }) => failures.length > 0).length;
}
const questions = await askEverybody(clients);
const asked = questions.map(({ server, behind, client, revision, answered }) => [
  server,
  behind,
  client,
  revision,
  answered,
]);
console.log(
  `\nservers that ask in the middle of a call, through the bridge\n\n${table([
    ['server', 'speaks', 'client', 'speaks', 'questions answered'],
    ...asked,
  ])}`,
);
failed += questions.filter((row) => row.failed).length;
console.log(
  failed === 0
    ? `\nAll ${clients.length} clients could do everything that their revisions have.`
    : `\n${failed} visits had failures.`,
);
process.exit(failed === 0 ? 0 : 1);
