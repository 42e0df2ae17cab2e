import { requireModel } from '#gateway/request/resolve-models.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { listModelVerdicts, type ModelVerdict } from '#policy/guardrails/decide/model-verdicts.ts'
import { ModelParams, modelName } from '../../models/model-params.ts'
import { route } from '../route.ts'

const rule = z.string().describe('The field of the guardrail, such as `ignored_models`.')

const Verdict = z
  .object({
    guardrail_id: z.uuid(),
    guardrail_name: z.string(),
    workspace_id: z.uuid(),
    rule: rule.nullable().describe('The rule that forbids the model at every provider; null if there is none.'),
    endpoints: z
      .array(z.object({ tag: z.string(), provider_name: z.string(), rule }))
      .describe('Providers that are not allowed to serve the model.'),
    is_allowed: z.boolean().describe('Whether at least one provider is allowed.'),
  })
  .meta({ id: 'ModelVerdict', description: 'The effect of a guardrail on a model.' })

export const listGuardrailsForModel = route({
  method: 'get',
  path: '/models/{author}/{slug}/guardrails',
  tag: 'guardrails',
  key: 'any',
  summary: 'Get the effect of guardrails on a model',
  description:
    'A management key gets each guardrail of the organization; every other key gets those that apply to it. Regions and spending limits are not checked.',
  request: { params: ModelParams, query: PageQuery },
  response: pageOf(Verdict),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params, query, caller }, deps) => {
    const model = requireModel(deps.catalogue.current(), modelName(params))
    const { data, total_count } = await listModelVerdicts(deps, caller, model, query)
    return { data: data.map((verdict) => verdictItem(verdict, model.endpoints.length)), total_count }
  },
})

function verdictItem(
  { guardrail, rule, forbiddenEndpoints }: ModelVerdict,
  endpointCount: number,
): z.infer<typeof Verdict> {
  return {
    guardrail_id: guardrail.id,
    guardrail_name: guardrail.name,
    workspace_id: guardrail.workspaceId,
    rule: rule ?? null,
    endpoints: forbiddenEndpoints.map(({ endpoint, rule: endpointRule }) => ({
      tag: endpoint.tag,
      provider_name: endpoint.provider,
      rule: endpointRule,
    })),
    is_allowed: rule === undefined && forbiddenEndpoints.length < endpointCount,
  }
}
