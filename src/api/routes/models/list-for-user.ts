import { canBeCalled } from '#catalogue/index/model.ts'
import { ModelQuery } from '#catalogue/list/model-query.ts'
import { createModelFilter } from '#policy/guardrails/decide/allowed-models.ts'
import { sendModelList } from '../../models/model-list.ts'
import { route } from '../route.ts'
import { ModelList } from './list.ts'

export const listModelsForUser = route({
  method: 'get',
  path: '/models/user',
  tag: 'models',
  key: 'any',
  summary: 'List the models that the calling key is allowed to use',
  description: 'Lists the available models that the guardrails of the key allow for requests to this host.',
  request: { query: ModelQuery },
  response: ModelList,
  mediaTypes: ['application/rss+xml'],
  isCacheable: true,
  faults: ['invalid', 'unauthenticated'],
  handler: async (call, deps) => {
    const { guardrails } = await deps.guardrailCache.policiesOf(call.caller)
    if (guardrails.length === 0) {
      // Without a filter of modalities, a list has only models with text output, all of which can be called. Then no check is
      // passed, so that the response is the cached list of all callers.
      return sendModelList(call, deps, hasModalityFilter(call.query) ? canBeCalled : undefined)
    }
    const region = deps.gateway.regionOf(call.host)
    const isAllowed = createModelFilter(guardrails, region, deps.config.zdr_vendors)
    return sendModelList(call, deps, (model) => canBeCalled(model) && isAllowed(model))
  },
})

const hasModalityFilter = (query: ModelQuery) => query.output_modalities !== undefined
