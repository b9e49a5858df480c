import type { JSX } from 'preact';
import { look, nextLook } from '../look/look.ts';
import { ChoiceButtons } from '../parts.tsx';
import { dialog, hello, place, waitingQuestions, rowCount, rowsVersion, servers } from '../state.ts';
import { showQuestion, showSignIn } from '../look/ways.ts';

/** The bar at the top: the number of servers, the size of the recording, and waiting items. */
export function Header(): JSX.Element {
  void rowsVersion.value;
  return (
    <header class="top">
      <h1>Parley</h1>
      <span class="muted wide">
        {servers.value.size} {servers.value.size === 1 ? 'server' : 'servers'}
      </span>
      <span class="narrow bar-of-places">
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
      <span class="space" />
      {hello.value?.isReadOnly === true && <span class="badge">read only</span>}
      <Waiting />
      <span class="muted wide">
        <span aria-hidden="true">● </span>
        {rowCount().toLocaleString('en')} recorded
      </span>
      <button type="button" class="small" onClick={() => (dialog.value = 'palette')}>
        <span class="wide">Search </span>
        <kbd>Ctrl K</kbd>
      </button>
      <LookButton />
      <button type="button" class="small" aria-label="Keys" onClick={() => (dialog.value = 'help')}>
        ?
      </button>
    </header>
  );
}

/** Light, dark, or as the system has it. */
function LookButton(): JSX.Element {
  const words = `Look: ${look.value === 'system' ? 'as the system' : look.value}`;
  return (
    <button type="button" class="small" aria-label={words} title={words} onClick={nextLook}>
      {{ system: '◐', light: '○', dark: '●' }[look.value]}
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
