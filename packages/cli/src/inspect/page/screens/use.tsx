import type { JSX } from 'preact';
import type { QuestionView, ServerView } from '../../view.ts';
import { isTabbed } from '../look/narrow.ts';
import { calls, chosenServer, lists, logs, place, waitingQuestions, server, tab, tabs, type Tab } from '../state.ts';
import { AboutScreen } from './about.tsx';
import { ConnectionFailure } from '../failures/failure.tsx';
import { Silence } from '../failures/silence.tsx';
import { CallList } from './calls.tsx';
import { Logs } from './logs.tsx';
import { Prompts } from './prompts.tsx';
import { Alike, QuestionCard } from '../questions/question.tsx';
import { QuestionSheet } from '../questions/sheet.tsx';
import { RecordingSummary } from './recorded.tsx';
import { Resources } from './resources.tsx';
import { isTaskCall, TaskList } from './tasks.tsx';
import { Tools } from './tools.tsx';

const names: Readonly<Record<Tab, string>> = {
  tools: 'Tools',
  prompts: 'Prompts',
  resources: 'Resources',
  tasks: 'Tasks',
  calls: 'Calls',
  log: 'Log',
  about: 'About',
};

const screens: Readonly<Record<Tab, () => JSX.Element>> = {
  tools: Tools,
  prompts: Prompts,
  resources: Resources,
  tasks: TaskList,
  calls: CallList,
  log: Logs,
  about: AboutScreen,
};

/** Use of the chosen server, with the questions that wait there; as the part of waitingQuestions, those of every server. */
export function UseScreen(): JSX.Element {
  const isOfQuestions = isTabbed.value && place.value === 'questions';
  const view = server.value;
  const all = [...waitingQuestions.value.values()];
  const asked = all.filter((one) => one.server === view?.id);
  return (
    <section
      class={`use ${isOfQuestions ? 'of-questions' : ''} ${view?.state === 'recording' ? 'of-recording' : ''}`}
      aria-label={isOfQuestions ? 'Questions' : 'Use'}
    >
      {isOfQuestions && all.length === 0 && (
        <p class="empty">No question waits. A server can ask for a form, a page or an answer of a model.</p>
      )}
      {isOfQuestions && all.map((question) => <QuestionCard key={question.id} question={question} />)}
      {view !== undefined && <Alike server={view.id} />}
      <div class="use-rest">{view === undefined ? <NoServer /> : <UseOf view={view} asked={asked} />}</div>
    </section>
  );
}

function NoServer(): JSX.Element {
  return <p class="empty">Select a server, or add an address.</p>;
}

function UseOf(props: { readonly view: ServerView; readonly asked: readonly QuestionView[] }): JSX.Element {
  const { view, asked } = props;
  if (view.state === 'recording') return <RecordingSummary server={view.id} />;
  const Screen = screens[tab.value];
  return (
    <>
      {view.state === 'failed' && <ConnectionFailure view={view} />}
      {view.silent !== undefined && <Silence id={view.id} name={view.name} silent={view.silent} />}
      <div class="tabs" role="tablist" aria-label={`What ${view.name} has`} onKeyDown={stepTabs}>
        {tabs.map((one) => (
          <button
            key={one}
            id={`tab-${one}`}
            type="button"
            role="tab"
            aria-selected={tab.value === one}
            aria-controls="tab-panel"
            tabIndex={tab.value === one ? 0 : -1}
            onClick={() => (tab.value = one)}
          >
            {names[one]} <span class="count">{countOf(one)}</span>
          </button>
        ))}
      </div>
      <div class="panel">
        <div class="panel-body" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
          <Screen key={view.id} />
        </div>
        <QuestionSheet questions={asked} />
      </div>
    </>
  );
}

function stepTabs(event: KeyboardEvent): void {
  const at = tabs.indexOf(tab.value);
  const goals: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
  const goal = goals[event.key];
  if (goal === undefined) return;
  event.preventDefault();
  const next = tabs.at(goal % tabs.length) ?? 'tools';
  tab.value = next;
  document.getElementById(`tab-${next}`)?.focus();
}

function countOf(one: Tab): string {
  const id = chosenServer.value;
  const own = lists.value.get(id);
  switch (one) {
    case 'tools':
      return String(own?.tools.length ?? '');
    case 'prompts':
      return String(own?.prompts.length ?? '');
    case 'resources':
      return own === undefined ? '' : String(own.resources.length + own.templates.length);
    case 'tasks':
      return String([...calls.value.values()].filter((call) => call.server === id && isTaskCall(call)).length || '');
    case 'calls':
      return String([...calls.value.values()].filter((call) => call.server === id).length || '');
    case 'log':
      return String(logs.value.filter((log) => log.server === id).length || '');
    case 'about':
      return '';
  }
}
