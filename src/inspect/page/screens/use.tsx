import type { JSX } from 'preact';
import { calls, chosenServer, lists, logs, questions, server, tab, tabs, type Tab } from '../state.ts';
import { About, Failure } from './about.tsx';
import { CallList } from './calls.tsx';
import { Logs } from './logs.tsx';
import { Prompts } from './prompts.tsx';
import { Alike, Question } from './question.tsx';
import { Resources } from './resources.tsx';
import { Tools } from './tools.tsx';

const names: Readonly<Record<Tab, string>> = {
  tools: 'Tools',
  prompts: 'Prompts',
  resources: 'Resources',
  calls: 'Calls',
  log: 'Log',
  about: 'About',
};

const screens: Readonly<Record<Tab, () => JSX.Element>> = {
  tools: Tools,
  prompts: Prompts,
  resources: Resources,
  calls: CallList,
  log: Logs,
  about: About,
};

/** Use of the chosen server. */
export function Use(): JSX.Element {
  const view = server.value;
  if (view === undefined)
    return (
      <section class="use" aria-label="Use">
        <p class="empty">Choose a server, or add an address.</p>
      </section>
    );
  if (view.state === 'recording')
    return (
      <section class="use" aria-label="Use">
        <p class="empty">This is a recording: its messages stand in the wire, and the lens works on each of them.</p>
      </section>
    );
  const asked = [...questions.value.values()].filter((one) => one.server === view.id);
  const Screen = screens[tab.value];
  return (
    <section class="use" aria-label="Use">
      {asked.map((question) => (
        <Question key={question.id} question={question} />
      ))}
      <Alike server={view.id} />
      {view.state === 'failed' && <Failure view={view} />}
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
            {names[one]}
            <span class="count">{countOf(one)}</span>
          </button>
        ))}
      </div>
      <div class="panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
        <Screen key={view.id} />
      </div>
    </section>
  );
}

function stepTabs(event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const next = tabs[(tabs.indexOf(tab.value) + step + tabs.length) % tabs.length] ?? 'tools';
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
    case 'calls':
      return String([...calls.value.values()].filter((call) => call.server === id).length || '');
    case 'log':
      return String(logs.value.filter((log) => log.server === id).length || '');
    case 'about':
      return '';
  }
}
