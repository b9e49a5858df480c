import type { Message, RequestId } from './message.ts';

/**
 * Facts of a transport that its user goes by. What is left out is as with a plain stream of messages, such as a socket: one
 * that says nothing but its description is a good transport.
 */
export interface TransportFacts {
  /** Name that a person would give the peer: a URL or a command line. Holds no secret. */
  readonly description: string;
  /**
   * Address of the peer. What was found out of a server is remembered by its address; without one it is remembered as
   * long as the transport itself is used. Holds no secret.
   */
  readonly address?: string | undefined;
  /** Carrier, in the words of OpenTelemetry for `network.transport`: `tcp`, `pipe`, `inproc`. Spans have it. */
  readonly network?: string | undefined;
  /** Protocol of the application that carries messages, in the words of OpenTelemetry for `network.protocol.name`: `http`, `websocket`. */
  readonly protocol?: string | undefined;
  /** True when headers travel beside messages, and what is said in them is read; false by default. */
  readonly carriesHeaders?: boolean | undefined;
  /**
   * True when each message has an exchange of its own, as a POST has: closing it gives the message up, and one
   * that breaks off ends nothing else. False by default.
   */
  readonly cancelsByClosing?: boolean | undefined;
  /**
   * True when an older server may end the conversation at a first question that it does not know, or leave it
   * unanswered, so that silence and an end say that it wants `initialize`. True by default.
   */
  readonly mayLoseTheProbe?: boolean | undefined;
  /**
   * True when each conversation is a process of its own, which starts with it and ends with it; false by default.
   */
  readonly ownsProcess?: boolean | undefined;
  /**
   * True when it can be opened but once, so that a conversation which is lost is lost for good; false by default.
   */
  readonly opensOnce?: boolean | undefined;
  /** Facts of its authorization, where it sees to that itself. */
  readonly authorization?: TransportAuthorization | undefined;
}

/** Facts of the authorization of a transport, for its user. */
export interface TransportAuthorization {
  /** Names whose authorization messages carry now: what is private is kept apart by it. */
  context(): string;
  /** The extensions of the protocol that it speaks, by id, with their settings. */
  readonly extensions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /** True where it is that of one person. */
  readonly personal?: boolean | undefined;
}

/**
 * A way to reach a peer. Each `open` makes a fresh conversation (a child process, an HTTP session, a pair of
 * queues), so a negotiation that lost one can try again.
 */
export interface Transport extends TransportFacts {
  /**
   * Opens one conversation.
   *
   * @throws ConnectionError when the peer cannot be reached.
   */
  open(receiver: Receiver): Promise<Channel>;
}

/** One open conversation, as the sender sees it. */
export interface Channel {
  /**
   * Hands one message (or, where the revision has them, a batch) to the peer.
   *
   * The promise settles when the peer has taken it: over HTTP after the whole exchange of that message. A request
   * whose answer can no longer come rejects, so that no caller waits in vain.
   *
   * @throws ConnectionError when the message did not reach the peer or its answer was lost.
   */
  send(message: Message | readonly Message[], options?: SendOptions): Promise<void>;
  /** Headers that go with every later message, where the transport carries any. */
  setHeaders?(headers: Readonly<Record<string, string>>): void;
  /**
   * Opens the stream for messages that belong to no request (HTTP, handshake revisions).
   *
   * @returns Whether anything may come on it: not where the server refused it. What fails for now is tried again.
   */
  listen?(): Promise<boolean>;
  /** Id of the process of the peer, where the conversation has one of its own on this machine. */
  readonly pid?: number | undefined;
  /** Closes the conversation and what it opened; closing twice is fine. The receiver hears nothing after it. */
  close(): Promise<void>;
}

/** Options of sending one message; only HTTP heeds any of it. */
export interface SendOptions {
  /** Gives up the exchange of this message and closes its response stream, where a message has one of its own. */
  readonly signal?: AbortSignal;
  /** Headers of this message alone, where the transport carries any. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The clocks of the request that is sent, which stand still while a person is asked for its sake. @internal */
  readonly clocks?: Clocks | undefined;
  /** The one in whose place the message is sent, for what authorizes it. */
  readonly caller?: unknown;
}

/** The clocks of a request that waits for its answer. */
export interface Clocks {
  /** Is told that the request waits for a person, and that it does so no longer. */
  waiting(person: boolean): void;
}

/** The side that hears what the peer sends. None of the callbacks may throw. */
export interface Receiver {
  /**
   * True when numbers shall keep their spelling, for who passes them on; see `parseMessage`. A transport that
   * cannot do it gives plain ones.
   */
  readonly exactNumbers?: boolean | undefined;
  /** Hears the text of each message first, as it came, where a message is a line of its own; must not throw. */
  readonly line?: ((text: string) => void) | undefined;
  /** One parsed JSON value, not yet checked; a batch arrives as the array that it is. */
  message(value: unknown, about?: MessageOrigin): void;
  /** Text that is no message (bad JSON, too long, …): nothing is lost silently, and the conversation lives on. */
  problem(error: Error, about?: MessageOrigin): void;
  /** Says that messages which belong to no request may have been lost, since their stream broke and was not taken up where it did. */
  readonly gap?: (() => void) | undefined;
  /** The conversation ended from the other side; called at most once, and nothing follows it but `exited`. */
  closed(error: ConnectionError): void;
  /** The process of the peer ended, where the conversation has one; also after the conversation was closed from here. */
  readonly exited?: ((code: number | null, signal: string | null) => void) | undefined;
}

/** Facts that a transport knows of a message beside its text. */
export interface MessageOrigin {
  /** Over HTTP: the status of the response that carried it. */
  readonly status?: number;
  /**
   * The request of ours in whose exchange it came; `null` where it came on a stream of no request, and left out where the
   * transport cannot tell.
   */
  readonly request?: RequestId | null;
  /** The text that it was read from. */
  readonly text?: string;
  /**
   * Id of the request that a message answers which cannot be read: the id of the request that it was to answer, as its
   * ends tell it; `null` for none.
   */
  readonly answered?: RequestId | null | undefined;
}

/** Reason why a connection failed, as seen from here; it never crosses the wire. `docs/errors.md` says what to do. */
export type ConnectionReason =
  | 'refused'
  | 'closed'
  | 'exited'
  | 'session-lost'
  | 'timeout'
  | 'aborted'
  | 'busy'
  | 'http'
  | 'unauthorized'
  | 'too-large'
  | 'invalid-message'
  | 'incompatible';

/** A failure of the connection: the peer was not reached, went away, or answered with something that is no MCP. */
export class ConnectionError extends Error {
  /** The kind of failure, for programs. */
  readonly reason: ConnectionReason;
  /** The HTTP status, if one was received. */
  readonly status: number | undefined;
  /** The beginning of the HTTP body, if one was received. */
  readonly body: string | undefined;
  /** The `WWW-Authenticate` header of a 401 or 403. */
  readonly challenge: string | undefined;
  /** Time after which the peer wishes another try, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  /** @param options Details, all optional. */
  constructor(
    reason: ConnectionReason,
    message: string,
    options: {
      /** The underlying error. */
      readonly cause?: unknown;
      /** The HTTP status, where one was received. */
      readonly status?: number;
      /** The beginning of the HTTP body, where one was received. */
      readonly body?: string;
      /** The `WWW-Authenticate` header of a 401 or 403. */
      readonly challenge?: string;
      /** Time after which to try again, in milliseconds. */
      readonly retryAfterMs?: number;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ConnectionError';
    this.reason = reason;
    this.status = options.status;
    this.body = options.body;
    this.challenge = options.challenge;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The refusals of messages in a session that the server does not know; it ran nothing of them. */
export const unknownSessions: WeakSet<ConnectionError> = new WeakSet();

/** The ends of programs that would end alike if they were started again: they cannot be loaded, or serve HTTP. */
export const failedLoads: WeakSet<ConnectionError> = new WeakSet();

/** The refusals of requests that had credentials, among the errors with the reason `unauthorized`. */
export const refusedCredentials: WeakSet<ConnectionError> = new WeakSet();

/** The same failure in other words. What is known of it beside them is known of the new error too. */
export function reworded(error: ConnectionError, words: (text: string) => string): ConnectionError {
  const { reason, message, cause, status, body, challenge, retryAfterMs } = error;
  const other = new ConnectionError(reason, words(message), {
    cause,
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body: words(body) }),
    ...(challenge === undefined ? {} : { challenge: words(challenge) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  for (const known of [unknownSessions, failedLoads, refusedCredentials]) if (known.has(error)) known.add(other);
  return other;
}
