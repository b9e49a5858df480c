/** Verbs by which a person looks at the wire. */

import { pageOf, rowOf } from '../../check/register.ts';
import { toCurl } from '../../recorder/curl.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';
import { toHar } from '../../recorder/har.ts';
import { toTranscript } from '../../recorder/transcript-of.ts';
import type { Feed } from '../feed.ts';
import { VerbError } from '../http/body.ts';
import type { Verb } from '../http/listen.ts';
import type { WholeRecording } from '../recording.ts';
import type { InspectedServers } from '../servers/servers.ts';
import type { EntryView, RequirementView } from '../view.ts';
import { ruleById, type BrokenRequirement } from '../wire/judge.ts';
import { isAdvice } from '../wire/row.ts';
import { callLine } from '../wire/call-line.ts';
import { lensOf } from '../wire/through.ts';
import { toWebPage } from '../wire/web-page.ts';
import { verb } from './verb.ts';

/** Most rows that a search finds. */
const maxFound = 5_000;

/** Makes the verbs of the wire. */
export function lookingVerbs(
  recording: WholeRecording,
  { feed, version, servers }: { readonly feed: Feed; readonly version: string; readonly servers: InspectedServers },
): readonly (readonly [string, Verb])[] {
  return [
    [
      'feed',
      verb({ since: 'number?' }, ({ since = 0 }, { stream, signal }) => {
        // Once a stream has begun, no words can be said.
        if (feed.isFull) throw new VerbError(429, 'as many pages are open as are served at once; close one of them');
        const response = stream();
        const write = (line: string): number => {
          response.write(line);
          return response.writableLength;
        };
        const stop = feed.listen({ write, end: () => response.end() }, since);
        signal.addEventListener('abort', stop, { once: true });
        return undefined;
      }),
    ],
    ['entry', verb({ n: 'number', reveal: 'flag?' }, ({ n, reveal = false }) => entryView(recording, n, reveal))],
    ['lens', verb({ n: 'number', revision: 'text' }, ({ n, revision }) => lensOf(recording.shown(n), revision))],
    [
      'search',
      verb({ text: 'text', since: 'number?' }, ({ text, since = 0 }) => ({
        found: text === '' ? [] : recording.search(text.slice(0, 1_000), { since, most: maxFound }),
      })),
    ],
    [
      'export',
      verb({ what: 'text', server: 'text?', revealed: 'flag?' }, ({ what, server }) => {
        const entries = recording.all(server);
        if (what !== 'page') return { text: exported(what, entries, version) };
        const own = servers.all.filter(({ id }) => server === undefined || id === server);
        return {
          text: toWebPage(entries, { version, servers: own.map(({ recorder, view }) => recorder.shown(view)) }),
        };
      }),
    ],
    [
      'clear',
      verb({}, () => {
        recording.clear();
        feed.clear();
        return {};
      }),
    ],
  ];
}

function exported(what: string, entries: readonly RecordingEntry[], version: string): string {
  switch (what) {
    case 'recording':
      return `${JSON.stringify({ recording: 'parley', version: 1 })}\n${entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')}`;
    case 'transcript':
      return transcripts(entries);
    case 'har':
      return JSON.stringify(toHar(entries, { name: 'parley inspect', version }), undefined, 2);
    default:
      throw new VerbError(400, `there is no export ${what}`);
  }
}

/** One transcript for each connection. */
function transcripts(entries: readonly RecordingEntry[]): string {
  const connections = new Map<string, RecordingEntry[]>();
  for (const entry of entries) {
    const name = `${entry.server} ${entry.connection}`;
    const own = connections.get(name);
    if (own === undefined) connections.set(name, [entry]);
    else own.push(entry);
  }
  return [...connections]
    .filter(([, own]) => own.some(({ lane }) => lane === 'message'))
    .map(([name, own]) => toTranscript(`Server ${name.replace(' ', ', connection ')}`, own))
    .join('\n');
}

function entryView(recording: WholeRecording, n: number, reveal: boolean): EntryView {
  const raw = recording.entry(n);
  const faults = recording.faultsOf(n);
  const shown = recording.shown(n);
  const curl = toCurl(shown);
  const line = callLine(shown, recording.lineOf(raw.server));
  return {
    n,
    entry: { ...(reveal ? raw : shown) },
    hides: JSON.stringify(raw) !== JSON.stringify(shown),
    broken: (raw.broken ?? []).map((id) =>
      requirementView(
        id,
        faults.find((fault) => fault.id === id),
      ),
    ),
    ...(curl === undefined ? {} : { curl }),
    ...(line === undefined ? {} : { line }),
  };
}

function requirementView(id: string, fault: BrokenRequirement | undefined): RequirementView {
  const source = pageOf(rowOf(id));
  return {
    id,
    words: ruleById.get(id)?.message ?? id,
    isAdvice: isAdvice(id),
    ...(source === undefined ? {} : { source }),
    ...(fault === undefined ? {} : { breaks: fault.breaks.slice(0, 1_000) }),
    ...(fault?.where === undefined ? {} : { where: fault.where.slice(0, 500) }),
  };
}
