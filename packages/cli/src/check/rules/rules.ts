import type { CheckRule } from '../rule.ts';
import { askingRules } from './asked/question-rules.ts';
import { answerRules } from './asked/answers.ts';
import { formWordRules } from './asked/form-words.ts';
import { noticeRules } from './asked/notices.ts';
import { agreedRules } from './messages/agreed.ts';
import { anotherRules } from './another.ts';
import { apartRules } from './apart.ts';
import { authorizationRules } from './authorization.ts';
import { basicRules } from './common/basic.ts';
import { byNameRules } from './messages/by-name.ts';
import { changeRules } from './changes.ts';
import { echoedRules } from './messages/echoed.ts';
import { envelopeRules } from './messages/envelope.ts';
import { featureRules } from './features.ts';
import { headerNameRules } from './http/header-names.ts';
import { httpGuardRules } from './http/guard.ts';
import { mirroredRules } from './http/mirrored.ts';
import { belongingRules } from './http/belongs.ts';
import { lastingRules } from './http/lasting.ts';
import { sameIssuerRules } from './http/same-issuer.ts';
import { resumedRules } from './http/resumed.ts';
import { ownIssuerRules } from './http/own-issuer.ts';
import { reachRules } from './http/reach.ts';
import { possessionRules } from './http/proofs.ts';
import { httpSessionRules } from './http/session.ts';
import { httpStreamRules } from './http/streams.ts';
import { standardHeaderRules } from './http/standard-headers.ts';
import { declaredMethods } from './hardening/declared.ts';
import { heavyRules } from './hardening/heavy.ts';
import { inputRules } from './inputs.ts';
import { lifecycleRules } from './lifecycle.ts';
import { listedRules } from './common/listed.ts';
import { logRules } from './messages/logs.ts';
import { meaningRules } from './messages/meanings.ts';
import { metaKeyRules } from './messages/meta-keys.ts';
import { onceRules } from './messages/once.ts';
import { uriRules } from './messages/uris.ts';
import { listRules } from './lists/pages.ts';
import { takenMetaRules } from './messages/taken-meta.ts';
import { nastyRules } from './hardening/nasty.ts';
import { outlives } from './hardening/outlives.ts';
import { offeredRules } from './offered.ts';
import { resultRules } from './results.ts';
import { sequenceRules } from './asked/sequence.ts';
import { nextRoundRules } from './asked/rounds.ts';
import { runningRules } from './running.ts';
import { scopeRules } from './http/scopes.ts';
import { skillRules } from './skills.ts';
import { statelessRules } from './common/stateless.ts';
import { sseRules } from './sse.ts';
import { stdioRules } from './stdio.ts';
import { subscriptionRules } from './subscriptions.ts';
import { coreTaskRules } from './tasks/core.ts';
import { coreLifeRules } from './tasks/core-life-rules.ts';
import { extensionLifeRules } from './tasks/extension-rules.ts';
import { watchedTaskRules } from './tasks/extension-watched.ts';
import { coreLimitRules } from './tasks/core-limits.ts';
import { taskExtensionRules } from './tasks/extension.ts';
import { toldRules } from './told.ts';
import { uiRules } from './ui.ts';

/** Every rule by which servers are judged. */
export const checkRules: readonly CheckRule[] = [
  ...envelopeRules,
  ...meaningRules,
  ...metaKeyRules,
  ...uriRules,
  ...onceRules,
  ...agreedRules,
  ...listedRules,
  ...headerNameRules,
  ...toldRules,
  ...basicRules,
  ...nastyRules,
  ...lifecycleRules,
  ...echoedRules,
  ...statelessRules,
  ...standardHeaderRules,
  ...byNameRules,
  ...httpGuardRules,
  ...reachRules,
  ...httpSessionRules,
  ...httpStreamRules,
  ...resumedRules,
  ...lastingRules,
  ...belongingRules,
  ...mirroredRules,
  ...authorizationRules,
  ...scopeRules,
  ...possessionRules,
  ...ownIssuerRules,
  ...sameIssuerRules,
  ...stdioRules,
  ...sseRules,
  ...featureRules,
  ...listRules,
  ...takenMetaRules,
  ...logRules,
  ...offeredRules,
  ...inputRules,
  ...uiRules,
  ...skillRules,
  ...subscriptionRules,
  ...apartRules,
  ...askingRules,
  ...formWordRules,
  ...noticeRules,
  ...resultRules,
  ...nextRoundRules,
  ...sequenceRules,
  ...anotherRules,
  ...answerRules,
  ...runningRules,
  ...changeRules,
  ...coreTaskRules,
  ...coreLifeRules,
  ...coreLimitRules,
  ...taskExtensionRules,
  ...extensionLifeRules,
  ...watchedTaskRules,
  declaredMethods,
  ...heavyRules,
  outlives,
];
