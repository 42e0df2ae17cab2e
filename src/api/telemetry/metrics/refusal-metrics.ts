import { createCounter, type Metric } from '#platform/metrics/metric.ts'
import { rules } from '#policy/guardrails/decide/rules.ts'

/** The number of guardrails that are counted separately; further ones are counted together. */
const maxGuardrails = 500

/** Returns the field of a rule without an index, so that all custom filters of a guardrail count together. */
const fieldOf = (rule: string) => rule.replace(/[.[].*$/s, '')

/** Counts refused requests by guardrail, or by the limit of the key. */
export function refusalMetrics(): { all: Metric[]; observe: (by: { guardrail?: string; rule: string }) => void } {
  const byRule = createCounter({
    name: 'signalbox_refusals_total',
    help: 'Requests refused by a rule of a guardrail, or by the limit of a key (limit), by rule.',
    labels: ['rule'],
  })
  const byGuardrail = createCounter({
    name: 'signalbox_guardrail_refusals_total',
    help: 'Requests refused by guardrails, by the id of the guardrail and the rule.',
    labels: ['guardrail', 'rule'],
  })
  for (const rule of [...Object.keys(rules), 'limit']) byRule.start(rule)
  const countedGuardrails = new Set<string>()
  return {
    all: [byRule, byGuardrail],
    observe({ guardrail, rule }) {
      const field = fieldOf(rule)
      byRule.add(field)
      if (guardrail === undefined) return
      if (countedGuardrails.size < maxGuardrails) countedGuardrails.add(guardrail)
      byGuardrail.add(countedGuardrails.has(guardrail) ? guardrail : 'other', field)
    },
  }
}
