import { createHash } from 'node:crypto';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { eachMessage, json, type Fault, type Passing } from './faulty.ts';

type Json = Record<string, unknown>;

/** A server's skills, as they go over the wire: what a fault changes. */
export interface ServedSkills {
  readonly settings: Json;
  readonly skills: Json[];
  /** Skills that skills/get does not find. */
  readonly lost: Set<unknown>;
  /** Files by their addresses. */
  readonly files: Record<string, string>;
  /** Result of a folder that is read. */
  folder: Json;
  /** Answer to skills/get of what is no skill. */
  unknown: Json;
  /** Methods that are not there. */
  readonly missing: Set<string>;
  /** Changes what the server declares beside. */
  declares(capabilities: Json): void;
}

function entryOf(name: string, frontmatter: Json, files: Readonly<Record<string, string>>): Json {
  const resources = Object.entries(files)
    .filter(([uri]) => uri.startsWith(`skill://team/${name}/`))
    .map(([uri, text]) => ({
      uri,
      digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
      size: Buffer.byteLength(text),
    }));
  return { uri: `skill://team/${name}/SKILL.md`, frontmatter, resources };
}

/** A server with two skills, one of which is made anew each time, and a fault in it. */
export function skilled(alter: (served: ServedSkills) => void = () => undefined): Fault {
  const refunds =
    '---\nname: refunds\ndescription: Gives money back\nmetadata:\n  version: "2"\n---\n\n# Rückzahlung\n';
  const files = {
    'skill://team/refunds/SKILL.md': refunds,
    'skill://team/refunds/examples/letter.md': 'Dear you',
    'skill://team/daily/SKILL.md': '---\r\nname: daily\r\ndescription: "Says: what was"\r\n---\r\n',
  };
  const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'small', version: '1.0.0' } };
  const common = { resultType: 'complete', ttlMs: 1_000, cacheScope: 'public', _meta: meta };
  const served: ServedSkills = {
    settings: { directoryRead: true },
    skills: [
      entryOf('refunds', { name: 'refunds', description: 'Gives money back', metadata: { version: '2' } }, files),
      { ...entryOf('daily', { name: 'daily', description: 'Says: what was' }, files), resources: 'dynamic' },
    ],
    files,
    lost: new Set(),
    folder: { ...common, resources: [] },
    unknown: { error: { code: -32_602, message: 'There is no such skill.' } },
    missing: new Set(),
    declares: () => undefined,
  };
  alter(served);
  return {
    request({ message: { method, id, params } }: Passing) {
      if (typeof method !== 'string' || served.missing.has(method)) return undefined;
      const uri = isObject(params) ? String(params['uri']) : '';
      const skill = served.lost.has(uri) ? undefined : served.skills.find((one) => one['uri'] === uri);
      const text = served.files[uri];
      const answers: Readonly<Record<string, Json | undefined>> = {
        'skills/list': { result: { ...common, skills: served.skills } },
        'skills/get': skill === undefined ? served.unknown : { result: { ...common, skill } },
        'resources/read': text === undefined ? undefined : { result: { ...common, contents: [{ uri, text }] } },
        'resources/directory/read': served.skills.some((one) => one['uri'] === `${uri}/SKILL.md`)
          ? { result: served.folder }
          : { error: { code: -32_602, message: 'There is no such folder.' } },
      };
      const said = answers[method];
      return said && json('error' in said ? 400 : 200, { jsonrpc: '2.0', id, ...said });
    },
    response(returning, { message: { method } }) {
      if (method === 'server/discover')
        eachMessage(returning, ({ result }) => {
          if (!isObject(result) || !isObject(result['capabilities'])) return;
          const capabilities: Json = result['capabilities'];
          capabilities['extensions'] = { 'io.modelcontextprotocol/skills': served.settings };
          served.declares(capabilities);
        });
    },
  };
}

/** Faults of skills, with the row that each breaks. */
export const skillFaults: Readonly<Record<string, readonly [row: string, alter: (served: ServedSkills) => void]>> = {
  'no-list-of-skills': ['resources-026', ({ missing }) => missing.add('skills/list')],
  'no-get-of-skills': ['resources-026', ({ missing }) => missing.add('skills/get')],
  'skills-without-resources': ['resources-026', (of) => (of.declares = (all) => void delete all['resources'])],
  'no-folders': ['resources-027', ({ missing }) => missing.add('resources/directory/read')],
  'no-frontmatter': ['resources-029', ({ files }) => (files['skill://team/daily/SKILL.md'] = '# Daily\n')],
  'no-description': [
    'resources-029',
    ({ files }) => (files['skill://team/daily/SKILL.md'] = '---\nname: daily\n---\n'),
  ],
  'other-folder': ['resources-029', ({ skills }) => (skills[1] = { ...skills[1], frontmatter: { name: 'weekly' } })],
  'listed-and-not-there': ['resources-029', ({ files }) => delete files['skill://team/daily/SKILL.md']],
  'other-description': [
    'resources-030',
    ({ skills }) => (skills[0] = { ...skills[0], frontmatter: { name: 'refunds', description: 'x', metadata: {} } }),
  ],
  'a-field-less': [
    'resources-030',
    ({ skills }) => (skills[0] = { ...skills[0], frontmatter: { name: 'refunds', description: 'Gives money back' } }),
  ],
  'another-word-than-dynamic': ['resources-031', ({ skills: [, daily] }) => daily && (daily['resources'] = 'static')],
  'no-list-and-a-wrong-digest': [
    'resources-031',
    ({ skills: [first, daily], files }) => {
      delete daily?.['resources'];
      for (const file of Array.isArray(first?.['resources']) ? first['resources'] : []) delete file.size;
      files['skill://team/refunds/SKILL.md'] += '\n';
    },
  ],
  'a-file-twice': [
    'resources-031',
    ({ skills: [first] }) => {
      if (Array.isArray(first?.['resources'])) first['resources'].push(first['resources'][0]);
    },
  ],
  'another-digest': [
    'resources-031',
    ({ files }) =>
      (files['skill://team/refunds/SKILL.md'] = '---\nname: refunds\ndescription: Gives money hack\n---\n\n'),
  ],
  'listed-and-not-got': ['resources-032', ({ lost }) => lost.add('skill://team/refunds/SKILL.md')],
  'any-skill-is-there': ['resources-032', (of) => (of.unknown = { result: { resultType: 'complete', skill: {} } })],
  'other-code-for-no-skill': ['resources-032', (of) => (of.unknown = { error: { code: -32_002, message: 'no' } })],
  'folder-of-no-type': ['resources-033', (of) => (of.folder = { resultType: 'directory', resources: [] })],
  'too-large': [
    'resources-034',
    ({ skills: [first] }) => {
      if (Array.isArray(first?.['resources']) && isObject(first['resources'][1]))
        first['resources'][1]['size'] = 16 * 1024 * 1024;
    },
  ],
};
