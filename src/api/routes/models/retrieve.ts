import { ModelItem, modelItem } from '#catalogue/index/model-item.ts'
import { messagesClient } from '#gateway/clients/messages/client.ts'
import { z } from '#platform/json/schema.ts'
import { AnthropicModel, anthropicModel } from '../../models/anthropic-models.ts'
import { namedModel } from '../../models/named-model.ts'
import { route } from '../route.ts'

const Retrieved = ModelItem.extend({
  ...AnthropicModel.shape,
  object: z.literal('model'),
  owned_by: z.string().describe("The model's author."),
})

export const retrieveModel = route({
  method: 'get',
  path: '/models/{id}',
  tag: 'models',
  key: 'any',
  acceptsApiKeyHeader: (headers) => messagesClient.isSpokenIn?.(headers) === true,
  summary: 'One model, as clients of OpenAI and Anthropic retrieve it',
  description:
    'The same as an entry of `GET /models`, for clients that ask by the whole id, its slash encoded or not. A request with `anthropic-version` gets what Anthropic’s clients look for besides.',
  request: {
    params: z.object({
      id: z.string().min(1).describe('The model’s id, canonical slug or alias, its slash escaped: `author%2Fslug`.'),
    }),
  },
  response: Retrieved,
  faults: ['unauthenticated', 'not_found'],
  handler: ({ params, headers }, { catalogue }) => {
    const model = namedModel(catalogue.current(), params.id)
    const besides = messagesClient.isSpokenIn?.(headers) ? anthropicModel(model) : {}
    return { ...modelItem(model), ...besides, object: 'model' as const, owned_by: model.author }
  },
})
