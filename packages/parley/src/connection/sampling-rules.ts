/** Rules by which tool uses and tool results follow each other in the messages of a sampling request. */
import type {
  CreateMessageRequestParams,
  SamplingMessage,
  SamplingMessageContentBlock,
} from '../protocol/features/sampling.ts';

/**
 * Reason why the messages of a sampling request may not go to a model, or `undefined` if they may.
 *
 * A message with tool results comes from the user and holds nothing more. The very next message answers every tool use
 * of the assistant, and only these. (Spec 2025-11-25, Sampling, Message content constraints.)
 */
export function samplingProblem({ messages }: Pick<CreateMessageRequestParams, 'messages'>): string | undefined {
  let open: ReadonlySet<string> = new Set();
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const problem = orderProblem(message.role, blocks) ?? balanceProblem(open, blocks);
    if (problem !== undefined) return `messages[${index}] ${problem}`;
    const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    open = new Set(uses);
    if (open.size < uses.length) return `messages[${index}] has two tool uses of one id`;
  }
  const [unanswered] = open;
  return unanswered === undefined ? undefined : `the tool result of ${shown(unanswered)} is missing`;
}

function blocksOf({ content }: SamplingMessage): readonly SamplingMessageContentBlock[] {
  // A block may have any further key, so that nothing but its kind tells a list from it.
  return isList(content) ? content : [content];
}

/** Tells a readonly array from one value, which the compiler cannot. */
function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function orderProblem(role: string, blocks: readonly SamplingMessageContentBlock[]): string | undefined {
  const results = blocks.filter(({ type }) => type === 'tool_result').length;
  if (results > 0 && results < blocks.length) return 'mixes tool results with other content';
  if (results > 0 && role !== 'user') return 'has tool results, which only the user gives';
  const uses = blocks.some(({ type }) => type === 'tool_use');
  return uses && role !== 'assistant' ? 'has tool uses, which only the assistant makes' : undefined;
}

function balanceProblem(open: ReadonlySet<string>, blocks: readonly SamplingMessageContentBlock[]): string | undefined {
  const waiting = new Set(open);
  for (const block of blocks) {
    if (block.type === 'tool_result' && !waiting.delete(block.toolUseId))
      return `has a tool result of ${shown(block.toolUseId)}, which nothing before it waits for`;
  }
  const [unanswered] = waiting;
  return unanswered === undefined ? undefined : `lacks the tool result of ${shown(unanswered)}`;
}

function shown(id: string): string {
  return JSON.stringify(id.length > 64 ? `${id.slice(0, 64)}…` : id);
}
