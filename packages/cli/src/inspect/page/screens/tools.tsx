import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonView as Json, ProblemView } from '../../view.ts';
import { ArgumentsField } from '../arguments.tsx';
import { useAsked } from '../asked.ts';
import { drafts } from '../drafts.ts';
import { CopyButton } from '../parts.tsx';
import { shortened, line, textValue } from '../plain.ts';
import { again, api, callAgain, calls, chosenServer, hello, lists, problem, server, messageOf } from '../state.ts';
import { AppPlace, appOf } from '../apps/app-place.tsx';
import { ListedItem } from './listed.tsx';
import { ListPages } from './pages.tsx';
import { Picker, whyEmpty } from './picker.tsx';
import { CallResult } from './result.tsx';

/** Tools of a server: choose, fill in, call. */
export function Tools(): JSX.Element {
  const own = lists.value.get(chosenServer.value);
  const items = (own?.tools ?? []).map((tool) => ({
    key: textValue(tool['name']) ?? '',
    name: textValue(tool['title']) ?? textValue(tool['name']) ?? '',
    words: textValue(tool['description']) ?? '',
    marks: marksOf(tool, server.value?.news ?? []),
  }));
  return (
    <Picker
      of="tools"
      items={items}
      empty={whyEmpty('tools')}
      more={<ListPages of={['tools']} />}
      show={(name) => {
        const tool = own?.tools.find((one) => one['name'] === name);
        return tool === undefined ? null : <Tool key={`${chosenServer.value} ${name}`} tool={tool} />;
      }}
    />
  );
}

function marksOf(tool: Json, news: readonly string[]): readonly string[] {
  const hints: Json =
    typeof tool['annotations'] === 'object' && tool['annotations'] !== null ? { ...tool['annotations'] } : {};
  const execution: Json =
    typeof tool['execution'] === 'object' && tool['execution'] !== null ? { ...tool['execution'] } : {};
  return [
    ...(hints['readOnlyHint'] === true ? ['read-only'] : hints['destructiveHint'] === true ? ['destructive'] : []),
    ...(execution['taskSupport'] === 'required' || execution['taskSupport'] === 'optional' ? ['task'] : []),
    ...(appOf(tool) === undefined ? [] : ['app']),
    ...(news.includes(`tools ${String(tool['name'])}`) ? ['changed'] : []),
  ];
}

function Tool({ tool }: { readonly tool: Json }): JSX.Element {
  const name = textValue(tool['name']) ?? '';
  const id = chosenServer.value;
  const key = `${id} ${name}`;
  const [text, setText] = useState(drafts.get(key) ?? '');
  const problems = useProblems({ server: id, tool: name, text: text === '' ? '{}' : text }, tool);
  const last = [...calls.value.values()].findLast(
    (call) => call.server === id && call.name === name && isTool(call.kind),
  );
  const type = (next: string): void => {
    drafts.set(key, next);
    setText(next);
    if (again.value.get(id)?.name === name) callAgain(id, { name, text: next === '' ? '{}' : next });
  };
  const call = async (kind: 'tool' | 'task'): Promise<void> => {
    problem.value = undefined;
    try {
      await api.post('call', { server: id, kind, name, text: text === '' ? '{}' : text });
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const app = appOf(tool);
  const isRunning = last?.state === 'running';
  return (
    <article
      class="tool"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void call('tool');
      }}
    >
      <h2>
        {line(textValue(tool['title']) ?? name)} <code class="muted">{line(name)}</code>
        {marksOf(tool, server.value?.news ?? []).map((mark) => (
          <span key={mark} class="mark">
            {mark}
          </span>
        ))}
      </h2>
      <p class="description">{shortened(textValue(tool['description']) ?? '')}</p>
      <ArgumentsField
        schema={tool['inputSchema']}
        text={text}
        onText={type}
        problems={problems}
        label={`Arguments of ${name}`}
      />
      <ToolDoing tool={tool} text={text} isOdd={problems.length > 0} call={call} />
      {last !== undefined && <CallResult key={last.id} call={last} isRunning={isRunning} />}
      <ListedItem item={tool} />
      {app !== undefined && <AppPlace uri={app} tool={tool} call={last} />}
    </article>
  );
}

/** Things that are wrong with arguments, by the schema of the tool. */
function useProblems(
  body: { readonly server: string; readonly tool: string; readonly text: string },
  tool: Json,
): readonly ProblemView[] {
  const { problems } = useAsked<{ readonly problems: readonly ProblemView[] }>({
    verb: 'validate',
    body,
    keys: [body.server, body.tool, body.text, tool],
    quietMs: 150,
    // A server that went away says so elsewhere.
    failed() {},
  }) ?? { problems: [] };
  return problems;
}

function ToolDoing(props: {
  readonly tool: Json;
  readonly text: string;
  readonly isOdd: boolean;
  readonly call: (kind: 'tool' | 'task') => Promise<void>;
}): JSX.Element {
  const { tool, text, isOdd, call } = props;
  const isReadOnly = hello.value?.isReadOnly === true;
  const isDisabled = isReadOnly || server.value?.state !== 'connected';
  const hasTasks = marksOf(tool, []).includes('task') || hasTaskExtension();
  return (
    <p class="doing">
      <button type="button" class="main" disabled={isDisabled} onClick={() => void call('tool')}>
        {isOdd ? 'Send anyway' : 'Call'} <kbd>Ctrl Enter</kbd>
      </button>
      {hasTasks && (
        <button type="button" disabled={isDisabled} onClick={() => void call('task')}>
          Call as a task
        </button>
      )}
      <CopyButton text={text === '' ? '{}' : text} what="arguments" />
      <CopyButton
        text={async () => {
          const body = {
            server: chosenServer.value,
            name: textValue(tool['name']) ?? '',
            text: text === '' ? '{}' : text,
          };
          return (await api.post<{ readonly line: string }>('call-line', body)).line;
        }}
        what="as parley call"
      />
      {isReadOnly ? <span class="muted">started with --read-only</span> : <Again tool={tool} text={text} />}
      {isDisabled && !isReadOnly && <span class="muted">not connected: press Connect first</span>}
    </p>
  );
}

/** The wish that the call is made again whenever the server starts, as it does when its files change. */
function Again({ tool, text }: { readonly tool: Json; readonly text: string }): JSX.Element {
  const id = chosenServer.value;
  const name = textValue(tool['name']) ?? '';
  return (
    <label class="again">
      <input
        type="checkbox"
        checked={again.value.get(id)?.name === name}
        onChange={(event) =>
          callAgain(id, event.currentTarget.checked ? { name, text: text === '' ? '{}' : text } : undefined)
        }
      />
      again at each start
    </label>
  );
}

function isTool(kind: string): boolean {
  return kind === 'tool' || kind === 'task';
}

function hasTaskExtension(): boolean {
  const extensions = server.value?.capabilities?.['extensions'];
  return (
    typeof extensions === 'object' && extensions !== null && Object.keys(extensions).some((id) => id.endsWith('/tasks'))
  );
}
