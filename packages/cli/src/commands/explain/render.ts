import { newestRevision, revisions } from '../../../../parley/src/protocol/revision.ts';
import { renderAuthorization } from './authorization/render.ts';
import { renderBridge } from './render-bridge.ts';
import { renderOffer } from './render-offer.ts';
import { renderWire } from './render-wire.ts';
import { renderTasks } from './tasks.ts';
import type { Explanation, WayOutcome, Try } from './report.ts';
import { clipped, table } from './text.ts';
import { notStartedAgain, timeOver } from './explain-texts.ts';
import { printed } from '../shown.ts';

/** Writes an explanation for a person. */
export function renderExplanation(explanation: Explanation, width: number): string {
  const { name, target, transport, offer, tasks, bridge, tries, authorization } = explanation;
  const over = tries.some((one) => one.over === 'http+sse') ? 'HTTP+SSE' : transport === 'http' ? 'HTTP' : transport;
  // The error of a command that always exits is printed once, in the first line.
  const isDead = tries.some(({ why }) => why === notStartedAgain);
  const head = printed(`${name === undefined ? '' : `${name}: `}${headline(explanation)}`, 'line');
  const parts = [
    `${clipped(head, (isDead ? 600 : 200) + target.length)}\n${table([['server', `${target} (${over})`], ...facts(explanation)], width)}`,
    isDead ? '' : `why\n${table(reasons(tries), width)}`,
    authorization === undefined ? '' : renderAuthorization(authorization, width),
    offer === undefined ? '' : renderOffer(offer, width),
    tasks === undefined ? '' : renderTasks(tasks, width),
    bridge === undefined ? '' : renderBridge(bridge, width),
    tries.some(({ wire }) => wire !== undefined) ? renderWire(tries, authorization?.wire) : '',
  ];
  return printed(parts.filter((part) => part !== '').join('\n'), 'lines');
}

function headline({ works, offer, revisions: dates, tries }: Explanation): string {
  if (!works) return `no revision works: ${commonest(tries).replace(/, which is no evidence.*/s, '')}`;
  const { server } = offer ?? {};
  const name = server === undefined ? 'a server without a name' : `${server.name} ${server.version}`.slice(0, 100);
  return `${name} speaks ${dates.length === revisions.length ? 'every revision' : spans(dates)}`;
}

/** Dates, oldest first; those that follow each other without a gap as a span. */
function spans(dates: readonly string[]): string {
  const all = revisions.map(({ date }) => date as string);
  const runs: string[][] = [];
  for (const date of dates) {
    const run = runs.at(-1);
    const before = all[all.indexOf(date) - 1];
    if (run !== undefined && run.at(-1) === before) run.push(date);
    else runs.push([date]);
  }
  return runs.map((run) => (run.length > 2 ? `${run[0]} to ${run.at(-1)}` : run.join(' and '))).join(', ');
}

/** Failure that was commonest, whatever time each took; of equals that of `initialize`, and then the newest. */
function commonest(tries: readonly Try[]): string {
  const asked = tries.filter(({ why }) => why !== notStartedAgain && why !== timeOver);
  const kindOf = ({ why }: Try): string => why.replaceAll(/\d{1,9} ms/g, 'ms');
  const count = (one: Try): number =>
    asked.filter((other) => kindOf(other) === kindOf(one)).length + (one.question === 'initialize' ? 0.5 : 0);
  const [most] = asked.toSorted((one, other) => count(other) - count(one));
  return most?.why ?? tries[0]?.why ?? 'nothing was tried';
}

function facts({ works, eras, revisions: dates }: Explanation): readonly (readonly string[])[] {
  if (!works) return [];
  const era =
    eras.length > 1
      ? 'both: stateless, and with a handshake'
      : eras[0] === 'stateless'
        ? 'stateless: it knows no handshake'
        : `handshake: it does not speak ${newestRevision.date}`;
  return [
    ['era', era],
    ['speaks', dates.toReversed().join(', ')],
  ];
}

const marks: Readonly<Record<WayOutcome, string>> = { spoken: 'yes', other: 'no', refused: 'no', unknown: '?' };

function reasons(tries: readonly Try[]): readonly (readonly string[])[] {
  return tries.flatMap(({ revision, outcome, why, over, notes }, at) => {
    const before = tries[at - 1];
    const same = before?.why === why && why.length > 12;
    const beside = over === 'http+sse' && outcome === 'spoken' ? ', over HTTP+SSE' : '';
    return [
      [revision, marks[outcome], same ? 'the same' : `${why}${beside}`],
      ...notes
        .filter((note) => before?.notes.includes(note) !== true)
        .map((note) => ['', '', `note: ${note}`] as const),
    ];
  });
}
