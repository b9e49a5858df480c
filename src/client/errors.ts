import type { CallToolResult } from '../protocol/tools.ts';

/** One place where a structured result does not fit its schema. */
export interface OutputProblem {
  /** A JSON pointer into the structured content. */
  readonly path: string;
  readonly message: string;
}

/** A tool gave a structured result that its own output schema does not allow, or none where it promised one. */
export class OutputValidationError extends Error {
  readonly tool: string;
  readonly problems: readonly OutputProblem[];
  /** The result as it came; `undefined` when the schema itself is unusable and the tool was not called. */
  readonly result: CallToolResult | undefined;

  constructor(tool: string, problems: readonly OutputProblem[], result?: CallToolResult, options?: ErrorOptions) {
    const shown = problems.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(`the result of tool ${JSON.stringify(tool)} does not fit its output schema: ${shown.join('; ')}`, options);
    this.name = 'OutputValidationError';
    this.tool = tool;
    this.problems = problems;
    this.result = result;
  }
}

/** The server wants input before it answers, and nothing here can give it. */
export class InputRequiredError extends Error {
  readonly method: string;
  /** The `InputRequiredResult` as it came; it holds what is asked and what a retry must carry. */
  readonly result: Readonly<Record<string, unknown>>;

  constructor(method: string, result: Readonly<Record<string, unknown>>) {
    super(`${method} needs input from the user or the model before it can be answered`);
    this.name = 'InputRequiredError';
    this.method = method;
    this.result = result;
  }
}
