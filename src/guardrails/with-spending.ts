import type { Config } from '#config/settings.ts'
import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import { guardrailSpending } from './budget.ts'
import { type Guardrail, type GuardrailRecord, publicForm } from './guardrail.ts'

type WithSpendingDeps = { db: Pick<Db, 'kind' | 'query'>; now: Now; config: Pick<Config, 'zdr_vendors'> }

/** The public form, with what was spent of the limit when there is one. */
export async function withSpending(deps: WithSpendingDeps, record: GuardrailRecord): Promise<Guardrail> {
  return { ...publicForm(deps, record), ...(await guardrailSpending(deps, record)) }
}
