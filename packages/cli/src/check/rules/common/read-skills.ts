import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Harness } from '../../harness/harness.ts';
import { entryText } from '../../harness/offer.ts';
import type { RequestExchange, ProbeClient } from '../../harness/probe-client.ts';

/** Extension by which servers serve skills. */
export const skillsExtension = 'io.modelcontextprotocol/skills';

/** Skills that a server lists, and the first page of that list. */
export interface ListedSkills {
  readonly answer: RequestExchange;
  readonly entries: readonly JsonObject[];
}

/** A listed skill, and the answer to reading its SKILL.md. */
export interface ReadSkill {
  readonly uri: string;
  readonly entry: JsonObject;
  readonly answer: RequestExchange;
  /** Bytes of the file; `undefined` where it could not be read. */
  readonly file: Buffer | undefined;
}

/** Limits of the pages that are asked for, and of the skills that are read. */
const most = { pages: 5, skills: 5 };

/** Opens a conversation of a client that takes skills, once for all rules. */
export async function skillHost(harness: Harness): Promise<ProbeClient> {
  const host = await harness.kept('host of skills', () => harness.fresh({ extensions: { [skillsExtension]: {} } }));
  await harness.ready(host);
  return host;
}

/** Lists the skills of a server, once for all rules. */
export async function listedSkills(harness: Harness): Promise<ListedSkills> {
  return await harness.kept('skills', async () => {
    const probeClient = await skillHost(harness);
    const first = await probeClient.request('skills/list');
    const entries: JsonObject[] = [];
    let answer = first;
    for (let page = 1; ; page++) {
      const { skills, nextCursor: cursor } = answer.result ?? {};
      if (Array.isArray(skills)) entries.push(...skills.filter(isObject));
      if (typeof cursor !== 'string' || page === most.pages) break;
      answer = await probeClient.request('skills/list', { cursor });
    }
    return { answer: first, entries };
  });
}

/** Reads the first of the listed skills, once for all rules. */
export async function readSkills(harness: Harness): Promise<readonly ReadSkill[]> {
  const { entries } = await listedSkills(harness);
  return await harness.kept('skills that are read', async () => {
    const probeClient = await skillHost(harness);
    const found: ReadSkill[] = [];
    for (const entry of entries.slice(0, most.skills)) {
      const uri = entryText(entry, 'uri');
      if (uri === undefined) continue;
      const answer = await probeClient.request('resources/read', { uri });
      found.push({ uri, entry, answer, file: fileIn(answer, uri) });
    }
    return found;
  });
}

const fileName = '/SKILL.md';

/** Address of a folder that has a SKILL.md, without the slash after it; `undefined` for another address. */
export function skillPlace(uri: string): string | undefined {
  const [bare = ''] = uri.split(/[?#]/, 1);
  return bare.endsWith(fileName) ? bare.slice(0, -fileName.length) : undefined;
}

/** Name of the folder in which a SKILL.md is: the last part of its path. */
export function skillFolder(uri: string): string | undefined {
  return skillPlace(uri)?.split(/[/:]/).at(-1);
}

function fileIn({ result }: RequestExchange, uri: string): Buffer | undefined {
  const contents = result?.['contents'];
  const files = Array.isArray(contents) ? contents.filter(isObject) : [];
  const { text, blob } = files.find((one) => one['uri'] === uri) ?? files[0] ?? {};
  if (typeof text === 'string') return Buffer.from(text);
  return typeof blob === 'string' ? Buffer.from(blob, 'base64') : undefined;
}
