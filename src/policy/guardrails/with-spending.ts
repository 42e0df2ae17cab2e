import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { guardrailSpending } from './decide/budget.ts'
import { type Guardrail, type GuardrailRecord, publicForm } from './guardrail.ts'

type WithSpendingDeps = { db: Pick<Db, 'kind' | 'query'>; now: Now; config: Pick<Config, 'zdr_vendors'> }

/** The public form of a guardrail, with the amount spent if it has a limit. */
export async function withSpending(deps: WithSpendingDeps, record: GuardrailRecord): Promise<Guardrail> {
  return { ...publicForm(deps, record), ...(await guardrailSpending(deps, record)) }
}
