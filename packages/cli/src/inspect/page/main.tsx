import { effect } from '@preact/signals';
import { render, type JSX } from 'preact';
import { answerAsWished } from './questions/alike.ts';
import { announced } from './announce.ts';
import { listenToKeys } from './keys.ts';
import { keepFocus } from './look/focus.ts';
import { showLook } from './look/look.ts';
import { panes, showPanes } from './look/panes.ts';
import { followAddress } from './look/places.ts';
import { Splitter } from './look/splitter.tsx';
import { plain } from './plain.ts';
import { listenToTyping } from './questions/sheet.tsx';
import { Large } from './content/large.tsx';
import { Dialogs } from './dialogs/dialogs.tsx';
import { Header } from './screens/header.tsx';
import { LensPlace } from './lens/lens-place.tsx';
import { ServersScreen } from './screens/servers.tsx';
import { UseScreen } from './screens/use.tsx';
import { Wire } from './wire/wire.tsx';
import { listenToTokens } from './token.ts';
import { openWishedApp } from './wished-app.ts';
import { addServer, api, hear, place, problem, waitingQuestions, trouble, wish } from './state.ts';

function Page(): JSX.Element {
  return (
    <div
      class="page"
      data-place={place.value}
      data-closed={Object.entries(panes.value)
        .flatMap(([pane, { isOpen }]) => (isOpen ? [] : [pane]))
        .join(' ')}
    >
      <Header />
      {trouble.value !== undefined && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      {problem.value !== undefined && (
        <p class="trouble" role="alert">
          {plain(problem.value)}{' '}
          <button type="button" class="small" onClick={() => (problem.value = undefined)}>
            Dismiss
          </button>
        </p>
      )}
      <main class="parts">
        <ServersScreen />
        <Splitter pane="servers" />
        <UseScreen />
        <Splitter pane="side" />
        <LensPlace />
        <Splitter pane="wire" />
        <Wire />
      </main>
      <Dialogs />
      <Large />
      <p class="hidden" role="status" aria-live="polite">
        {plain(announced.value).slice(0, 300)}
      </p>
    </div>
  );
}

render(<Page />, document.body);
listenToKeys();
listenToTokens();
listenToTyping();
keepFocus();
showLook();
showPanes();
followAddress();
answerAsWished();
problem.value = wish.problem;
if (wish.connects) void addServer(wish.url);
openWishedApp();
effect(() => {
  const waiting = waitingQuestions.value.size;
  document.title = waiting > 0 ? `(${waiting}) Parley` : 'Parley';
});
void api.follow(hear, (words) => {
  if (trouble.value !== words) trouble.value = words;
});
