import type { CheckRule } from '../rule.ts';
import { basicRules } from './basic.ts';
import { envelopeRules } from './envelope.ts';
import { featureRules } from './features.ts';
import { httpGuardRules } from './http-guard.ts';
import { httpSessionRules } from './http-session.ts';
import { lifecycleRules } from './lifecycle.ts';
import { listedRules } from './listed.ts';
import { statelessRules } from './stateless.ts';
import { stdioRules } from './stdio.ts';
import { subscriptionRules } from './subscriptions.ts';

/** Every rule by which servers are judged. */
export const checkRules: readonly CheckRule[] = [
  ...envelopeRules,
  ...listedRules,
  ...basicRules,
  ...lifecycleRules,
  ...statelessRules,
  ...httpGuardRules,
  ...httpSessionRules,
  ...stdioRules,
  ...featureRules,
  ...subscriptionRules,
];
