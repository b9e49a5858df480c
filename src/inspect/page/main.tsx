import { effect, signal } from '@preact/signals';
import { render, type JSX } from 'preact';
import { answerAsWished } from './alike.ts';
import { listenToKeys } from './keys.ts';
import { plain } from './plain.ts';
import { Dialogs } from './screens/dialogs.tsx';
import { Header } from './screens/header.tsx';
import { Servers } from './screens/servers.tsx';
import { Use } from './screens/use.tsx';
import { Wire } from './screens/wire.tsx';
import { openWishedApp } from './wished-app.ts';
import { addServer, announcement, api, hear, place, problem, questions, trouble, wish } from './state.ts';

/** Words that are read out: one announcement in two seconds at most. */
const said = signal('');
let isQuiet = false;

function sayNow(): void {
  said.value = plain(announcement.peek()).slice(0, 200);
  isQuiet = true;
  setTimeout(() => {
    isQuiet = false;
    if (said.peek() !== announcement.peek()) sayNow();
  }, 2_000);
}

function Page(): JSX.Element {
  return (
    <div class="page" data-place={place.value}>
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
        <Servers />
        <Use />
        <Wire />
      </main>
      <Dialogs />
      <p class="hidden" role="status" aria-live="polite">
        {said.value}
      </p>
    </div>
  );
}

render(<Page />, document.body);
listenToKeys();
answerAsWished();
problem.value = wish.problem;
if (wish.connects) void addServer(wish.url);
openWishedApp();
effect(() => {
  const waiting = questions.value.size;
  document.title = waiting > 0 ? `(${waiting}) Parley` : 'Parley';
});
effect(() => {
  if (announcement.value !== '' && !isQuiet) sayNow();
});
void api.follow(hear, (words) => {
  if (trouble.value !== words) trouble.value = words;
});
