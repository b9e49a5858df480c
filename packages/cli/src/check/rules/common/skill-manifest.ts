import { createHash } from 'node:crypto';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { skillPlace, type ReadSkill } from './read-skills.ts';

/** Fault of the entry of a skill. */
export interface ManifestFault {
  readonly why: string;
  /** Words of another text of the extension, by which it is right. */
  readonly disputed?: string;
}

const noList =
  'the proposal of the extension has a skill that is generated each time leave its resources out, where the page wants "dynamic"';
const noSize = 'the proposal of the extension knows uri and digest of a file alone, where the page wants its size too';

/** Tells what is wrong with the files that the entry of a skill lists; `undefined` where nothing is. What all texts agree on comes first. */
export function manifestFault(skill: ReadSkill): ManifestFault | undefined {
  const { resources } = skill.entry;
  if (resources === 'dynamic') return undefined;
  if (resources === undefined) return { why: 'it has no resources', disputed: noList };
  if (!Array.isArray(resources)) return { why: 'its resources are neither a list nor "dynamic"' };
  const why = listFault(resources, skill);
  if (why !== undefined) return { why };
  const at = resources.findIndex((file) => isObject(file) && file['size'] === undefined);
  return at === -1 ? undefined : { why: `resources[${at}] has no size in bytes`, disputed: noSize };
}

function listFault(resources: readonly unknown[], { uri, file: read }: ReadSkill): string | undefined {
  const folder = `${skillPlace(uri) ?? ''}/`;
  const seen = new Set<string>();
  for (const [at, file] of resources.entries()) {
    const fault = isObject(file) ? fileFault(file, folder, seen) : 'is no object';
    if (fault !== undefined) return `resources[${at}] ${fault}`;
  }
  const own = resources.filter(isObject).find((file) => file['uri'] === uri);
  if (own === undefined) return 'its resources have no SKILL.md';
  if (read === undefined) return undefined;
  const { size = read.length } = own;
  if (size !== read.length) return `SKILL.md has ${read.length} bytes, and by the entry ${String(size)}`;
  const digest = `sha256:${createHash('sha256').update(read).digest('hex')}`;
  return own['digest'] === digest ? undefined : `SKILL.md has the digest ${digest}, and not that of the entry`;
}

function fileFault(
  { uri, digest, size = 0 }: Readonly<Record<string, unknown>>,
  folder: string,
  seen: Set<string>,
): string | undefined {
  if (typeof uri !== 'string') return 'has no uri';
  if (!uri.startsWith(folder)) return `is ${uri}, which is not in the folder of the skill`;
  if (seen.has(uri)) return `is ${uri} once more`;
  seen.add(uri);
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest)) return 'has no digest of sha256';
  return Number.isInteger(size) && Number(size) >= 0 ? undefined : 'has a size that is no number of bytes';
}
