import type { JSX } from 'preact';
import type { CallView } from '../../view.ts';
import { keepDraft } from '../drafts.ts';
import { chosenPlaces, focusSoon } from '../look/focus.ts';
import { calls, chosen, chosenServer, tab } from '../state.ts';
import { AnyRequest, anyRequestKey, writeAgain } from './any-request.tsx';
import { Picker } from './picker.tsx';
import { CallResult } from './result.tsx';
import { WorkPlace } from './work.tsx';
import { FoldedJson } from '../json/json-view.tsx';
import { plain } from '../plain.ts';

/** Everything that was called at a server, the newest first: tasks as they move, too. */
export function CallList(): JSX.Element {
  const own = [...calls.value.values()].filter((call) => call.server === chosenServer.value).toReversed();
  return (
    <Picker
      of="calls"
      items={[
        { key: anyRequestKey, name: 'Any request', words: 'a method and its parameters, sent as they are', marks: [] },
        ...own.map(({ id, name, kind, state, ms, task, progress }) => ({
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
        })),
      ]}
      empty=""
      more={own.length === 0 && <p class="empty">No calls yet. Call a tool.</p>}
      show={(key) => {
        if (key === anyRequestKey) return <AnyRequest key={chosenServer.value} />;
        const call = own.find(({ id }) => String(id) === key);
        if (call === undefined) return null;
        return (
          <WorkPlace
            bar={
              call.kind !== 'prompt' &&
              call.kind !== 'resource' && (
                <button type="button" onClick={() => (call.kind === 'request' ? writeAgain : fillInAgain)(call)}>
                  Fill in again
                </button>
              )
            }
            side={<CallResult key={call.id} call={call} isRunning={call.state === 'running'} />}
          >
            <h2>
              {plain(call.name)} <span class="mark">{call.kind}</span>
            </h2>
            <FoldedJson text={call.text} label="Arguments" />
          </WorkPlace>
        );
      }}
    />
  );
}

/** Shows the form of the tool with the arguments of a call, to be changed or called as they are. */
function fillInAgain({ server, name, text }: CallView): void {
  keepDraft(`${server} ${name}`, text);
  chosen.value = { ...chosen.value, tools: name };
  tab.value = 'tools';
  focusSoon(...chosenPlaces);
}
