import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import { nobody, type Harness } from '../harness/harness.ts';
import { errorCodeIn } from '../harness/exchange.ts';
import { entryText } from '../harness/offer.ts';
import type { ProbeRule } from '../rule.ts';
import {
  breaks,
  holds,
  NotApplicable,
  notApplicable,
  notJudged,
  unless,
  type RuleVerdict,
} from '../harness/verdict.ts';
import { plainFrontmatter } from './common/frontmatter.ts';
import {
  listedSkills,
  readSkills,
  skillFolder,
  skillHost,
  skillPlace,
  skillsExtension,
  type ReadSkill,
} from './common/read-skills.ts';
import { manifestFault } from './common/skill-manifest.ts';
import { refusedWith } from './common/refusals.ts';

/** Rules about skills, where the server declares that extension. Of those that it lists five are read. */

/** The extension stands on the messages of that revision and of later ones. */
const lives = ({ clientDescribed }: Revision): boolean => clientDescribed === 'each-request';

const needsCode = -32_602;
const noMethod = -32_601;

/** @throws NotApplicable where the server does not declare skills. */
async function settings(harness: Harness): Promise<Readonly<Record<string, unknown>>> {
  const { extensions } = (await harness.offer()).capabilities;
  const declared = isObject(extensions) ? extensions[skillsExtension] : undefined;
  if (!isObject(declared)) throw new NotApplicable('it does not declare skills');
  return declared;
}

/** Skills that were read, of a server that declares some. @throws NotApplicable where it lists none. */
async function reads(harness: Harness): Promise<readonly ReadSkill[]> {
  await settings(harness);
  const found = await readSkills(harness);
  if (found.length === 0) throw new NotApplicable('it lists no skill');
  return found;
}

const hasMethods: ProbeRule = {
  id: 'resources-026',
  lives,
  message: 'A server that declares skills answers skills/list and skills/get, and declares resources',
  fix: 'answer both, and declare the capability resources',
  async probe(harness) {
    await settings(harness);
    const { capabilities } = await harness.offer();
    const { answer } = await listedSkills(harness);
    if (errorCodeIn(answer) === noMethod) return breaks(answer, 'it has no method skills/list');
    if (answer.result === undefined) return notJudged('skills/list was not answered with a result');
    if (!Array.isArray(answer.result['skills'])) return breaks(answer, 'the result of skills/list has no skills');
    const probeClient = await skillHost(harness);
    const one = await probeClient.request('skills/get', { uri: `skill://${nobody}/SKILL.md` });
    if (errorCodeIn(one) === noMethod) return breaks(one, 'it has no method skills/get');
    return unless(!isObject(capabilities['resources']), answer, 'it does not declare resources');
  },
};

const readsFolders: ProbeRule = {
  id: 'resources-027',
  lives,
  message: 'A server whose skills have directoryRead answers resources/directory/read',
  fix: 'answer it, or leave directoryRead out',
  async probe(harness) {
    if ((await settings(harness))['directoryRead'] !== true) return notApplicable('it does not declare directoryRead');
    const probeClient = await skillHost(harness);
    const answer = await probeClient.request('resources/directory/read', { uri: `skill://${nobody}` });
    if (answer.response === undefined) return notJudged('it was not answered');
    return unless(errorCodeIn(answer) === noMethod, answer, 'it has no such method');
  },
};

const hasFrontmatter: ProbeRule = {
  id: 'resources-029',
  lives,
  message: 'A skill is a SKILL.md that begins with its name and description, in a folder of that name',
  fix: 'begin SKILL.md with frontmatter that has both, and name its folder as the skill',
  async probe(harness) {
    let judged = 0;
    for (const { uri, entry, answer, file } of await reads(harness)) {
      if (skillFolder(uri) === undefined) return breaks(answer, `${uri} does not end with /SKILL.md`, uri);
      // What is not there says so; another error says that reading failed.
      if (errorCodeIn(answer) === needsCode) return breaks(answer, `${uri} is listed, and cannot be read`, uri);
      if (file === undefined) continue;
      judged++;
      const found = plainFrontmatter(file.toString());
      if (found === undefined) return breaks(answer, 'it has no frontmatter', uri);
      if (found !== 'odd')
        for (const key of ['name', 'description'])
          if (!found.keys.has(key)) return breaks(answer, `its frontmatter has no ${key}`, uri);
      const { frontmatter } = entry;
      const name = isObject(frontmatter) ? entryText(frontmatter, 'name') : undefined;
      const folder = skillFolder(uri);
      if (name !== undefined && folder !== name && decoded(folder) !== name)
        return breaks(answer, `the skill ${name} is in the folder ${String(folder)}`, uri);
    }
    return judged > 0 ? holds : notJudged('no skill could be read');
  },
};

const sameFrontmatter: ProbeRule = {
  id: 'resources-030',
  lives,
  message: 'The frontmatter of an entry is that of its SKILL.md',
  fix: 'make the entry of the file',
  async probe(harness) {
    let judged = 0;
    for (const { uri, entry, answer, file } of await reads(harness)) {
      const { frontmatter } = entry;
      if (!isObject(frontmatter)) return breaks(answer, 'the entry has no frontmatter', uri);
      const found = file === undefined ? undefined : plainFrontmatter(file.toString());
      if (found === undefined || found === 'odd') continue;
      judged++;
      for (const key of found.keys)
        if (!(key in frontmatter)) return breaks(answer, `${key} of the file is not in the entry`, uri);
      for (const key of Object.keys(frontmatter))
        if (!found.keys.has(key)) return breaks(answer, `${key} of the entry is not in the file`, uri);
      for (const [key, value] of found.plain)
        if (frontmatter[key] !== value)
          return breaks(answer, `${key} is ${value}, and in the entry ${JSON.stringify(frontmatter[key])}`, uri);
    }
    return judged > 0 ? holds : notJudged('no frontmatter could be read');
  },
};

const wholeManifest: ProbeRule = {
  id: 'resources-031',
  lives,
  message: 'An entry of a skill lists its files, each with digest and size, or says dynamic',
  fix: 'list SKILL.md and every other file of its folder once, with sha256 and bytes, or say "dynamic"',
  async probe(harness) {
    let disputed: RuleVerdict = holds;
    for (const skill of await reads(harness)) {
      const fault = manifestFault(skill);
      if (fault === undefined) continue;
      const { answer: exchange, uri: where } = skill;
      if (fault.disputed === undefined) return breaks(exchange, fault.why, where);
      disputed = { verdict: 'breaks', ...fault, exchange, where };
    }
    return disputed;
  },
};

const known: ProbeRule = {
  id: 'resources-032',
  lives,
  message: 'skills/get returns each skill, and -32602 for an unknown skill',
  fix: 'look the address up, and answer with the error -32602 where there is no skill',
  async probe(harness) {
    await settings(harness);
    const { entries } = await listedSkills(harness);
    const probeClient = await skillHost(harness);
    const uri = entryText(entries[0], 'uri');
    if (uri !== undefined) {
      const one = await probeClient.request('skills/get', { uri });
      if (errorCodeIn(one) === needsCode) return breaks(one, `${uri} is listed, and not answered for`, uri);
      if (one.result === undefined) return notJudged('skills/get was not answered with a result');
      const { skill } = one.result;
      if (!isObject(skill) || skill['uri'] !== uri)
        return breaks(one, 'the result is not the entry of that skill', uri);
    }
    const none = await probeClient.request('skills/get', { uri: `skill://${nobody}/SKILL.md` });
    if (errorCodeIn(none) === noMethod) return notJudged('the method does not exist: see resources-026');
    return refusedWith(none, { code: needsCode });
  },
};

const completeFolders: ProbeRule = {
  id: 'resources-033',
  lives,
  message: 'A directory read returns a result of the type complete',
  fix: 'say "resultType": "complete"',
  async probe(harness) {
    if ((await settings(harness))['directoryRead'] !== true) return notApplicable('it does not declare directoryRead');
    const { entries } = await listedSkills(harness);
    const uri = entryText(entries[0], 'uri');
    const place = uri === undefined ? undefined : skillPlace(uri);
    if (place === undefined) return notApplicable('it lists no skill');
    const probeClient = await skillHost(harness);
    const answer = await probeClient.request('resources/directory/read', { uri: place });
    if (answer.result === undefined) return notJudged('the folder of the skill was not read');
    const { resultType: type } = answer.result;
    return unless(type !== 'complete', answer, `it is ${JSON.stringify(type) ?? 'missing'}`);
  },
};

/** Limits up to which every host takes a skill. */
const most = { files: 512, bytes: 16 * 1024 * 1024 };

const small: ProbeRule = {
  id: 'resources-034',
  lives,
  message: 'A skill has at most 512 files and 16 MiB',
  fix: 'make several skills of it',
  async probe(harness) {
    await settings(harness);
    const { entries, answer } = await listedSkills(harness);
    const counted = entries.filter(({ resources }) => Array.isArray(resources));
    for (const { uri, resources } of counted) {
      const files = Array.isArray(resources) ? resources.filter(isObject) : [];
      if (files.length > most.files) return breaks(answer, `it has ${files.length} files`, String(uri));
      const bytes = files.reduce((sum, { size }) => sum + (typeof size === 'number' ? size : 0), 0);
      if (bytes > most.bytes) return breaks(answer, `it has ${bytes} bytes`, String(uri));
    }
    return counted.length > 0 ? holds : notApplicable('it lists no skill with files');
  },
};

function decoded(folder: string | undefined): string | undefined {
  try {
    return folder === undefined ? undefined : decodeURIComponent(folder);
  } catch {
    return folder;
  }
}

/** Rules about skills. */
export const skillRules: readonly ProbeRule[] = [
  hasMethods,
  readsFolders,
  hasFrontmatter,
  sameFrontmatter,
  wholeManifest,
  known,
  completeFolders,
  small,
];
