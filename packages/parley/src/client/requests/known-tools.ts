import { setNewest } from '../../jsonrpc/newest.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { hashOf } from '../../connection/hash.ts';
import { encodeHeaderValue, headerParametersOf, headerValueOf, type HeaderParameter } from '../../connection/header.ts';
import { McpError } from '../../protocol/error.ts';
import { nearestWords } from '../../options/nearest.ts';
import type { Tool, ToolExecution } from '../../protocol/features/tool.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import { OutputValidationError } from '../api/errors.ts';

/** Limit of tool definitions that are remembered; the longest unseen are forgotten first. */
const most = 10_000;

/** The longest warning about a schema, in characters. */
const maxWordsLength = 1_000;

/** Check of structured results. */
export interface OutputCheck {
  /** Returns the problems of a result. */
  check(value: unknown): OutputValidationError['problems'];
  /** Gives the integers that have lost digits. */
  readonly lost?: ((value: unknown) => OutputValidationError['problems']) | undefined;
  /** Message about unusable parts of the schema, and why. They reject nothing. */
  readonly unused?: string | undefined;
  /** True if nothing of the schema can be used. */
  readonly ignored?: boolean | undefined;
}

/** Makes the check of one output schema. */
export type CompileOutput = (schema: unknown) => Promise<OutputCheck>;

interface Known {
  readonly tool: Tool;
  parameters?: readonly HeaderParameter[];
  check?: Promise<OutputCheck>;
}

/**
 * The tool definitions that a client has seen. Calls mirror arguments by them, and results are validated against them.
 */
export class KnownTools {
  readonly #known = new Map<string, Known>();
  readonly #compile: CompileOutput;
  readonly #warn: (message: string) => void;
  /** Hashes of earlier warnings, so that a list that comes again repeats none. */
  readonly #told = new Set<string>();

  constructor(compile: CompileOutput, warn: (message: string) => void) {
    this.#compile = compile;
    this.#warn = warn;
  }

  /** Remembers definitions; the newest of a name counts. */
  learn(tools: readonly Tool[]): void {
    for (const tool of tools) setNewest(this.#known, most, [tool.name, { tool }]);
  }

  /** Use of tasks for a tool, in revisions in which the client asks for them; `undefined` for a tool that was not listed. */
  taskSupport(name: string): NonNullable<ToolExecution['taskSupport']> | undefined {
    const known = this.#known.get(name);
    // Absent means forbidden. (Spec 2025-11-25, Tasks, Tool-Level Negotiation.)
    return known && (known.tool.execution?.taskSupport ?? 'forbidden');
  }

  /** The `Mcp-Param-*` headers of a call, from the newest known definition of its tool. */
  headers(name: string, argumentsOfCall: unknown): Readonly<Record<string, string>> {
    const known = this.#known.get(name);
    if (known === undefined) return {};
    known.parameters ??= headerParametersOf(known.tool.inputSchema).parameters;
    const headers: [string, string][] = [];
    for (const parameter of known.parameters) {
      const value = headerValueOf(argumentsOfCall, parameter.path);
      if (value !== undefined) headers.push([`Mcp-Param-${parameter.name}`, encodeHeaderValue(value)]);
    }
    return Object.fromEntries(headers);
  }

  /** The error of a call for its caller: if the server has not listed this tool, with the nearest names. */
  explained(error: unknown, name: string): unknown {
    if (error instanceof McpError && error.kind === 'invalidParams' && !this.#known.has(name)) {
      // It was created for this answer, so no other code holds it yet.
      error.message += nearestWords(name, [...this.#known.keys()]);
    }
    return error;
  }

  /**
   * The validator for a tool's results, ready before the tool is called; `undefined` if the tool has no output schema.
   * Unusable parts of the schema reject no result. A warning reports them.
   */
  check(name: string): Promise<(result: CallToolResult) => void> | undefined {
    const known = this.#known.get(name);
    // A learned list is unchecked. It may have null for missing fields, and malformed entries.
    if (known === undefined || !isObject(known.tool.outputSchema)) return undefined;
    known.check ??= this.#compile(known.tool.outputSchema);
    return known.check.then((check) => {
      if (check.unused !== undefined) this.#tellOnce(`the output schema of ${shownTool(name)} ${check.unused}`);
      return (result) => {
        checkResult(name, result, check);
        const [lost] = check.lost?.(result.structuredContent) ?? [];
        if (lost === undefined) return;
        const where = `${shownTool(name)} at ${JSON.stringify(lost.path.slice(0, 128))}`;
        this.#tellOnce(
          `the result of ${where} has an integer beyond 2^53, which may have lost digits (exactNumbers keeps them)`,
        );
      };
    });
  }

  #tellOnce(words: string): void {
    // It may quote a server's text of any length, and a substring keeps the whole text in memory.
    const hash = hashOf(words);
    if (this.#told.has(hash)) return;
    if (this.#told.size >= most) this.#told.clear();
    this.#told.add(hash);
    this.#warn(words.slice(0, maxWordsLength));
  }
}

function shownTool(name: string): string {
  return `tool ${JSON.stringify(name.slice(0, 128))}`;
}

/** Spec 2025-06-18, Tools, Output schema: a result that is no error must have conforming structured content. */
function checkResult(name: string, result: CallToolResult, check: OutputCheck): void {
  // A schema that cannot be read requires nothing: a result without structured content passes too.
  if (result.isError === true || check.ignored === true) return;
  const problems =
    result.structuredContent === undefined
      ? [{ path: '', message: 'structuredContent is missing' }]
      : check.check(result.structuredContent);
  if (problems.length > 0) throw new OutputValidationError(name, problems, result);
}

/** Leaves out the tools with invalid `x-mcp-header` annotations, and reports each. */
export function withoutInvalidHeaders(tools: readonly Tool[], warn: (message: string) => void): readonly Tool[] {
  return tools.filter((tool) => {
    const { problems } = headerParametersOf(tool.inputSchema);
    if (problems.length > 0) warn(`${shownTool(tool.name)} was left out: ${problems.slice(0, 5).join('; ')}`);
    return problems.length === 0;
  });
}
