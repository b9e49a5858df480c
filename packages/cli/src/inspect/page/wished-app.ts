/** App that the address of the page wished: its tool is chosen and filled in, and called where the address has the token. */

import { effect } from '@preact/signals';
import { keepDraft } from './drafts.ts';
import { act, chosen, chosenServer, hello, lists, problem, tab, wish, wishedApp } from './state.ts';

/** Does it once the tool is listed. */
export function openWishedApp(): void {
  const { app } = wish;
  if (app === undefined) return;
  const stop = effect(() => {
    const [found] = [...lists.value].filter(([, { tools }]) => tools.some(({ name }) => name === app.tool));
    if (found === undefined) return;
    const [id] = found;
    queueMicrotask(() => {
      stop();
      chosenServer.value = id;
      tab.value = 'tools';
      keepDraft(`${id} ${app.tool}`, app.text);
      chosen.value = { ...chosen.value, tools: app.tool };
      if (!app.runs) return;
      wishedApp.value = app.tool;
      if (hello.value?.isReadOnly === true)
        problem.value = 'Started with --read-only: the tool of the app is not called.';
      else void act('call', { server: id, kind: 'tool', name: app.tool, text: app.text });
    });
  });
}
