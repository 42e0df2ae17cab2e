import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Db } from '#platform/db/db.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import type { GuardrailRecord } from '../guardrail.ts'
import type { GuardrailCache } from '../guardrail-cache.ts'
import { listGuardrailRows } from '../guardrail-rows.ts'
import { findEndpointViolation, findModelViolation, type RuleName } from './find-violation.ts'

/** The verdict of one guardrail on a model. */
export type ModelVerdict = {
  guardrail: GuardrailRecord
  /** The rule that forbids the model at every endpoint. */
  rule: RuleName | undefined
  /** The forbidden endpoints, each with the rule that forbids it. */
  forbiddenEndpoints: { endpoint: Endpoint; rule: RuleName }[]
}

type VerdictDeps = {
  db: Pick<Db, 'kind' | 'query'>
  guardrailCache: Pick<GuardrailCache, 'policiesOf'>
  config: Pick<Config, 'zdr_vendors'>
}

/**
 * The verdicts of guardrails on a model. For a management key, these are all guardrails of the organization or workspace;
 * otherwise those that apply to the caller.
 */
export async function listModelVerdicts(
  { db, guardrailCache, config }: VerdictDeps,
  caller: Caller,
  model: Model,
  page: PageQuery,
): Promise<Page<ModelVerdict>> {
  const { data, total_count } =
    caller.keyKind === 'management'
      ? await listGuardrailRows(db, caller.organizationId, {
          ...page,
          workspace_id: caller.isWorkspaceScoped ? caller.workspaceId : undefined,
        })
      : pageOf((await guardrailCache.policiesOf(caller)).guardrails, page)
  return { data: data.map((guardrail) => verdictOf(guardrail, model, config.zdr_vendors)), total_count }
}

const pageOf = (all: readonly GuardrailRecord[], { offset, limit }: PageQuery): Page<GuardrailRecord> => ({
  data: all.slice(offset, offset + limit),
  total_count: all.length,
})

function verdictOf(guardrail: GuardrailRecord, model: Model, vendors: Config['zdr_vendors']): ModelVerdict {
  return {
    guardrail,
    rule: findModelViolation([guardrail], model)?.rule,
    forbiddenEndpoints: model.endpoints.flatMap((endpoint) => {
      const verdict = findEndpointViolation([guardrail], model, endpoint, vendors)
      return verdict ? [{ endpoint, rule: verdict.rule }] : []
    }),
  }
}
