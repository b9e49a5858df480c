import type { JSX } from 'preact';
import { calls, chosenServer } from '../state.ts';
import { Picker } from './picker.tsx';
import { CallResult } from './result.tsx';
import { JsonView } from '../json/json-view.tsx';
import { plain } from '../plain.ts';

/** Everything that was called at a server, the newest first: tasks as they move, too. */
export function CallList(): JSX.Element {
  const own = [...calls.value.values()].filter((call) => call.server === chosenServer.value).toReversed();
  return (
    <Picker
      of="calls"
      items={own.map(({ id, name, kind, state, ms, task, progress }) => ({
        key: String(id),
        name,
        words: [
          `${kind}, ${state}`,
          ...(ms === undefined ? [] : [`${ms} ms`]),
          ...(task === undefined ? [] : [`task ${task.status}`]),
          ...(state === 'running' && progress !== undefined
            ? [`${progress.progress} of ${progress.total ?? '?'}`]
            : []),
        ].join(', '),
        marks: state === 'running' ? ['running'] : [],
      }))}
      empty="Nothing was called yet."
      show={(key) => {
        const call = own.find(({ id }) => String(id) === key);
        if (call === undefined) return null;
        return (
          <article class="tool">
            <h2>
              {plain(call.name)} <span class="mark">{call.kind}</span>
            </h2>
            <JsonView text={call.text} label="Arguments" />
            <CallResult key={call.id} call={call} isRunning={call.state === 'running'} />
          </article>
        );
      }}
    />
  );
}
