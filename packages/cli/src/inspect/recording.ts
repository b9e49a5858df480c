import { jsonIn } from '../../../parley/src/json/parse.ts';
import { isObject } from '../../../parley/src/jsonrpc/message.ts';
import type { RecordingEntry } from '../recorder/entry.ts';
import type { Log } from '../recorder/log.ts';
import { VerbError } from './http/body.ts';
import type { BrokenRequirement } from './wire/judge.ts';
import type { InspectedServers } from './servers/servers.ts';
import { aboutTasks } from './trial/playable.ts';

/** Recordings of all servers as one, in the order in which things crossed. */
export class WholeRecording {
  readonly #servers: InspectedServers;
  /** Sequence of the last entry that the person cleared away: it is neither found nor saved any more. */
  #cleared = 0;

  constructor(servers: InspectedServers) {
    this.#servers = servers;
  }

  /** The entry with a sequence, as it is kept. @throws VerbError where it left memory. */
  entry(n: number): RecordingEntry {
    return this.#at(n).entry;
  }

  /** The same as it is shown, without what is hidden. @throws VerbError likewise. */
  shown(n: number): RecordingEntry {
    const { log, entry } = this.#at(n);
    return log.redaction.toShow(entry);
  }

  /** Faults of an entry: what is wrong, and where. */
  faultsOf(n: number): readonly BrokenRequirement[] {
    return this.#servers.all.flatMap(({ recorder }) => recorder.faultsOf(n));
  }

  /** Everything that is kept, as it is shown. */
  all(server?: string): readonly RecordingEntry[] {
    return this.#servers.all
      .filter(({ id }) => server === undefined || id === server)
      .flatMap(({ recorder: { log } }) => log.since(this.#cleared).map((entry) => log.redaction.toShow(entry)))
      .toSorted((one, another) => one.sequence - another.sequence);
  }

  /** Clears away everything that crossed so far. */
  clear(): void {
    const last = this.#servers.all.map(({ recorder: { log } }) => log.since(0).at(-1)?.sequence ?? log.left.last);
    this.#cleared = Math.max(this.#cleared, ...last);
  }

  /** Sequences of the entries after another that hold a text, in small letters or large, the newest first. */
  search(text: string, { since, most }: { readonly since: number; readonly most: number }): readonly number[] {
    const wanted = text.toLowerCase();
    const found: number[] = [];
    for (const { recorder } of this.#servers.all) {
      for (const entry of recorder.log.since(Math.max(this.#cleared, since)).toReversed()) {
        if (found.length >= most) return found;
        if (holds(entry, wanted, recorder.log)) found.push(entry.sequence);
      }
    }
    return found;
  }

  /** The call that became the task which a request is about; the same request where it is about none. @throws VerbError where it left memory. */
  beginningOf(request: RecordingEntry): RecordingEntry {
    if (!aboutTasks.has(request.method ?? '')) return request;
    const { taskId } = partOf(request, 'params');
    const own = this.#servers.all.find(({ id }) => id === request.server)?.recorder.log.since(0) ?? [];
    const created = own.findLast(
      (entry) => entry.method === 'tools/call' && entry.from === 'server' && taskIn(entry) === taskId,
    );
    if (created?.pair === undefined || typeof taskId !== 'string')
      throw new VerbError(410, 'the call that became this task left memory');
    return this.entry(created.pair);
  }

  /** Tells whether a call became a task, or was to become one. */
  becameTask(request: RecordingEntry): boolean {
    if (request.method !== 'tools/call') return false;
    const { pair } = request;
    return (
      isObject(partOf(request, 'params')['task']) || (pair !== undefined && taskIn(this.entry(pair)) !== undefined)
    );
  }

  /** The words by which `parley call` reaches a server. */
  lineOf(server: string): string {
    return this.#servers.all.find(({ id }) => id === server)?.plan.line ?? '<url>';
  }

  #at(n: number): { readonly log: Log; readonly entry: RecordingEntry } {
    for (const { recorder } of this.#servers.all) {
      const entry = recorder.log.entry(n);
      if (entry !== undefined) return { log: recorder.log, entry };
    }
    throw new VerbError(410, 'this entry left memory; --record FILE keeps all');
  }
}

function partOf({ text }: RecordingEntry, part: 'params' | 'result'): Readonly<Record<string, unknown>> {
  const message = jsonIn(text ?? '');
  const value = isObject(message) ? message[part] : undefined;
  return isObject(value) ? value : {};
}

/** Id of the task that an answer to a call stands for. */
function taskIn(entry: RecordingEntry): unknown {
  const { task, taskId, resultType } = partOf(entry, 'result');
  return isObject(task) ? task['taskId'] : resultType === 'task' ? taskId : undefined;
}

function holds(entry: RecordingEntry, wanted: string, log: Log): boolean {
  const text = `${entry.text ?? ''} ${entry.problem ?? ''} ${entry.method ?? ''} ${entry.http?.url ?? ''}`;
  if (!text.toLowerCase().includes(wanted)) return false;
  // Hidden text must not be found by a search.
  const { text: body = '', problem = '', method = '', http } = log.redaction.toShow(entry);
  return `${body} ${problem} ${method} ${http?.url ?? ''}`.toLowerCase().includes(wanted);
}
