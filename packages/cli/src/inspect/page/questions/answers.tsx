import type { JSX } from 'preact';
import { act } from '../state.ts';

/** The three answers to a question. */
export function Answers(props: {
  readonly id: number;
  readonly accept: string;
  readonly text?: string;
  readonly isWrong?: boolean;
  /** Called before the answer is sent. @returns Whether it may be. */
  readonly onAccept?: () => Promise<boolean>;
}): JSX.Element {
  const { id, accept, text, isWrong, onAccept } = props;
  const give = (action: string): void =>
    void act('answer', { question: id, action, ...(action === 'accept' && text !== undefined ? { text } : {}) });
  const accepts = async (): Promise<void> => {
    if (onAccept === undefined || (await onAccept())) give('accept');
  };
  return (
    <p class="doing answers">
      <button type="button" class="main" disabled={isWrong === true} onClick={() => void accepts()}>
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
