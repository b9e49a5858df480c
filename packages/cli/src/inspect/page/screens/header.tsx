import type { JSX } from 'preact';
import { exportAs, exportKinds } from '../exports.ts';
import { SignIcon } from '../look/icon.tsx';
import { look, nextLook } from '../look/look.ts';
import { panes, showPane } from '../look/panes.ts';
import { ChoiceButtons } from '../parts.tsx';
import { dialog, hello, place, waitingQuestions, server, servers } from '../state.ts';
import { showQuestion, showSignIn } from '../look/ways.ts';
import { line } from '../plain.ts';

/** The bar at the top: the way to everything, and waiting items. */
export function Header(): JSX.Element {
  return (
    <header class="top">
      <h1>Parley</h1>
      {!panes.value.servers.isOpen && (
        <button type="button" class="small tabbed-not" onClick={() => showPane('servers')}>
          <SignIcon name="open" /> {line(server.value?.name ?? 'Servers', 30)}
        </button>
      )}
      <span class="tabbed bar-of-places">
        <ChoiceButtons
          label="Part of the page"
          of={[
            ['servers', 'Servers'],
            ['use', 'Use'],
            ['wire', 'Wire'],
            ['lens', 'Lens'],
            [
              'questions',
              <>
                Questions{waitingQuestions.value.size > 0 && <span class="count"> {waitingQuestions.value.size}</span>}
              </>,
            ],
          ]}
          value={place.value}
          onChoose={(chosen) => (place.value = chosen)}
        />
      </span>
      <button type="button" class="palette-way" onClick={() => (dialog.value = 'palette')}>
        <SignIcon name="search" />
        <span class="palette-words">Search tools, prompts, resources, messages</span>
        <kbd>Ctrl K</kbd>
      </button>
      {hello.value?.isReadOnly === true && <span class="badge">read only</span>}
      <Waiting />
      {server.value !== undefined && server.value.state !== 'recording' && (
        <button type="button" class="small tabbed-not" onClick={() => (dialog.value = 'capabilities')}>
          Capabilities
        </button>
      )}
      <button
        type="button"
        class="small tabbed-not"
        title="Save the messages as one HTML file, with secrets masked"
        onClick={() => void exportAs(exportKinds[3])}
      >
        Share
      </button>
      <LookButton />
      <button type="button" class="small icon" aria-label="Keys" title="Keys" onClick={() => (dialog.value = 'help')}>
        ?
      </button>
    </header>
  );
}

/** Light, dark, or as the system has it. */
function LookButton(): JSX.Element {
  const words = `Theme: ${look.value === 'system' ? 'as the system' : look.value}`;
  return (
    <button type="button" class="small icon" aria-label={words} title={words} onClick={nextLook}>
      <SignIcon name={look.value} />
    </button>
  );
}

/** Questions and sign-ins that wait for the person, with the way to them. */
function Waiting(): JSX.Element {
  const waiting = waitingQuestions.value.size;
  const [first] = waitingQuestions.value.values();
  const held = [...servers.value.values()].find(({ signIn = [] }) => signIn.some(({ state }) => state === 'waits'));
  return (
    <>
      {first !== undefined && (
        <button type="button" class="badge asks" onClick={() => showQuestion(first)}>
          {waiting} {waiting === 1 ? 'question' : 'questions'}
          <span class="wide"> {waiting === 1 ? 'waits' : 'wait'}</span>
        </button>
      )}
      {held !== undefined && (
        <button type="button" class="badge asks" onClick={() => showSignIn(held)}>
          sign-in<span class="wide"> waits</span>
        </button>
      )}
    </>
  );
}
