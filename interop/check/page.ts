import type { Finding } from '../../src/check/report.ts';
import type { JudgedServer } from './judged.ts';

const intro = `# What \`parley check\` finds in servers of others

\`npm run lab -- interop:check\` wrote this page. Each server is the program of it in \`interop/peers/\` or \`test/bridge/servers/\`, as its makers' documentation
would have one write it, and none of its tools is called: what is found is a fault of the library, or of the few lines of the program. Each was read against the text of the specification, as
\`interop/check/read.ts\` says; a run that finds anything else fails. A MUST of 2025-03-26 that most do not keep is the batch of
JSON-RPC (basic-019), which no other revision has.`;

/** Writes the page. */
export function checkPeersPage(
  judged: readonly JudgedServer[],
  missing: readonly (readonly [name: string, why: string])[],
): string {
  const titles = [...new Set(judged.map(({ title }) => title))];
  const parts = titles.flatMap((title) => [`## ${title}`, tableOf(judged.filter((one) => one.title === title))]);
  const rows = new Map(
    judged.flatMap(({ report }) => report.findings.map((found) => [found.id, found.words] as const)),
  );
  const words = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([id, text]) => `| ${id} | ${text} |`);
  return `${[
    intro,
    ...parts,
    ...(missing.length === 0 ? [] : ['## Not run', missing.map(([name, why]) => `- ${name}: ${why}`).join('\n')]),
    '## What the rows say',
    ['| Row | What should hold |', '|---|---|', ...words].join('\n'),
  ].join('\n\n')}\n`;
}

function tableOf(judged: readonly JudgedServer[]): string {
  const lines = judged.map(({ way, report: { revisions, counts, findings } }) => {
    const spoken = revisions.filter(({ spoken }) => spoken).map(({ revision }) => revision);
    const of = (severity: Finding['severity']): string =>
      [...new Set(findings.filter((found) => found.severity === severity).map(({ id }) => id))].join(', ');
    return `| ${way} | ${spoken.join(', ')} | ${counts.judged} | ${of('error')} | ${of('warning')} | ${of('note')} |`;
  });
  return [
    '| Over | Revisions | Rows judged | Breaks (MUST) | Differs (SHOULD) | Notes |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}
