import type { CheckRule } from '../rule.ts';
import { basicRules } from './basic.ts';
import { envelopeRules } from './envelope.ts';

/** Every rule by which servers are judged. */
export const checkRules: readonly CheckRule[] = [...envelopeRules, ...basicRules];
