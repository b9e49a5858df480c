import type { Finding } from '../../packages/cli/src/check/report.ts';
import type { JudgedServer } from './judged.ts';

const intro = `# Findings of \`parley check\` in other servers

\`npm run lab -- interop:check\` wrote this page. Each server is a program in \`interop/peers/\` or
\`test/bridge/servers/\`, written as the documentation of its library recommends. The check calls no tools. A finding is a
fault of the library, or of the few lines of the program.

Each finding was compared with the text of the specification, and is listed in \`interop/check/read.ts\`. A run with
another finding fails. Most servers break one MUST of 2025-03-26: JSON-RPC batches (basic-019). No other revision has
batches.`;

/** Writes the page. */
export function checkPeersPage(
  judged: readonly JudgedServer[],
  missing: readonly (readonly [name: string, why: string])[],
): string {
  const titles = [...new Set(judged.map(({ title }) => title))];
  const parts = titles.flatMap((title) => [`## ${title}`, tableOf(judged.filter((one) => one.title === title))]);
  const rows = new Map(
    judged.flatMap(({ report }) => report.findings.map((found) => [found.id, found.message] as const)),
  );
  const words = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([id, text]) => `| ${id} | ${text} |`);
  return `${[
    intro,
    ...parts,
    ...(missing.length === 0 ? [] : ['## Not run', missing.map(([name, why]) => `- ${name}: ${why}`).join('\n')]),
    '## Rules',
    ['| Rule | What should hold |', '|---|---|', ...words].join('\n'),
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
    '| Over | Revisions | Rules checked | Breaks (MUST) | Differs (SHOULD) | Notes |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}
