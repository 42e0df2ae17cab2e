import type { Model } from '#catalogue/index/model.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { GuardrailRecord } from '../guardrail.ts'
import { judgeEndpoint, judgeModel, judgeRegion } from './judge.ts'

/** Returns a predicate: whether a request through the region can name a model without a refusal. */
export function createModelFilter(
  guardrails: readonly GuardrailRecord[],
  region: Region,
  vendors: Config['zdr_vendors'],
): (model: Model) => boolean {
  if (judgeRegion(guardrails, region)) return () => false
  return (model) =>
    !judgeModel(guardrails, model) &&
    model.endpoints.some((endpoint) => !judgeEndpoint(guardrails, model, endpoint, vendors))
}
