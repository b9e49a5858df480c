/** The part of `docs/interop.md` that is about authorization. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './step.ts';

const file = join(import.meta.dirname, '../../docs/interop.md');
const heading = '## Authorization';

/** The part as it stands, for whoever writes the rest of the page; empty where there is none. */
export function authorizationPart(): string {
  const [, part] = readFileSync(file, 'utf8').split(`\n${heading}\n`);
  return part === undefined ? '' : `\n${heading}\n${part}`;
}

/** Writes the part, and leaves the rest of the page as it is. */
export function writePart(reports: readonly Report[]): void {
  const [rest = ''] = readFileSync(file, 'utf8').split(`\n${heading}\n`);
  writeFileSync(file, `${rest.trimEnd()}\n\n${part(reports)}`);
}

function part(reports: readonly Report[]): string {
  const rows = reports.map(({ title, needs, steps }) => {
    const works = steps.filter(({ problem }) => problem === undefined);
    const wrong = steps.flatMap(({ what, problem, fault }) =>
      problem === undefined ? [] : [`${what}: ${fault ?? `open: ${problem.slice(0, 300)}`}`],
    );
    const not = wrong.join('; ').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
    return `| ${title} | ${works.length} of ${steps.length} | ${not} | ${needs} |`;
  });
  return `${heading}

\`npm run lab -- interop:auth\` wrote this part. It starts authorization servers and guarded programs of others on this machine, fetched from the registries of
packages into the same cache, and has a person sign in by their pages. With an authorization server of others: \`oauth()\` signs in, its token is good at a
server behind \`protect\`, is renewed twice, gets another scope by a 403, and is no good at a server with another URL; \`protect\` verifies it as a JWT, and by
introspection where there is that; signing out revokes it; and \`parley login\`, \`whoami\`, \`call\` and \`logout\` do the same.

| With | Steps that work | What does not | What it needs |
|---|---|---|---|
${rows.join('\n')}
`;
}
