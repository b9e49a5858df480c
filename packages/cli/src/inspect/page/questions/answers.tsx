import type { JSX } from 'preact';
import { act } from '../state.ts';

/** The three answers to a question. */
export function Answers(props: {
  readonly id: number;
  readonly accept: string;
  readonly text?: string;
  readonly isWrong?: boolean;
}): JSX.Element {
  const { id, accept, text, isWrong } = props;
  const give = (action: string): void =>
    void act('answer', { question: id, action, ...(action === 'accept' && text !== undefined ? { text } : {}) });
  return (
    <p class="doing answers">
      <button type="button" class="main" disabled={isWrong === true} onClick={() => give('accept')}>
        {accept}
      </button>
      <button type="button" onClick={() => give('decline')}>
        Decline
      </button>
      <button type="button" onClick={() => give('cancel')}>
        Cancel
      </button>
    </p>
  );
}
