/** Skills of the server that judges its client: the extension is there, and its folders cannot be read. */

import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import { skillsExtension } from '../../rules/common/read-skills.ts';
import { paramsOf } from '../client-session.ts';
import type { GivenAnswer } from './answers.ts';

const root = 'skill://check/greeting';
const about = { name: 'greeting', description: 'Greets a person in writing.' };

/** Files of the one skill that there is, which wants a folder to be looked into. */
const files: ReadonlyMap<string, string> = new Map([
  [
    `${root}/SKILL.md`,
    `---\nname: ${about.name}\ndescription: ${about.description}\n---\n\nPick the template in \`templates/\` that fits, and fill it in.\n`,
  ],
  [`${root}/templates/short.md`, 'Hello, {{name}}.\n'],
  [`${root}/templates/long.md`, 'Good morning, {{name}}. How are you?\n'],
]);

const skill: JsonObject = {
  uri: `${root}/SKILL.md`,
  frontmatter: about,
  resources: [...files].map(([uri, text]) => ({
    uri,
    digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
    size: Buffer.byteLength(text),
  })),
};

/** Tells whether a revision has the extension, which stands on the messages of the newest. */
function hasSkills({ clientDescribed }: Revision): boolean {
  return clientDescribed === 'each-request';
}

/** Capability that is declared of skills: without `directoryRead`. */
export function offeredSkills(revision: Revision): JsonObject {
  return hasSkills(revision) ? { [skillsExtension]: {} } : {};
}

/** Answers a request about skills; `undefined` if it is not a skills method here. */
export function skillAnswer(message: JsonObject, revision: Revision, hints: JsonObject): GivenAnswer | undefined {
  const { method } = message;
  if (!hasSkills(revision)) return undefined;
  if (method === 'skills/list') return { result: { skills: [skill], ...hints } };
  if (method !== 'skills/get') return undefined;
  const { uri } = paramsOf(message);
  return uri === skill['uri']
    ? { result: { skill, ...hints } }
    : { error: { code: -32_602, message: 'the skill does not exist' } };
}

/** The text of a file of a skill; `undefined` for another resource. */
export function skillFile(uri: unknown, revision: Revision): string | undefined {
  return hasSkills(revision) && typeof uri === 'string' ? files.get(uri) : undefined;
}
