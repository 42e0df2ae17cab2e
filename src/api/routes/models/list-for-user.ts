import { canBeCalled } from '#catalogue/index/model.ts'
import { ModelQuery } from '#catalogue/list/query.ts'
import { allowedModels } from '#policy/guardrails/decide/allowed-models.ts'
import { answerModelList } from '../../models/model-list.ts'
import { route } from '../route.ts'
import { ModelList } from './list.ts'

export const listModelsForUser = route({
  method: 'get',
  path: '/models/user',
  tag: 'models',
  key: 'any',
  summary: 'The models the calling key may use',
  description:
    'Those that can be called, and that the guardrails in force for the key do not refuse when asked through the host of this request.',
  request: { query: ModelQuery },
  response: ModelList,
  mediaTypes: ['application/rss+xml'],
  faults: ['invalid', 'unauthenticated'],
  handler: async (call, deps) => {
    const guardrails = await deps.guardrailCache.of(call.caller)
    if (guardrails.length === 0) return answerModelList(call, deps, asksForMore(call.query) ? canBeCalled : undefined)
    const region = deps.routing.regionOf(call.host)
    const isAllowed = allowedModels(guardrails, region, deps.config.zdr_vendors)
    return answerModelList(call, deps, (model) => canBeCalled(model) && isAllowed(model))
  },
})

/** Unless told, only models that give text are listed. */
const asksForMore = (query: ModelQuery) => query.output_modalities !== undefined
