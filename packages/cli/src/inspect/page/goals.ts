/** Everything that the palette finds: places, items of servers, messages, and actions. */

import type { ServerView } from '../view.ts';
import { exportAs, exportKinds } from './exports.ts';
import { showLens } from './lens/shown.ts';
import { showQuestion, showServer } from './look/ways.ts';
import { chosenPlaces, focusSoon } from './look/focus.ts';
import { looks, look } from './look/look.ts';
import { line, textValue } from './plain.ts';
import {
  act,
  calls,
  chosen,
  chosenServer,
  dialog,
  hello,
  isPaused,
  lists,
  place,
  waitingQuestions,
  readAgain,
  rowAt,
  servers,
  showRow,
  tab,
  tabs,
  type Tab,
} from './state.ts';

/** Thing that is found. */
export interface Goal {
  readonly words: string;
  go(): void;
}

/** Lists everything that is there now. @param typed Words that are looked for: a number is that of a message too. */
export function goals(typed: string): readonly Goal[] {
  return [
    ...messageGoals(typed),
    ...tabs.map((one) => ({ words: `Go to ${one}`, go: () => goTo(one) })),
    ...[...servers.value.values()].flatMap(serverGoals),
    ...doings(),
    ...things(),
  ];
}

function goTo(one: Tab): void {
  tab.value = one;
  place.value = 'use';
  focusSoon(`#tab-${one}`);
}

function messageGoals(typed: string): readonly Goal[] {
  const [, number] = /^#?(\d+)$/.exec(typed.trim()) ?? [];
  const found = number === undefined ? undefined : rowAt(Number(number));
  return found === undefined
    ? []
    : [{ words: `Message #${found.n} ${line(`${found.what} ${found.about ?? ''}`, 80)}`, go: () => showRow(found.n) }];
}

function serverGoals(server: ServerView): readonly Goal[] {
  const { id, name, state, wanted, wantsSignIn } = server;
  const of = `${id}: ${line(name, 60)}`;
  const goal = (words: string, verb: string, body: object = {}): Goal => ({
    words: `${words} ${of}`,
    go: () => void act(verb, { server: id, ...body }),
  });
  const isOpen = state === 'connected' || state === 'connecting';
  return [
    { words: `Server ${of}`, go: () => showServer(id) },
    ...(state === 'recording'
      ? []
      : [
          goal(isOpen ? 'Restart' : 'Connect', 'connect', { revision: wanted }),
          ...(isOpen ? [goal('Disconnect', 'disconnect')] : [goal('Remove', 'remove')]),
          ...(state === 'connected'
            ? [
                goal('Ask for an answer of', 'ping'),
                { words: `Read again the lists of ${of}`, go: () => void readAgain(server) },
              ]
            : []),
          ...(wantsSignIn ? [goal('Sign in at', 'connect', { revision: wanted, asks: true })] : []),
        ]),
  ];
}

/** Things to be done that are of no server. */
function doings(): readonly Goal[] {
  // The place has to be drawn before anything in it takes the focus.
  const focusIn = (where: 'servers' | 'wire', selector: string): void => {
    place.value = where;
    setTimeout(() => document.querySelector<HTMLElement>(selector)?.focus(), 0);
  };
  return [
    { words: 'Go to the filter of the wire', go: () => focusIn('wire', '.wire .filter') },
    { words: 'Add an address', go: () => focusIn('servers', '.add input') },
    { words: isPaused.value ? 'Go on with the wire' : 'Pause the wire', go: () => (isPaused.value = !isPaused.value) },
    { words: 'Clear the wire', go: () => void act('clear', {}) },
    ...exportKinds.map((kind) => ({ words: `Save the wire as ${kind.words}`, go: () => void exportAs(kind) })),
    ...(hello.value?.revisions ?? []).map((date) => ({
      words: `Lens: a client of ${date}`,
      go() {
        showLens(date);
        focusSoon('.lens .choice [aria-pressed=true]', '.lens-of-server .choice [aria-pressed=true]');
      },
    })),
    ...looks.map((one) => ({
      words: `Look: ${one === 'system' ? 'as the system' : one}`,
      go: () => void (look.value = one),
    })),
    ...(servers.value.size > 1 ? [{ words: 'Compare two servers', go: () => void (dialog.value = 'compare') }] : []),
    { words: 'Keys', go: () => void (dialog.value = 'help') },
    ...[...waitingQuestions.value.values()].map((question) => ({
      words: `Question of ${question.server}${question.during === undefined ? '' : ` during ${line(question.during, 60)}`}`,
      go: () => showQuestion(question),
    })),
    ...[...calls.value.values()]
      .filter(({ state }) => state === 'running')
      .map(({ id, server, name }) => ({
        words: `Cancel ${server} ${line(name, 60)}`,
        go: () => void act('cancel', { call: id }),
      })),
  ];
}

/** Tools, prompts, resources and templates of all servers. */
function things(): readonly Goal[] {
  return [...lists.value].flatMap(([id, own]) => {
    const goal = (of: Tab, key: unknown, name: unknown): Goal => ({
      words: `${id} ${of}: ${line(String(name ?? key), 100)}`,
      go() {
        chosenServer.value = id;
        goTo(of);
        chosen.value = { ...chosen.value, [of]: textValue(key) ?? '' };
        focusSoon(...chosenPlaces);
      },
    });
    return [
      ...own.tools.map((one) => goal('tools', one['name'], one['title'] ?? one['name'])),
      ...own.prompts.map((one) => goal('prompts', one['name'], one['title'] ?? one['name'])),
      ...own.resources.map((one) => goal('resources', one['uri'], one['title'] ?? one['name'])),
      ...own.templates.map((one) => goal('resources', one['uriTemplate'], one['title'] ?? one['name'])),
    ];
  });
}
