import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import type { TurnBudget } from '../contract/turn-budget.ts'

const Usd = z.number().positive().max(1_000_000)
/** A time limit of at most a year. */
const Seconds = z.int().min(1).max(31_536_000)

/** The limits of one turn, set by its prompt. */
export const PromptBudget = strictFields({
  max_cost_usd: Usd.describe('Maximum cost, in USD.').nullish(),
  max_seconds: Seconds.describe('Maximum working time, in seconds. Waiting for an answer does not count.').nullish(),
}).meta({
  id: 'InternTurnBudget',
  description: 'The limits of one turn, within the remaining budget of the intern.',
})
export type PromptBudget = z.infer<typeof PromptBudget>

/** The limits of each turn and each session of an intern. */
export const NewInternBudget = strictFields({
  max_cost_usd: Usd.nullable().describe('Maximum cost of a turn, in USD.'),
  max_seconds: Seconds.nullable().describe(
    'Maximum working time of a turn, in seconds. Waiting for an answer does not count.',
  ),
  session_max_cost_usd: Usd.nullable().describe('Maximum total cost of a session, in USD.'),
  session_max_turns: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .describe('Maximum number of runs of a session. An answer to a question does not count.'),
})
  .partial()
  .meta({ id: 'NewInternBudget', description: 'Limits for each turn and each session.' })

/** The limits as the API returns them, without missing ones. */
export const InternBudget = z
  .object({
    max_cost_usd: z.number().optional(),
    max_seconds: z.int().optional(),
    session_max_cost_usd: z.number().optional(),
    session_max_turns: z.int().optional(),
  })
  .meta({ id: 'InternBudget', description: 'Limits for each turn and each session.' })
export type InternBudget = z.infer<typeof InternBudget>

/** The stored form: null without limits. */
export function toBudgetColumn(budget: z.infer<typeof NewInternBudget> | null): string | null {
  const limits = Object.entries(budget ?? {}).filter(([, limit]) => limit != null)
  return limits.length > 0 ? JSON.stringify(Object.fromEntries(limits)) : null
}

/** The lowest limits of the intern, its session and the prompt; undefined without limits. */
export function computeTurnBudget(
  internBudget: InternBudget | null,
  requested: PromptBudget | null | undefined,
  sessionSpentUsd: number,
): TurnBudget | undefined {
  const turnUsd = lowestLimit(internBudget?.max_cost_usd, requested?.max_cost_usd)
  const sessionRemainingUsd =
    internBudget?.session_max_cost_usd == null ? undefined : internBudget.session_max_cost_usd - sessionSpentUsd
  const costUsd = lowestLimit(turnUsd, sessionRemainingUsd)
  const seconds = lowestLimit(internBudget?.max_seconds, requested?.max_seconds)
  if (costUsd === undefined && seconds === undefined) return undefined
  const costOf = costUsd === turnUsd ? ('max_cost_usd' as const) : ('session_max_cost_usd' as const)
  const budget: TurnBudget = {}
  if (costUsd !== undefined) Object.assign(budget, { costUsd, costOf })
  if (internBudget?.session_max_cost_usd != null) budget.sessionUsd = internBudget.session_max_cost_usd
  if (seconds !== undefined) budget.seconds = seconds
  return budget
}

function lowestLimit(a: number | null | undefined, b: number | null | undefined): number | undefined {
  const limits = [a, b].filter((each) => each != null)
  return limits.length > 0 ? Math.min(...limits) : undefined
}
