import type { PlannedLogin, SignInSettings, WayPerson, WaySettings } from '../../inspect/servers/shared.ts';
import { renewNow, type OAuth } from '../../../../parley/src/auth/client/interactive/oauth.ts';
import type { Io } from '../io.ts';
import type { FoundAuth } from '../login/auth-of.ts';
import { ownStore } from '../login/own-store.ts';
import { personAt, type SignIn } from '../login/sign-in.ts';
import { optionsKey } from '../login/stored-options.ts';
import { factsKey } from '../login/upstream-login.ts';

/** Finds what authorizes the requests to one server; where a person signs in, they may be asked. */
export type FindAuth = (overheard: SignIn['overheard']) => Promise<FoundAuth>;

/** Login of a person at one server of the page, and the way in which its connections use it. */
export class PersonsLogin implements PlannedLogin {
  readonly #find: FindAuth;
  readonly #io: Io;
  readonly #asksAtOnce: boolean;
  /** The login of the last connection: tokens renewed here are used there at once. */
  #used: { readonly auth: OAuth; readonly server: URL } | undefined;

  /** @param asksAtOnce True if the page should open whenever a login is needed. */
  constructor(find: FindAuth, io: Io, asksAtOnce: boolean) {
    this.#find = find;
    this.#io = io;
    this.#asksAtOnce = asksAtOnce;
  }

  /** Makes the authorization of a connection. It only asks for more scopes, since the user did not click to sign in. */
  async authorization({ overheard, person }: Pick<WaySettings, 'overheard' | 'person'>): Promise<FoundAuth['auth']> {
    const { auth, signIn } = await this.#find(overheard);
    if (signIn === undefined) return auth;
    if (person === undefined) return await this.#person({ ...signIn, asking: 'never' });
    const own = await this.#person({
      ...signIn,
      ...(this.#asksAtOnce ? {} : { asking: askingForMore(signIn), show: shownAfter(person.beforePage) }),
      unopened: (error) => person.unopened(error),
      told({ kind }) {
        if (kind === 'granted' || kind === 'refreshed' || kind === 'lost') person.loginChanged(kind === 'lost');
      },
    });
    this.#used = { auth: own, server: signIn.server };
    return own;
  }

  async kept(): ReturnType<PlannedLogin['kept']> {
    const found = this.#used ?? (await this.#asNobody(undefined));
    const info = await found?.auth.identity({ server: found.server });
    if (info === undefined) return undefined;
    const { issuer, scopes, expiresAt, renewable: isRenewable, name, email, subject } = info;
    const person = name ?? email ?? subject;
    return {
      issuer,
      scopes,
      isRenewable,
      ...(person === undefined ? {} : { person }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
  }

  async signIn({ overheard, beforePage, unopened, signal }: SignInSettings): Promise<void> {
    const signIn = await this.#wanted(overheard);
    // It is opened here all the same, once it may be.
    const auth = await this.#person({ ...signIn, show: shownAfter(beforePage), unopened });
    await auth.login({ server: signIn.server, signal });
  }

  async renew({ overheard }: Pick<WaySettings, 'overheard'>): Promise<boolean> {
    const found = this.#used ?? (await this.#asNobody(overheard));
    return found !== undefined && (await renewNow(found.auth, found.server));
  }

  async signOut({ overheard }: Pick<WaySettings, 'overheard'>): Promise<boolean> {
    return await this.#leave(overheard, {});
  }

  async forget({ overheard }: Pick<WaySettings, 'overheard'>): Promise<void> {
    await this.#leave(overheard, { revoke: false, forgetClient: true });
  }

  async #leave(overheard: SignIn['overheard'], how: Parameters<OAuth['logout']>[0]): Promise<boolean> {
    const signIn = await this.#wanted(overheard);
    const auth = await this.#person({ ...signIn, asking: 'never' });
    const { revoked } = await auth.logout({ ...how, server: signIn.server });
    // What the server told a bridge, and the options of the login, are stored beside it.
    for (const keyOf of [factsKey, optionsKey])
      await ownStore(this.#io).write(keyOf(signIn.server, signIn.account), undefined);
    return revoked;
  }

  async #asNobody(overheard: SignIn['overheard']): Promise<{ readonly auth: OAuth; readonly server: URL } | undefined> {
    const { signIn } = await this.#find(overheard);
    if (signIn === undefined) return undefined;
    return { auth: await this.#person({ ...signIn, asking: 'never' }), server: signIn.server };
  }

  async #wanted(overheard: SignIn['overheard']): Promise<SignIn> {
    const { signIn } = await this.#find(overheard);
    if (signIn === undefined) throw new Error('there is no sign-in: the requests have given credentials');
    return signIn;
  }

  async #person(signIn: SignIn): Promise<OAuth> {
    return personAt(signIn, this.#io);
  }
}

function askingForMore({ asking }: SignIn): SignIn['asking'] {
  return asking === 'never' ? 'never' : 'more';
}

function shownAfter(beforePage: WayPerson['beforePage']): NonNullable<SignIn['show']> {
  return ({ url }, signal) => beforePage(signal, url).then(() => false);
}
