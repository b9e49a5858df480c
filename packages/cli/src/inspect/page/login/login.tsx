import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { LoginView, ServerView, SignInStepView } from '../../view.ts';
import { CopyButton } from '../parts.tsx';
import { clock, line } from '../plain.ts';
import { act, api, problem, showRow, messageOf } from '../state.ts';

/** Login of a user at a server: the stored data, the possible actions, and the steps of the last sign-in. */
export function LoginPanel({ server }: { readonly server: ServerView }): JSX.Element | null {
  const { id, login, signIn, wantsSignIn, pauses } = server;
  if (login === undefined && signIn === undefined && !wantsSignIn) return null;
  return (
    <>
      {login !== undefined && <Kept login={login} />}
      <Doing server={server} />
      <label class="pauses muted">
        <input
          type="checkbox"
          checked={pauses}
          onChange={(event) => void act('pause-sign-in', { server: id, on: event.currentTarget.checked })}
        />{' '}
        Pause at each step
      </label>
      {signIn !== undefined && <Steps server={server} steps={signIn} />}
    </>
  );
}

function Kept({ login }: { readonly login: LoginView }): JSX.Element {
  const { issuer, scopes, person, expiresAt, isRenewable } = login;
  const host = URL.canParse(issuer) ? new URL(issuer).host : issuer;
  const until = expiresAt === undefined ? '' : `, until ${endOf(expiresAt)}`;
  return (
    <p class="muted kept">
      signed in{person === undefined ? '' : ` as ${line(person, 60)}`} at {line(host, 60)}
      {scopes.length > 0 && <>, for {line(scopes.join(' '), 120)}</>}
      {until}
      {isRenewable && ', renewed by itself'}
    </p>
  );
}

/** Day and time, as they are here. */
function endOf(time: number): string {
  return `${new Date(time).toLocaleDateString('sv')} ${clock(time).slice(0, 5)}`;
}

function Doing({ server }: { readonly server: ServerView }): JSX.Element | null {
  const { id, login, wantsSignIn, wanted } = server;
  const [isBusy, setBusy] = useState(false);
  const does = async (verb: string): Promise<void> => {
    // A second click would do the same once more.
    if (isBusy) return;
    setBusy(true);
    await (verb === 'sign-out' ? signOut(id) : act(verb, { server: id }));
    setBusy(false);
  };
  if (login === undefined && !wantsSignIn) return null;
  return (
    <p class="doing">
      {wantsSignIn && (
        <button
          type="button"
          class="small main"
          onClick={() => void act('connect', { server: id, revision: wanted, asks: true })}
        >
          Sign in
        </button>
      )}
      {login?.isRenewable === true && <Button words="Renew" isBusy={isBusy} onClick={() => void does('refresh')} />}
      {login !== undefined && <Button words="Sign out" isBusy={isBusy} onClick={() => void does('sign-out')} />}
      <Button
        words="Forget"
        title="Forgets the login and the registered client here, and revokes nothing"
        isBusy={isBusy}
        onClick={() => void does('forget')}
      />
    </p>
  );
}

/** A button that keeps the focus while something runs. */
function Button({
  words,
  title,
  isBusy,
  onClick,
}: {
  readonly words: string;
  readonly title?: string;
  readonly isBusy: boolean;
  readonly onClick: () => void;
}): JSX.Element {
  return (
    <button type="button" class="small" title={title} aria-disabled={isBusy} onClick={onClick}>
      {words}
    </button>
  );
}

/** Signs out; reports tokens that could not be revoked. */
async function signOut(id: string): Promise<void> {
  try {
    const { revoked } = await api.post<{ readonly revoked: boolean | null }>('sign-out', { server: id });
    if (revoked === false)
      problem.value = 'Signed out; its tokens could not be revoked, and are valid until they expire.';
  } catch (error) {
    problem.value = messageOf(error);
  }
}

const signs: Readonly<Record<SignInStepView['state'], string>> = { waits: '‖', runs: '◌', done: '✓', failed: '✕' };

/** Steps of the last sign-in; their requests stand in the wire. */
function Steps({
  server: { id, state, pauses },
  steps,
}: {
  readonly server: ServerView;
  readonly steps: readonly SignInStepView[];
}): JSX.Element {
  const waiting = steps.find((step) => step.state === 'waits');
  const waits = waiting !== undefined;
  const pressed = useRef(0);
  const last = steps.at(-1);
  // Between two steps nothing waits, and the button that was just pressed keeps its place and its focus.
  const isBetween = last?.state === 'runs' || (last?.state === 'done' && !['challenge', 'token'].includes(last.part));
  const isUnderWay = waits || ((state === 'connecting' || (state === 'connected' && pauses)) && isBetween);
  return (
    <details class="signing-in" open={isUnderWay || state !== 'connected'}>
      <summary>Sign-in, step by step</summary>
      {isUnderWay && (waits || pauses) && (
        <p class="doing">
          <button
            type="button"
            class="small main"
            aria-disabled={!waits}
            onClick={() => {
              // A second click is not for the next step.
              if (waiting === undefined || waiting.id === pressed.current) return;
              pressed.current = waiting.id;
              void act('go-on', { server: id, step: waiting.id });
            }}
          >
            Go on
          </button>
          <span class="muted">
            {waiting !== undefined && `${waiting.part} waits. `}
            {state === 'connected' ? 'Cancel the call to give it up.' : 'Disconnect gives it up.'}
          </span>
        </p>
      )}
      <ol>
        {steps.map((step) => (
          <li key={step.id}>
            <Step step={step} />
            {step.hasPage === true && <SignInPage id={id} />}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The page to sign in: opened once more, or its address for another browser. */
function SignInPage({ id }: { readonly id: string }): JSX.Element {
  return (
    <p class="doing">
      <button type="button" class="small" onClick={() => void act('open-sign-in', { server: id })}>
        Open the page
      </button>
      <CopyButton
        what="address"
        text={async () => (await api.post<{ readonly url: string }>('sign-in-page', { server: id })).url}
      />
    </p>
  );
}

function Step({
  step: { part, state, words, row, hasPage = false, broken = [] },
}: {
  readonly step: SignInStepView;
}): JSX.Element {
  return (
    <>
      <span aria-hidden="true">{signs[state]}</span> {part}, {hasPage ? 'waits for the browser' : state}{' '}
      {row !== undefined && (
        <button type="button" class="link small" onClick={() => showRow(row)}>
          #{row}
        </button>
      )}
      {broken.length > 0 && <span class="bad"> ⚠ breaks {broken.join(', ')}</span>}
      <br />
      <span class="muted">{line(words, 120)}</span>
    </>
  );
}
