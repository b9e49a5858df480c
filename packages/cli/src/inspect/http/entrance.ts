import { randomBytes } from 'node:crypto';
import { VerbError } from './body.ts';

/** Time in which a browser has to come, in milliseconds: it may have to be started. */
const goodForMs = 120_000;

/** Circumstances of an entrance. */
export interface EntranceOptions {
  /** Time that does not jump, in milliseconds. */
  now(): number;
  /** Receives a warning for the user who started the process. All pages must then show their tokens again. */
  misused(words: string): void;
}

/** Makes a secret of 256 bits. */
function freshSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Way in for the page that a program opens. The arguments of programs can be read by other users of a machine, so that no
 * token stands there: a code does that is good once, for two minutes, and for the user whose process this is.
 */
export class Entrance {
  /** Token of the run, which is shown to the user who started it. */
  readonly token: string = freshSecret();
  readonly #options: EntranceOptions;
  readonly #code = freshSecret();
  #opened: number | undefined;
  /** Token that was given for the code. */
  #given: string | undefined;
  /** Ends what is under way by that token. */
  readonly #closing = new AbortController();
  #isUsed = false;
  #told = '';

  constructor(options: EntranceOptions) {
    this.#options = options;
  }

  /** Tokens that every verb takes. */
  get tokens(): readonly string[] {
    return this.#given === undefined ? [this.token] : [this.token, this.#given];
  }

  /** Secrets that the verb takes which gives a token: the code, also after its time, and the tokens themselves. */
  get keys(): readonly string[] {
    return this.#opened === undefined ? this.tokens : [...this.tokens, this.#code];
  }

  /** Signal that a token is good no more; none for that of the run, which is good to its end. */
  closing(secret: string): AbortSignal | undefined {
    return secret === this.#given ? this.#closing.signal : undefined;
  }

  /** Opens it. @returns The code. */
  open(): string {
    this.#opened ??= this.#options.now();
    return this.#code;
  }

  /**
   * Returns a token for the code, once.
   *
   * @param isOurs False if the system reports another user.
   * @throws VerbError if the code is used up. If it was used twice, its users are unknown: the token for it
   * becomes invalid.
   */
  enter(secret: string, isOurs: boolean): string {
    if (secret !== this.#code) return secret;
    if (!isOurs) {
      this.#tell('another user of this machine asked for the page');
      throw new VerbError(403, 'it is the page of another user of this machine');
    }
    if (this.#isUsed) {
      this.#given = undefined;
      this.#tell('the page was opened twice by an address that is good once, and is closed');
      this.#closing.abort();
      throw new VerbError(401, 'this address is used up; open the one that parley inspect printed');
    }
    if (this.#options.now() - (this.#opened ?? 0) > goodForMs)
      throw new VerbError(401, 'this address was good for two minutes; open the one that parley inspect printed');
    this.#isUsed = true;
    return (this.#given = freshSecret());
  }

  /** Repeated requests cause only one warning. */
  #tell(words: string): void {
    if (this.#told === words) return;
    this.#told = words;
    this.#options.misused(words);
  }
}
