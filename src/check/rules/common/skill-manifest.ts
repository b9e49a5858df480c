import { createHash } from 'node:crypto';
import { isObject } from '../../../jsonrpc/message.ts';
import { skillPlace, type ReadSkill } from './read-skills.ts';

/** Tells what is wrong with the files that the entry of a skill lists; `undefined` where nothing is. */
export function manifestFault({ uri, entry: { resources }, file: read }: ReadSkill): string | undefined {
  if (resources === 'dynamic') return undefined;
  if (!Array.isArray(resources)) return 'its resources are neither a list nor "dynamic"';
  const folder = `${skillPlace(uri) ?? ''}/`;
  const seen = new Set<string>();
  for (const [at, file] of resources.entries()) {
    const fault = isObject(file) ? fileFault(file, folder, seen) : 'is no object';
    if (fault !== undefined) return `resources[${at}] ${fault}`;
  }
  const own = resources.filter(isObject).find((file) => file['uri'] === uri);
  if (own === undefined) return 'its resources have no SKILL.md';
  if (read === undefined) return undefined;
  if (own['size'] !== read.length) return `SKILL.md has ${read.length} bytes, and by the entry ${String(own['size'])}`;
  const digest = `sha256:${createHash('sha256').update(read).digest('hex')}`;
  return own['digest'] === digest ? undefined : `SKILL.md has the digest ${digest}, and not that of the entry`;
}

function fileFault(
  { uri, digest, size }: Readonly<Record<string, unknown>>,
  folder: string,
  seen: Set<string>,
): string | undefined {
  if (typeof uri !== 'string') return 'has no uri';
  if (!uri.startsWith(folder)) return `is ${uri}, which is not in the folder of the skill`;
  if (seen.has(uri)) return `is ${uri} once more`;
  seen.add(uri);
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest)) return 'has no digest of sha256';
  return Number.isInteger(size) && Number(size) >= 0 ? undefined : 'has no size in bytes';
}
