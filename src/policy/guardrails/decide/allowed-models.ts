import type { Model } from '#catalogue/index/model.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { GuardrailRecord } from '../guardrail.ts'
import { findEndpointViolation, findModelViolation, findRegionViolation } from './find-violation.ts'

/** Returns a predicate for the models that the guardrails allow for requests through a region. */
export function createModelFilter(
  guardrails: readonly GuardrailRecord[],
  region: Region,
  vendors: Config['zdr_vendors'],
): (model: Model) => boolean {
  if (findRegionViolation(guardrails, region)) return () => false
  return (model) =>
    !findModelViolation(guardrails, model) &&
    model.endpoints.some((endpoint) => !findEndpointViolation(guardrails, model, endpoint, vendors))
}
