import { PageQuery, pageOf } from '#platform/core/page.ts'
import { z } from '#platform/json/schema.ts'
import { type ModelVerdict, modelVerdicts } from '#policy/guardrails/decide/model-verdicts.ts'
import { ModelPath, namedModel, nameIn } from '../../models/named-model.ts'
import { route } from '../route.ts'

const rule = z.string().describe('By the name of its field.')

const Verdict = z
  .object({
    guardrail_id: z.uuid(),
    guardrail_name: z.string(),
    workspace_id: z.uuid(),
    rule: rule.nullable().describe('The rule that forbids the model, whoever serves it; null where none does.'),
    endpoints: z
      .array(z.object({ tag: z.string(), provider_name: z.string(), rule }))
      .describe('Those who may not serve it.'),
    is_allowed: z.boolean().describe('Whether anybody who serves it is left.'),
  })
  .meta({ id: 'ModelVerdict', description: 'What a guardrail leaves of a model.' })

export const listGuardrailsForModel = route({
  method: 'get',
  path: '/models/{author}/{slug}/guardrails',
  tag: 'guardrails',
  key: 'any',
  summary: 'What guardrails allow of a model',
  description:
    'Each guardrail of the organization for a management key; every other key is told of those in force for itself. Regions that requests may come in through are not looked at, nor limits on spending.',
  request: { params: ModelPath, query: PageQuery },
  response: pageOf(Verdict),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params, query, caller }, deps) => {
    const model = namedModel(deps.catalogue.current(), nameIn(params))
    const { data, total_count } = await modelVerdicts(deps, caller, model, query)
    return { data: data.map((verdict) => verdictAnswer(verdict, model.endpoints.length)), total_count }
  },
})

function verdictAnswer({ guardrail, rule, endpoints }: ModelVerdict, served: number): z.infer<typeof Verdict> {
  return {
    guardrail_id: guardrail.id,
    guardrail_name: guardrail.name,
    workspace_id: guardrail.workspaceId,
    rule: rule ?? null,
    endpoints: endpoints.map(({ endpoint, rule: own }) => ({
      tag: endpoint.tag,
      provider_name: endpoint.provider,
      rule: own,
    })),
    is_allowed: rule === undefined && endpoints.length < served,
  }
}
