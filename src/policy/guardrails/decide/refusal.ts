import { Fault } from '#platform/core/fault.ts'
import type { GuardrailRecord } from '../guardrail.ts'

/** A refusal by a guardrail: names the guardrail and the rule, and never repeats the matched text. */
export function createRefusal(
  verdict: { guardrail: Pick<GuardrailRecord, 'id' | 'name'>; rule: string },
  reason: string,
  extraMetadata: Record<string, unknown> = {},
): Fault {
  const { guardrail, rule } = verdict
  return new Fault('forbidden', `Refused by the guardrail ${JSON.stringify(guardrail.name)} (${rule}): ${reason}.`, {
    metadata: { guardrail_id: guardrail.id, guardrail_name: guardrail.name, rule, ...extraMetadata },
  })
}

export function createRegionRefusal(verdict: { guardrail: GuardrailRecord; rule: string }, region: string): Fault {
  return createRefusal(verdict, `requests are not allowed through the region "${region}"`)
}
