/** Answers that handlers of a client may give; this file is checked, never run. */

import type {
  CreateMessageResult as OldSample,
  ElicitResult as OldElicit,
  ListRootsResult as OldRoots,
} from '@modelcontextprotocol/sdk/types.js';
import type { CreateMessageResult, ElicitResult, ListRootsResult } from '@modelcontextprotocol/server';
import type { ElicitAnswer, RootsAnswer, SampleAnswer } from '../api/input-handlers.ts';

declare const official: {
  readonly sample: CreateMessageResult | OldSample;
  readonly elicit: ElicitResult | OldElicit;
  readonly roots: ListRootsResult | OldRoots;
};
declare const tags: readonly string[];

// Results of the official SDK are answers, and what is only read may be readonly, or undefined where it may be missing.
export const samples: readonly SampleAnswer[] = [official.sample, 'text'];
export const elicited: readonly ElicitAnswer[] = [
  official.elicit,
  { action: 'accept', content: { tags } },
  { action: 'decline', content: undefined },
  // @ts-expect-error What is filled in has a value.
  { action: 'accept', content: { name: undefined } },
  // @ts-expect-error There are three actions.
  { action: 'refuse' },
];
export const roots: readonly RootsAnswer[] = [official.roots, [{ uri: 'file:///a', name: undefined }]];
