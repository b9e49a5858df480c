import { VerbError } from '../http/body.ts';
import type { ServerView } from '../view.ts';
import type { ServerRecorder } from './recorder.ts';
import type { PlannedLogin, ServerPlan } from './shared.ts';
import { SignInSteps } from './sign-in-steps.ts';

/** The server at which a person signs in. */
export interface SignInPlace {
  readonly plan: ServerPlan;
  readonly recorder: ServerRecorder;
  view(): ServerView;
  show(more: Partial<ServerView>, without?: readonly (keyof ServerView)[]): void;
  /** Tells the person something about the server. */
  say(level: string, text: string): void;
  words(error: unknown): string;
}

/** Login of a person at one server: its steps as they happen, and all that is done about it by a click. */
export class SignIns {
  readonly #place: SignInPlace;
  #steps: SignInSteps | undefined;
  #looks = 0;
  /** True where the login was lost, and nobody was told yet. */
  #isLost = false;
  #leaving: Promise<unknown> = Promise.resolve();

  constructor(place: SignInPlace) {
    this.#place = place;
  }

  /** Begins to hear the steps of one connection, until its signal ends it. */
  begin(signal: AbortSignal): SignInSteps {
    const { show, view } = this.#place;
    this.#steps = new SignInSteps({
      signal,
      pauses: () => view().pauses,
      isOpen: () => view().state === 'connected',
      changed: (signIn) => show({ signIn }),
    });
    return this.#steps;
  }

  /** Signs the person in, whatever is kept. */
  async signIn(steps: SignInSteps, signal: AbortSignal): Promise<void> {
    const { recorder, plan } = this.#place;
    const overheard = recorder.overheard(steps);
    const beforePage = (given: AbortSignal, url: string): Promise<void> => steps.beforePage(given, url);
    const unopened = (error: unknown): void => this.unopened(error);
    await steps.wanted(async () => await plan.login?.signIn({ overheard, beforePage, unopened, signal }));
    signal.throwIfAborted();
  }

  /** Tells that the page of a sign-in was not opened here, and where its address stands. */
  unopened(error: unknown): void {
    const { say, words } = this.#place;
    say('warning', `the page to sign in was not opened: ${words(error)}; its address is printed where parley runs`);
  }

  /** Waits until a sign-out that was begun is done, so that nobody uses what it forgets. */
  async settled(): Promise<void> {
    await this.#leaving;
  }

  /** Lets a step that waits go on. @throws VerbError where it does not wait. */
  goOn(step: number): void {
    if (this.#steps === undefined) throw new VerbError(409, `there is no sign-in at ${this.#place.view().name} now`);
    this.#steps.goOn(step);
  }

  /** Address of the page at which the user signs in. @throws VerbError where none is open. */
  page(): string {
    const url = this.#steps?.page;
    if (url === undefined) throw new VerbError(409, 'no page to sign in is open now');
    return url;
  }

  /** Looks at what is kept of the login, and shows it. It never rejects. */
  async look(isLost = false): Promise<void> {
    const { plan, show, say, words } = this.#place;
    if (plan.login === undefined) return;
    this.#isLost ||= isLost;
    const look = ++this.#looks;
    try {
      const login = await plan.login.kept();
      // Another look sees what is there by now.
      if (look !== this.#looks) return;
      const wants = this.#isLost && login === undefined ? { wantsSignIn: true } : {};
      this.#isLost = false;
      if (login === undefined) show(wants, ['login']);
      else show({ login });
    } catch (error) {
      say('warning', words(error));
    }
  }

  /** Renews the login now. @throws VerbError where that cannot be done. */
  async refresh(): Promise<void> {
    const login = this.#login();
    let isRenewed: boolean;
    try {
      isRenewed = await login.renew({ overheard: this.#place.recorder.overheard() });
    } catch (error) {
      throw new VerbError(409, this.#place.words(error), { cause: error });
    } finally {
      await this.look();
    }
    if (!isRenewed) throw new VerbError(409, 'the login cannot be renewed any more; sign in again');
  }

  /** Forgets the login and revokes its tokens. @returns Whether they were revoked; `undefined` where nobody was signed in. */
  async signOut(): Promise<boolean | undefined> {
    return await this.#leave(async (login, settings) =>
      (await login.kept()) === undefined ? undefined : await login.signOut(settings),
    );
  }

  /** Forgets the login and the registered client, and revokes nothing. */
  async forget(): Promise<void> {
    await this.#leave((login, settings) => login.forget(settings));
  }

  /** One leaves after the other, so that the second finds nothing to do. */
  async #leave<Result>(
    leave: (login: PlannedLogin, settings: Parameters<PlannedLogin['signOut']>[0]) => Promise<Result>,
  ): Promise<Result> {
    const login = this.#login();
    const left = this.#leaving.then(() => leave(login, { overheard: this.#place.recorder.overheard() }));
    this.#leaving = left.catch(() => {});
    try {
      const result = await left;
      // Who is signed out reaches nothing before another sign-in.
      this.#isLost = true;
      return result;
    } finally {
      await this.look();
    }
  }

  #login(): PlannedLogin {
    const { plan, view } = this.#place;
    if (plan.login === undefined) throw new VerbError(409, `there is no sign-in at ${view().name}`);
    return plan.login;
  }
}
