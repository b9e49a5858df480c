/** Sampling as older revisions know it: one block to a message, and no tools. */

import { cannotSay, needsCapability, type Adaptation } from './adaptation.ts';
import { until } from '../lifetime.ts';
import type { Revision } from '../revision.ts';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  SamplingMessage,
  SamplingMessageContentBlock,
} from '../features/sampling.ts';

/** A message of several blocks before 2025-11-25: several messages of the same role, in the same order. */
export const blocksAsMessages: Adaptation<CreateMessageRequestParams> = {
  name: 'blocksAsMessages',
  life: until('2025-11-25'),
  toWire: (params) => {
    if (!params.messages.some(({ content }) => isList(content))) return params;
    return { ...params, messages: params.messages.flatMap(splitMessage) };
  },
};

function splitMessage(message: SamplingMessage): readonly SamplingMessage[] {
  const { content } = message;
  return isList(content) ? content.map((block) => ({ ...message, content: block })) : [message];
}

/** Tools for the model before 2025-11-25: an error, since an answer without them would not be what was asked. */
export const noToolsForModels: Adaptation<CreateMessageRequestParams> = {
  name: 'noToolsForModels',
  life: until('2025-11-25'),
  toWire: (params, revision) => {
    if (params.tools === undefined || params.tools.length === 0) return params;
    throw needsCapability('sampling with tools', revision, { sampling: { tools: {} } });
  },
};

/** A single message of several blocks before 2025-11-25: its block when there is one, else an error. */
export const oneBlockPerMessage: Adaptation<SamplingMessage> = {
  name: 'oneBlockPerMessage',
  life: until('2025-11-25'),
  toWire: (message, revision) =>
    isList(message.content) ? { ...message, content: singleBlock(message.content, revision) } : message,
};

/** An answer of several blocks before 2025-11-25: one text when all are texts, else an error. */
export const oneBlockPerAnswer: Adaptation<CreateMessageResult> = {
  name: 'oneBlockPerAnswer',
  life: until('2025-11-25'),
  toWire: (result, revision) =>
    isList(result.content) ? { ...result, content: singleBlock(result.content, revision) } : result,
};

function singleBlock(blocks: readonly SamplingMessageContentBlock[], revision: Revision): SamplingMessageContentBlock {
  const [first] = blocks;
  if (first !== undefined && blocks.length === 1) return first;
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  if (texts.length < blocks.length) throw cannotSay('a sampling message of several blocks', revision);
  return { type: 'text', text: texts.join('\n') };
}

function isList(content: SamplingMessage['content']): content is readonly SamplingMessageContentBlock[] {
  return Array.isArray(content);
}
