import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { CallView, JsonView as Json, ProblemView } from '../../view.ts';
import { ArgumentsField } from '../arguments.tsx';
import { ResultDifference } from '../content/difference.tsx';
import { useAsked } from '../asked.ts';
import { useDraft } from '../drafts.ts';
import { firstText } from '../form/model/first-text.ts';
import { focusSoon } from '../look/focus.ts';
import { CopyButton } from '../parts.tsx';
import { shortened, line, textValue } from '../plain.ts';
import { again, api, callAgain, calls, chosenServer, hello, lists, problem, server, messageOf } from '../state.ts';
import { AppPlace, appOf } from '../apps/app-place.tsx';
import { ListedItem } from './listed.tsx';
import { ListPages } from './pages.tsx';
import { Picker, whyEmpty } from './picker.tsx';
import { CallResult } from './result.tsx';
import { Menu, NameAndTitle, WorkPlace } from './work.tsx';

/** Tools of a server: choose, fill in, call. */
export function Tools(): JSX.Element {
  const own = lists.value.get(chosenServer.value);
  const items = (own?.tools ?? []).map((tool) => ({
    key: textValue(tool['name']) ?? '',
    name: textValue(tool['name']) ?? '',
    title: textValue(tool['title']),
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
  const first = useMemo(() => firstText(tool['inputSchema']), [tool]);
  const [text, keep] = useDraft(key, first);
  const [isTried, setTried] = useState(false);
  const sent = text === '' ? '{}' : text;
  const problems = useProblems({ server: id, tool: name, text: sent }, tool);
  const own = [...calls.value.values()].filter((call) => call.server === id && call.name === name && isTool(call.kind));
  const last = own.at(-1);
  const type = (next: string | undefined): void => {
    keep(next);
    if (again.value.get(id)?.name === name) callAgain(id, { name, text: next === '' ? '{}' : (next ?? first) });
  };
  const call = async (kind: 'tool' | 'task', isForced = false): Promise<void> => {
    const isWrong = !isForced && (await problemsNow({ server: id, tool: name, text: sent })).length > 0;
    setTried(true);
    if (isWrong) focusSoon('.tool-main [aria-invalid=true]', '.tool-main .form-problems');
    else await begin({ server: id, kind, name, text: sent });
  };
  return (
    <WorkPlace
      onCall={() => void call('tool')}
      bar={
        <ToolBar
          tool={tool}
          text={sent}
          isOdd={isTried && problems.length > 0}
          earlier={own}
          call={call}
          onFill={(next) => {
            type(next);
            setTried(false);
          }}
        />
      }
      side={(last !== undefined || appOf(tool) !== undefined) && <Came tool={tool} calls={own} />}
    >
      <Head tool={tool} />
      <ArgumentsField
        schema={tool['inputSchema']}
        text={text}
        onText={type}
        problems={problems}
        label={`Arguments of ${name}`}
        isTried={isTried}
        folds
      />
      <ListedItem item={tool} />
    </WorkPlace>
  );
}

/** The result of the last call, and the app of the tool. */
function Came(props: { readonly tool: Json; readonly calls: readonly CallView[] }): JSX.Element {
  const { tool, calls: own } = props;
  const app = appOf(tool);
  const last = own.at(-1);
  const before = own.slice(0, -1).findLast(({ text, state }) => text === last?.text && state !== 'running');
  return (
    <>
      {last !== undefined && <CallResult key={last.id} call={last} isRunning={last.state === 'running'} />}
      {last !== undefined && last.state !== 'running' && before !== undefined && (
        <ResultDifference call={last} before={before} />
      )}
      {app !== undefined && <AppPlace uri={app} tool={tool} call={last} />}
    </>
  );
}

function Head({ tool }: { readonly tool: Json }): JSX.Element {
  return (
    <>
      <h2>
        <NameAndTitle name={line(textValue(tool['name']) ?? '')} title={line(textValue(tool['title']) ?? '')} />
        {marksOf(tool, server.value?.news ?? []).map((mark) => (
          <span key={mark} class="mark">
            {mark}
          </span>
        ))}
      </h2>
      <p class="description">{shortened(textValue(tool['description']) ?? '')}</p>
    </>
  );
}

interface CheckedArguments {
  readonly server: string;
  readonly tool: string;
  readonly text: string;
}

/** Begins a call. Errors are shown. */
async function begin(wanted: Pick<CallView, 'server' | 'kind' | 'name' | 'text'>): Promise<void> {
  problem.value = undefined;
  try {
    await api.post('call', wanted);
  } catch (error) {
    problem.value = messageOf(error);
  }
}

/** Problems of arguments, asked at once: the last answer of the check may be that to an earlier text. A server that went away says so elsewhere. */
async function problemsNow(body: CheckedArguments): Promise<readonly ProblemView[]> {
  try {
    return (await api.post<{ readonly problems: readonly ProblemView[] }>('validate', body)).problems;
  } catch {
    return [];
  }
}

/** Things that are wrong with arguments, by the schema of the tool. */
function useProblems(body: CheckedArguments, tool: Json): readonly ProblemView[] {
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

function ToolBar(props: {
  readonly tool: Json;
  readonly text: string;
  readonly isOdd: boolean;
  readonly earlier: readonly CallView[];
  readonly call: (kind: 'tool' | 'task', isForced?: boolean) => Promise<void>;
  readonly onFill: (text: string | undefined) => void;
}): JSX.Element {
  const { tool, text, isOdd, earlier, call, onFill } = props;
  const isReadOnly = hello.value?.isReadOnly === true;
  const isDisabled = isReadOnly || server.value?.state !== 'connected';
  const hasTasks = marksOf(tool, []).includes('task') || hasTaskExtension();
  return (
    <>
      <button type="button" class="main" disabled={isDisabled} onClick={() => void call('tool')}>
        Call <kbd>Ctrl Enter</kbd>
      </button>
      {isOdd && (
        <button type="button" disabled={isDisabled} onClick={() => void call('tool', true)}>
          Send anyway
        </button>
      )}
      {hasTasks && (
        <button type="button" disabled={isDisabled} onClick={() => void call('task')}>
          Call as a task
        </button>
      )}
      <button type="button" onClick={() => onFill(undefined)}>
        Reset
      </button>
      <Menu words="More">
        <CopyButton text={text} what="arguments" />
        <CopyButton
          text={async () => {
            const body = { server: chosenServer.value, name: textValue(tool['name']) ?? '', text };
            return (await api.post<{ readonly line: string }>('call-line', body)).line;
          }}
          what="as parley call"
        />
        <Earlier calls={earlier} onFill={onFill} />
      </Menu>
      {isReadOnly ? <span class="muted">started with --read-only</span> : <Again tool={tool} text={text} />}
      {isDisabled && !isReadOnly && <span class="muted">not connected: press Connect first</span>}
    </>
  );
}

/** Most earlier calls that are offered. */
const maxEarlier = 8;

/** Earlier calls of a tool: one click fills the form with their arguments. */
function Earlier(props: { readonly calls: readonly CallView[]; readonly onFill: (text: string) => void }): JSX.Element {
  const texts = [...new Set(props.calls.map(({ text }) => text).toReversed())].slice(0, maxEarlier);
  return (
    <>
      {texts.length > 0 && <span class="muted">Earlier calls</span>}
      {texts.map((text) => (
        <button key={text} type="button" class="small earlier" onClick={() => props.onFill(text)}>
          {line(text, 60)}
        </button>
      ))}
    </>
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
        onChange={(event) => callAgain(id, event.currentTarget.checked ? { name, text } : undefined)}
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
