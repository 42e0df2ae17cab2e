import type { Config } from '#platform/config/settings.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { GuardrailRecord } from '../guardrail.ts'
import {
  type EvaluatedEndpoint,
  type EvaluatedModel,
  type Forbids,
  type RuleOfStage,
  requiresZdr,
  rulesOfStage,
} from './rules.ts'
import { vendorLetters, type ZdrField } from './zdr.ts'

/** The name of a rule that can forbid something: its field in a guardrail. */
export type RuleName = RuleOfStage<'region' | 'model' | 'endpoint'>

/** The guardrail that forbids a request, and the rule. */
export type Verdict = { guardrail: GuardrailRecord; rule: RuleName }

type Vendors = Config['zdr_vendors']

const regionRules = rulesOfStage('region')
const modelRules = rulesOfStage('model')
const endpointRules = rulesOfStage('endpoint')

/**
 * Returns the first rule of several guardrails that forbids a value. Each guardrail is evaluated alone, and each can forbid. So
 * allowed lists intersect, ignored lists unite, and bans add up.
 */
function findViolation<Value>(
  guardrails: readonly GuardrailRecord[],
  rules: readonly { rule: RuleName; forbids: Forbids<Value> }[],
  value: Value,
): Verdict | undefined {
  for (const guardrail of guardrails) {
    for (const { rule, forbids } of rules) if (forbids(guardrail.policy, value)) return { guardrail, rule }
  }
  return undefined
}

/** Returns the rule that forbids requests through a region; undefined if they are allowed. */
export function findRegionViolation(guardrails: readonly GuardrailRecord[], region: Region): Verdict | undefined {
  return findViolation(guardrails, regionRules, region)
}

/** Returns the rule that forbids a model at every endpoint; undefined if no rule does. */
export function findModelViolation(guardrails: readonly GuardrailRecord[], model: EvaluatedModel): Verdict | undefined {
  return findViolation(guardrails, modelRules, model)
}

/** Returns the rule that forbids an endpoint for a model that is itself allowed; undefined if it is allowed. */
export function findEndpointViolation(
  guardrails: readonly GuardrailRecord[],
  model: EvaluatedModel,
  endpoint: EvaluatedEndpoint,
  vendors: Vendors,
): Verdict | undefined {
  return findViolation(guardrails, endpointRules, { endpoint, zdrField: zdrFieldOf(model.author, vendors) })
}

/** Returns the guardrail that requires zero data retention for every request to a model; undefined if none does. */
export function findStorageViolation(
  guardrails: readonly GuardrailRecord[],
  { author }: Pick<EvaluatedModel, 'author'>,
  vendors: Vendors,
): Verdict | undefined {
  const rule = zdrFieldOf(author, vendors)
  const guardrail = guardrails.find(({ policy }) => requiresZdr(policy, rule))
  return guardrail && { guardrail, rule }
}

function zdrFieldOf(author: string, vendors: Vendors): ZdrField {
  const letter = vendorLetters.find((candidate) => vendors[candidate].author === author)
  return letter ? `enforce_zdr_vendor_${letter}` : 'enforce_zdr_other'
}
