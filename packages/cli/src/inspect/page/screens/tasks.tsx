import type { JSX } from 'preact';
import type { CallView } from '../../view.ts';
import { duration } from '../look/fresh.tsx';
import { now } from '../look/now.ts';
import { useTick } from '../look/tick.ts';
import { FoldedJson } from '../json/json-view.tsx';
import { CopyButton, FactList } from '../parts.tsx';
import { line } from '../plain.ts';
import { calls, chosenServer } from '../state.ts';
import { Picker } from './picker.tsx';
import { CallResult, keptText, progressText } from './result.tsx';
import { WorkPlace } from './work.tsx';

/** Tells whether a call is a task, or is to be one. */
export function isTaskCall({ kind, task }: CallView): boolean {
  return kind === 'task' || task !== undefined;
}

/** Tasks of the chosen server as they move, the newest first. */
export function TaskList(): JSX.Element {
  const own = [...calls.value.values()].filter((call) => call.server === chosenServer.value && isTaskCall(call));
  useTick(own.some(({ state, task }) => state === 'running' || (task?.keptUntil ?? 0) > now()));
  return (
    <Picker
      of="tasks"
      items={own.toReversed().map((call) => ({
        key: String(call.id),
        name: call.name,
        words: wordsOf(call),
        marks: marksOf(call),
      }))}
      empty="No tasks yet. Call a tool as a task."
      show={(key) => {
        const call = own.find(({ id }) => String(id) === key);
        return call === undefined ? null : <Task call={call} />;
      }}
    />
  );
}

function wordsOf(call: CallView): string {
  const { state, task, ms } = call;
  if (state === 'running') return progressText(call) || 'begins';
  return [task?.status ?? state, ...(ms === undefined ? [] : [`${ms} ms`]), ...(task ? keptText(task) : [])].join(
    ' · ',
  );
}

function marksOf({ state, task }: CallView): readonly string[] {
  if (state !== 'running') return [];
  return task?.status === 'input_required' ? ['asks'] : ['running'];
}

function Task({ call }: { readonly call: CallView }): JSX.Element {
  const { id, name, text, task, state } = call;
  return (
    <WorkPlace
      bar={task !== undefined && <CopyButton text={task.id} what="its id" />}
      side={<CallResult key={id} call={call} isRunning={state === 'running'} />}
    >
      <h2>
        {line(name)} <span class="mark">{task?.status ?? state}</span>
      </h2>
      {task !== undefined && (
        <FactList
          rows={[
            ['task', <code key="id">{line(task.id, 200)}</code>],
            ...(task.message === undefined ? [] : [['says', line(task.message, 300)] as const]),
            ['kept', task.keptUntil === undefined ? 'without limit' : keptFor(task.keptUntil)],
          ]}
        />
      )}
      <FoldedJson text={text} label="Arguments" />
    </WorkPlace>
  );
}

function keptFor(until: number): string {
  const left = until - now();
  return left > 0 ? `${duration(left)} more` : 'not any more';
}
