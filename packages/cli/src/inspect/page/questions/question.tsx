import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ProblemView, QuestionView } from '../../view.ts';
import { ForeignAddress } from '../address-of.tsx';
import { ArgumentsField } from '../arguments.tsx';
import { useAsked } from '../asked.ts';
import { shortened, line, textValue } from '../plain.ts';
import { firstText } from '../form/model/first-text.ts';
import { focusSoon } from '../look/focus.ts';
import { alike, answerAlike } from './alike.ts';
import { duration } from '../look/fresh.tsx';
import { now } from '../look/now.ts';
import { useTick } from '../look/tick.ts';
import { act, api, calls, serverNameOf, showRow } from '../state.ts';
import { keptText } from '../screens/result.tsx';
import { Answers } from './answers.tsx';
import { SamplingQuestion } from './sampling.tsx';

/** A question of a server, next to its other actions: it takes no focus, and waits as long as its server does. */
export function QuestionCard({ question }: { readonly question: QuestionView }): JSX.Element {
  const { id, kind, server, during, row, isRound, t } = question;
  useTick(true);
  const waits = Math.max(now() - t, 0);
  // A task that asks is kept no longer for it.
  const task = [...calls.value.values()].find(
    (call) => call.server === server && call.name === during && call.state === 'running',
  )?.task;
  return (
    <section id={`question-${id}`} class="question" tabIndex={-1} aria-label={`Question of ${serverNameOf(server)}`}>
      <h2>
        {line(serverNameOf(server), 60)} asks {kind === 'sampling' ? 'for an answer of a model' : 'this'}
        {during !== undefined && ` during ${line(during, 60)}`}
        {row !== undefined && (
          <button type="button" class="small link" onClick={() => showRow(row)}>
            #{row}
          </button>
        )}
      </h2>
      <p class="muted">
        waits for {duration(waits)}
        {task !== undefined && keptText(task).map((words) => `; its task is ${words}`)}
      </p>
      {isRound && <p class="muted">The request goes out again with your answer.</p>}
      {kind === 'form' && <FormQuestion question={question} />}
      {kind === 'url' && <UrlQuestion question={question} />}
      {kind === 'sampling' && <SamplingQuestion question={question} />}
    </section>
  );
}

function FormQuestion({ question: { id, params } }: { readonly question: QuestionView }): JSX.Element {
  const schema = params['requestedSchema'];
  const [text, setText] = useState(() => firstText(schema));
  const [isTried, setTried] = useState(false);
  const { problems } = useAsked<{ readonly problems: readonly ProblemView[] }>({
    verb: 'validate-answer',
    body: { question: id, text },
    keys: [text, id],
    quietMs: 150,
    // A question that waits no more goes away by itself.
    failed() {},
  }) ?? { problems: [] };
  return (
    <>
      <p class="description">{shortened(textValue(params['message']) ?? '')}</p>
      <ArgumentsField
        schema={schema}
        text={text}
        onText={setText}
        problems={problems}
        label="Answer"
        isTried={isTried}
      />
      <Answers
        id={id}
        accept="Send"
        text={text}
        onAccept={async () => {
          // The answer of the check may be that to an earlier text.
          const isWrong = (await problemsNow(id, text)).length > 0;
          setTried(isWrong);
          if (isWrong) focusSoon('.question [aria-invalid=true]');
          return !isWrong;
        }}
      />
    </>
  );
}

/** Problems of an answer, asked at once. A question that waits no more goes away by itself. */
async function problemsNow(question: number, text: string): Promise<readonly ProblemView[]> {
  try {
    const body = { question, text };
    return (await api.post<{ readonly problems: readonly ProblemView[] }>('validate-answer', body)).problems;
  } catch {
    return [];
  }
}

function UrlQuestion({
  question: { id, params, host = '', odd = [] },
}: {
  readonly question: QuestionView;
}): JSX.Element {
  const url = textValue(params['url']) ?? '';
  return (
    <>
      <p class="description">{shortened(textValue(params['message']) ?? '')}</p>
      <p>
        <ForeignAddress url={url} host={host} />
      </p>
      {odd.length > 0 && (
        <ul class="problems">
          {odd.map((words) => (
            <li key={words}>! {words}</li>
          ))}
        </ul>
      )}
      <p class="doing">
        <button type="button" onClick={() => void act('visit', { question: id })}>
          Open in the browser
        </button>
      </p>
      <Answers id={id} accept="I agree" />
    </>
  );
}

/** Note of the answers that are given on the user's behalf, with a way to stop them. */
export function Alike({ server }: { readonly server: string }): JSX.Element | null {
  const wish = alike.value.get(server);
  if (wish === undefined) return null;
  return (
    <p class="alike">
      Whatever it asks of a model is answered as you said, {wish.left} times more.{' '}
      <button type="button" class="small" onClick={() => answerAlike(server, undefined)}>
        Ask me again
      </button>
    </p>
  );
}
