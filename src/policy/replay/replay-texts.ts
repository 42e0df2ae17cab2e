import type { Policy } from '../guardrails/decide/policy.ts'
import type { RuleOfStage } from '../guardrails/decide/rules.ts'

/** The parts of a verdict that may be unknown for a past request. */
export type Undecidable = 'catalogue' | RuleOfStage<'content'>

/** The reason why a part of a verdict is unknown. */
export const undecidableReasons: Record<Undecidable, string> = {
  catalogue: 'A model of the request is no longer in the catalogue, so its properties and providers are unknown.',
  content_filter_builtins:
    'Prompts are not stored. Only the findings at the time are known, and these requests have none.',
  content_filters: 'Prompts are not stored, so custom patterns cannot be matched with them.',
}

/** The assumptions behind the numbers of a replay, as far as they concern the policy. */
export function listAssumptions(policy: Policy): string[] {
  const texts = [
    'Requests that were refused at the time are not included. Requests that failed, or that no provider could serve, are included.',
    'Models, endpoints, prices and data policies are taken from the current catalogue.',
  ]
  if (policy.limit_usd !== null) {
    texts.push(
      'The limit is compared with the actual charges of requests. A live request reserves its highest possible cost, so the last requests before the limit may be refused earlier.',
    )
  }
  if (policy.group_limits !== null) {
    texts.push('The limits of sessions and tags start at zero at the beginning of the period.')
  }
  return texts
}
