/** The part of `docs/evidence/interop.md` that is about authorization. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './step.ts';

const file = join(import.meta.dirname, '../../docs/evidence/interop.md');
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

\`npm run lab -- interop:auth\` wrote this part. It starts authorization servers and protected programs of other
projects on this machine. It downloads them from the package registries into the same cache. A simulated user signs in
on their pages.

With an authorization server of another project, the run tests these steps:

- \`oauth()\` signs in, refreshes the token twice, and gets another scope after a 403.
- A server behind \`protect\` accepts the token. A server with another URL refuses it.
- \`protect\` verifies the token as a JWT, and by introspection if the authorization server supports that.
- Signing out revokes the token.
- \`parley login\`, \`whoami\`, \`call\` and \`logout\` do the same.

| With | Steps that pass | Steps that fail | Set-up |
|---|---|---|---|
${rows.join('\n')}
`;
}
