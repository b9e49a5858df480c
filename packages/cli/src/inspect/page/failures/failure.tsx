import type { JSX } from 'preact';
import type { ServerView } from '../../view.ts';
import { line, plain } from '../plain.ts';
import { act, tab } from '../state.ts';

/** Failure of a connection in three lines: what failed, the line that says why, what to do. */
export function ConnectionFailure({ view }: { readonly view: ServerView }): JSX.Element {
  const { id, name, problem = '', cause, advice, steps = [], wanted } = view;
  const why = cause ?? problem;
  return (
    <section class="failure" aria-label="Failure">
      <h2>{line(name, 60)} is not connected</h2>
      <p class="connection-problem mono" data-error-message={problem}>
        {line(why, 300)}
      </p>
      <p class="doing">
        {advice !== undefined && <span>{advice}</span>}
        <button type="button" class="small" onClick={() => void act('connect', { server: id, revision: wanted })}>
          Restart
        </button>
        <button type="button" class="small" onClick={() => (tab.value = 'log')}>
          Show log
        </button>
      </p>
      <details>
        <summary>more</summary>
        {cause !== undefined && <p>{plain(problem)}</p>}
        <ol>
          {steps.map((step, at) => (
            <li key={at}>
              <span aria-hidden="true">{step.ok ? '✓' : '✕'} </span>
              {plain(step.words)}
              {!step.ok && <span class="hidden"> (failed)</span>}
              {step.text !== undefined && <pre class="text">{plain(step.text)}</pre>}
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
