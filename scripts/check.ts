/**
 * `npm run check [-- <rule>…]`: types, lint, format and the rules of the repository, one line for each.
 * `node scripts/check.ts --package [<rule>…]`: the rules of the built and packed package, which `npm run test:all` runs.
 */

import { parseArgs } from 'node:util';
import { architecturePageRule, roomsPageRule } from './check/architecture-page.ts';
import { docCommentsRule } from './check/doc-comments.ts';
import { docProgramsRule } from './check/doc-programs.ts';
import { entryPointsRule, oneDeclarationRule, starsRule } from './check/exported-names.ts';
import { generatedRule } from './check/generated.ts';
import { foldersRule, lengthsRule } from './check/lengths.ts';
import { dependenciesRule, exportsRule, manifestsRule } from './check/manifest.ts';
import { datesRule, eraRule } from './check/protocol-versions.ts';
import { linksRule } from './check/links.ts';
import { npmScriptsRule } from './check/npm-scripts.ts';
import { plainWordsRule } from './check/plain-words.ts';
import { behavioursRule, citedIdsRule, requirementsRule } from './check/registers.ts';
import { repositoryOnDisk } from './check/repository.ts';
import { cyclesRule, foldersPointDownRule, roomsRule } from './check/rooms.ts';
import { lineOf, type Finding, type Rule } from './check/rule.ts';
import { outsideRule, skippedTestsRule } from './check/skipped-tests.ts';
import { specFactsRule } from './check/spec-facts.ts';
import { testsHaveTestsRule } from './check/tests-have-tests.ts';
import { format, lint, types } from './check/tools.ts';
import { wallClockRule } from './check/wall-clock.ts';
import { installPeers } from './peers.ts';

type Rules = Readonly<Record<string, Rule>>;

const ofTypes: Rules = {
  types: types('tsconfig.json', 'the repository'),
  'types-core': types('tsconfig.core.json', 'the core, without Node,'),
  'types-page': types('packages/cli/src/inspect/page/tsconfig.json', 'the page of inspect'),
};

const ofText: Rules = {
  lint,
  format,
};

const ofRepository: Rules = {
  'tests-have-tests': testsHaveTestsRule,
  'skipped-tests': skippedTestsRule,
  outside: outsideRule,
  rooms: roomsRule,
  cycles: cyclesRule,
  'folders-point-down': foldersPointDownRule,
  dependencies: dependenciesRule,
  exports: exportsRule,
  manifests: manifestsRule,
  'entry-points': entryPointsRule,
  stars: starsRule,
  'one-declaration': oneDeclarationRule,
  dates: datesRule,
  era: eraRule,
  'wall-clock': wallClockRule,
  lengths: lengthsRule,
  folders: foldersRule,
  'doc-comments': docCommentsRule,
  'doc-programs': docProgramsRule,
  links: linksRule,
  'plain-words': plainWordsRule,
  'architecture-page': architecturePageRule,
  'rooms-page': roomsPageRule,
  'npm-scripts': npmScriptsRule,
  generated: generatedRule,
  requirements: requirementsRule,
  behaviours: behavioursRule,
  'cited-ids': citedIdsRule,
  'spec-facts': specFactsRule,
};

// The rules about types need the types of all packages.
installPeers();

const { values, positionals } = parseArgs({ options: { package: { type: 'boolean' } }, allowPositionals: true });
// Each lane runs one rule after the other; the tools of two lanes fill two processors.
const lanes: readonly Rules[] = values.package === true ? await packageRules() : [ofTypes, ofText, ofRepository];
const known = lanes.flatMap((lane) => Object.keys(lane));
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`there is no rule "${unknown.join('", "')}"; there are ${known.join(', ')}`);
  process.exitCode = 2;
} else {
  const counts = await Promise.all(lanes.map(runLane));
  const failed = counts.reduce((sum, count) => sum + count, 0);
  if (failed > 0) console.error(`${failed} of ${positionals.length || known.length} rules found something`);
  process.exitCode = failed > 0 ? 1 : 0;
}

async function packageRules(): Promise<readonly Rules[]> {
  const { ofTarballs, ofBuild, ofSource } = await import('./check/package/rules.ts');
  return [ofTarballs, ofBuild, ofSource];
}

/** The number of rules of a lane that found something. */
async function runLane(lane: Rules): Promise<number> {
  const repository = repositoryOnDisk();
  let failed = 0;
  for (const [name, { demand, find }] of Object.entries(lane)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const start = performance.now();
    const found = await findings(() => find(repository));
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(18)} ${demand} (${seconds} s)`);
    for (const finding of found) console.log(`     ${lineOf(finding)}`);
    if (found.length > 0) failed++;
  }
  return failed;
}

/** A rule that cannot be looked at found something, too. */
async function findings(find: () => readonly Finding[] | Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await find();
  } catch (error) {
    return [
      { file: 'scripts/check.ts', text: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    ];
  }
}
