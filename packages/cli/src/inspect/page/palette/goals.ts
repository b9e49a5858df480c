/** Everything that the palette finds: places, items of servers, messages, and actions. */

import type { JsonView, RowView, ServerView } from '../../view.ts';
import { exportAs, exportKinds } from '../exports.ts';
import type { Goal } from './find.ts';
import { showLens } from '../lens/shown.ts';
import { showQuestion, showServer } from '../look/ways.ts';
import { chosenPlaces, focusSoon } from '../look/focus.ts';
import { looks, look } from '../look/look.ts';
import { showPane } from '../look/panes.ts';
import { line, textValue } from '../plain.ts';
import {
  act,
  allRows,
  calls,
  chosen,
  chosenServer,
  dialog,
  filterText,
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
} from '../state.ts';

/** Lists everything that is there now. @param typed Words that are looked for: a number is that of a message too. */
export function goals(typed: string): readonly Goal[] {
  return [
    ...messageGoals(typed),
    ...tabs.map((one) => ({ words: `Go to ${one}`, go: () => goTo(one) })),
    ...[...servers.value.values()].flatMap(serverGoals),
    ...things(),
    ...doings(),
    ...textGoals(typed),
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
  return found === undefined ? [] : [messageGoal(found)];
}

function messageGoal(one: RowView): Goal {
  return { words: `Message #${one.n} ${line(saidBy(one), 80)}`, go: () => showRow(one.n) };
}

function saidBy({ what, about = '', kind }: RowView): string {
  return `${kind === 'result' || kind === 'error' ? `${kind} of ` : ''}${what} ${about}`;
}

/** Most messages that are found by their words. */
const maxMessages = 8;

/** Messages by what they are about, the newest first, and the way to those whose text has the words. */
function textGoals(typed: string): readonly Goal[] {
  const text = typed.trim();
  if (text.length < 2 || /^#?\d+$/.test(text)) return [];
  const words = text.toLowerCase().split(/\s+/);
  const found = allRows().filter((one) => {
    const said = saidBy(one).toLowerCase();
    return words.every((word) => said.includes(word));
  });
  return [
    ...found
      .slice(-maxMessages)
      .toReversed()
      .map((one) => ({ ...messageGoal(one), isLast: true })),
    {
      isLast: true,
      words: `Search the messages for ${line(text, 60)}`,
      go() {
        filterText.value = `text:"${text.replaceAll('"', '')}"`;
        place.value = 'wire';
        showPane('wire');
        focusSoon('.wire .filter');
      },
    },
  ];
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
                { words: `Refresh the lists of ${of}`, go: () => void readAgain(server) },
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
    showPane(where);
    setTimeout(() => document.querySelector<HTMLElement>(selector)?.focus(), 0);
  };
  return [
    { words: 'Go to the filter of the wire', go: () => focusIn('wire', '.wire .filter') },
    { words: 'Add an address', go: () => focusIn('servers', '.add input') },
    { words: isPaused.value ? 'Resume the wire' : 'Pause the wire', go: () => (isPaused.value = !isPaused.value) },
    { words: 'Clear the wire', go: () => void act('clear', {}) },
    ...exportKinds.map((kind) => ({ words: `Save the wire as ${kind.words}`, go: () => void exportAs(kind) })),
    ...(hello.value?.revisions ?? []).map((date) => ({
      words: `Lens: a client of ${date}`,
      go() {
        showLens(date);
        focusSoon('.lens .clients [aria-pressed=true]', '.lens-of-server .choice [aria-pressed=true]');
      },
    })),
    ...looks.map((one) => ({
      words: `Theme: ${one === 'system' ? 'as the system' : one}`,
      go: () => void (look.value = one),
    })),
    ...(servers.value.size > 1 ? [{ words: 'Compare two servers', go: () => void (dialog.value = 'compare') }] : []),
    { words: 'Capabilities of this client', go: () => void (dialog.value = 'capabilities') },
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
    const goal = (of: Tab, key: unknown, one: JsonView): Goal => ({
      words: `${id} ${of}: ${line(String(one['name'] ?? key), 100)}`,
      also: line([one['title'], one['description'], one['uri'] ?? one['uriTemplate']].filter(Boolean).join('. '), 400),
      go() {
        chosenServer.value = id;
        goTo(of);
        chosen.value = { ...chosen.value, [of]: textValue(key) ?? '' };
        focusSoon(...chosenPlaces);
      },
    });
    return [
      ...own.tools.map((one) => goal('tools', one['name'], one)),
      ...own.prompts.map((one) => goal('prompts', one['name'], one)),
      ...own.resources.map((one) => goal('resources', one['uri'], one)),
      ...own.templates.map((one) => goal('resources', one['uriTemplate'], one)),
    ];
  });
}
