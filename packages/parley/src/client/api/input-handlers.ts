import type { ElicitResult } from '../../protocol/features/elicitation.ts';
import type { ListRootsResult } from '../../protocol/features/roots.ts';
import type { CreateMessageResult } from '../../protocol/features/sampling.ts';
import type { Written } from '../../schema/infer.ts';
import type { ElicitRequestFormParams, ElicitRequestURLParams } from '../../protocol/features/elicitation.ts';
import type { Root } from '../../protocol/features/roots.ts';
import type { CreateMessageRequestParams } from '../../protocol/features/sampling.ts';
import type { RevisionDate } from '../../protocol/revision.ts';

/** The answers of a manual step, by the keys of its questions. */
export type InputAnswers = Readonly<Record<string, InputAnswer>>;

/** The answer to a question of the user: in full, or the action alone. */
export type ElicitAnswer = Written<ElicitResult> | ElicitResult['action'];

/** The answer of the model: in full, or its text alone. */
export type SampleAnswer = Written<CreateMessageResult> | string;

/** The roots: in full, or the list alone. */
export type RootsAnswer = Written<ListRootsResult> | readonly Written<Root>[];

/** The answer to anything that a server may ask for: an `ElicitAnswer`, a `SampleAnswer` or a `RootsAnswer`. */
export type InputAnswer = Written<ElicitResult | CreateMessageResult> | RootsAnswer | string;

/** Facts for a handler beside the question. */
export interface InputContext {
  /** The revision in use, by its date. */
  readonly revision: RevisionDate;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /**
   * The id of this client's request within which the server asks, as `onSent` received it; left out if unknown. It is
   * known over HTTP, where a server asks on the response stream of the request.
   */
  readonly request?: number | undefined;
}

/** The roots themselves, or what finds them each time that a server asks. */
export type RootsSource = readonly Root[] | ((context: InputContext) => readonly Root[] | Promise<readonly Root[]>);

/** Handlers for requests of a server. Installing a handler declares its capability. */
export interface InputHandlers {
  /**
   * Asks the user with a form; declares `elicitation`. Show which server asks, and let the user decline. Empty fields
   * of accepted content get their defaults. Invalid content is an error here. If the handler throws, the call rejects
   * with that error; or with an error whose `cause` it is, if a session's server answers with an error of its own. An
   * `McpError` reaches such a server unchanged, any other error without its message.
   */
  readonly onElicit?: (params: ElicitRequestFormParams, context: InputContext) => ElicitAnswer | Promise<ElicitAnswer>;
  /**
   * Asks the user to visit a page; declares `elicitation.url`. Show the whole URL and its `host` separately, open it
   * only when the user agrees, and never fetch it. `accept` means that the user agreed, not that the visit is over.
   *
   * A server chooses the URL. A URL is rejected before the handler runs if it is neither `https:` nor `http:` on this
   * machine, or if it has a user name (which could be mistaken for a host). The remaining URLs may still hold
   * characters that a shell interprets (`&`, `;`, `$`), so never put one into a command line: `openPage` of
   * `parley-mcp/node` opens it without a shell. (Spec 2025-11-25, Elicitation, Safe URL Handling.)
   */
  readonly onElicitUrl?: (params: UrlElicitation, context: InputContext) => ElicitAnswer | Promise<ElicitAnswer>;
  /**
   * Asks the model; advertises `sampling`. That the model may be given tools is declared in `capabilities`
   * (`sampling.tools`). A user who does not allow it is `new McpError(-1, 'User rejected sampling request')`.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): sampling still works; a revision from 2027-07-28 on may remove it.
   */
  readonly onSample?: (
    params: CreateMessageRequestParams,
    context: InputContext,
  ) => SampleAnswer | Promise<SampleAnswer>;
  /**
   * The places that servers may work in, each a `file://` URI; advertises `roots`.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): roots still work; a revision from 2027-07-28 on may remove it.
   */
  readonly roots?: RootsSource;
}

/** A page that a server asks a user to visit. */
export interface UrlElicitation extends ElicitRequestURLParams {
  /** The page, as URL parsers write it: `https:`, or `http:` on this machine, without a user name. */
  readonly url: string;
  /** The host of the page, and its port unless it is the default. Show it to the user separately. */
  readonly host: string;
}
