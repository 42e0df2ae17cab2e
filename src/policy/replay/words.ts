import type { Policy } from '../guardrails/decide/policy.ts'
import type { RuleAt } from '../guardrails/decide/rules.ts'

/** The parts of a verdict that may be unknown for a past request. */
export type Undecidable = 'catalogue' | RuleAt<'content'>

/** The reason why a part of a verdict is unknown. */
export const reasons: Record<Undecidable, string> = {
  catalogue: 'A model of the request is not in the catalogue any more, so what it is and who serves it is not known.',
  content_filter_builtins:
    'Prompts are not kept. Only what a filter found at the time is known; of these requests nothing is.',
  content_filters: 'Prompts are not kept, so custom patterns cannot be matched against them.',
}

/** The assumptions behind the figures, as far as they concern the policy. */
export function notes(policy: Policy): string[] {
  return [
    'Only requests that were let through at the time were metered: those refused then are not among these. Those that failed, or that no provider could take, are.',
    'Models, endpoints, prices and data policies are those of the catalogue today.',
    ...(policy.limit_usd === null
      ? []
      : [
          'The limit is held against what requests did cost. At the door the most they may cost is set aside, so the last few before a spent limit may be refused earlier.',
        ]),
  ]
}
