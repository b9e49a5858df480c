import { isObject } from '../../jsonrpc/message.ts';
import type { ElicitRequestURLParams } from '../../protocol/features/elicitation.ts';
import { McpError } from '../../protocol/error.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import { pageUrl } from '../../connection/page-url.ts';
import type { InputRequiredStep } from './step.ts';
import type { InputMethod } from '../../protocol/catalogue.ts';

/**
 * A tool returned a structured result that does not match its output schema, or returned none though it has a schema.
 */
export class OutputValidationError extends Error {
  /** The name of the tool. */
  readonly tool: string;
  /**
   * Reason why the result is not accepted: it does not fit, or to find out would cost too much (a schema or a result made
   * to keep this side busy, or a very large one; the option `validateOutput` turns the check off).
   */
  readonly reason: 'does-not-fit' | 'too-much-to-check';
  /** The places where the result does not match its schema. */
  readonly problems: readonly {
    /** A JSON pointer into the structured content. */
    readonly path: string;
    readonly message: string;
    /** True when it is not known if the result fits, since to find out would cost too much. */
    readonly tooMuch?: boolean;
  }[];
  /** The received result. */
  readonly result: CallToolResult;

  constructor(
    tool: string,
    problems: OutputValidationError['problems'],
    result: CallToolResult,
    options?: ErrorOptions,
  ) {
    const shown = problems.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    const tooMuch = problems.some((problem) => problem.tooMuch === true);
    const what = tooMuch ? 'was not checked against' : 'does not fit';
    super(`the result of tool ${JSON.stringify(tool)} ${what} its output schema: ${shown.join('; ')}`, options);
    this.name = 'OutputValidationError';
    this.reason = tooMuch ? 'too-much-to-check' : 'does-not-fit';
    this.tool = tool;
    this.problems = problems;
    this.result = result;
  }
}

/** The server wants input before it answers, and nothing here can give it. */
export class InputRequiredError extends Error {
  /** The method of the request that needs input. */
  readonly method: InputMethod;
  /** Step that asks for input; it can be answered by hand with `client.resume`. */
  readonly step: InputRequiredStep;

  constructor(step: InputRequiredStep, why: string) {
    super(`${step.method} needs input before it can be answered: ${why}`);
    this.name = 'InputRequiredError';
    this.method = step.method;
    this.step = step;
  }
}

/** The server kept requesting input when the limit of rounds was reached. */
export class TooManyRoundsError extends Error {
  /** The method of the request. */
  readonly method: InputMethod;
  /** The limit that was reached. */
  readonly maxRounds: number;
  /** Step that asks for more input; it can be answered by hand with `client.resume`. */
  readonly step: InputRequiredStep;

  constructor(step: InputRequiredStep, maxRounds: number) {
    super(`${step.method} was not answered within ${maxRounds} rounds of input`);
    this.name = 'TooManyRoundsError';
    this.method = step.method;
    this.maxRounds = maxRounds;
    this.step = step;
  }
}

/**
 * The pages that the user must visit before a request is retried, from an error of the kind `urlElicitationRequired`.
 * Any other error gives an empty list. Malformed entries and unsafe pages are left out. URLs are normalized.
 *
 * @example client.callTool('files').catch((error) => {
 * for (const { message, url } of urlElicitations(error)) showLink(message, url); });
 */
export function urlElicitations(error: unknown): readonly ElicitRequestURLParams[] {
  if (!(error instanceof McpError) || error.kind !== 'urlElicitationRequired' || !isObject(error.data)) return [];
  const { elicitations } = error.data;
  if (!Array.isArray(elicitations)) return [];
  return elicitations.filter(isUrlElicitation).flatMap((elicitation) => {
    const page = pageUrl(elicitation.url);
    return page === undefined ? [] : [{ ...elicitation, url: page.href }];
  });
}

function isUrlElicitation(value: unknown): value is ElicitRequestURLParams {
  if (!isObject(value) || value['mode'] !== 'url') return false;
  const { message, url, elicitationId } = value;
  return typeof message === 'string' && typeof elicitationId === 'string' && typeof url === 'string';
}
