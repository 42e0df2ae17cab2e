import { ModelItem, toModelItem } from '#catalogue/index/model-item.ts'
import { messagesClientProtocol } from '#gateway/clients/messages/messages-client-protocol.ts'
import { requireModel } from '#gateway/request/resolve-models.ts'
import { z } from '#platform/json/schema.ts'
import { AnthropicModel, anthropicErrors, anthropicModel } from '../../models/anthropic-models.ts'
import { route } from '../route.ts'

const RetrievedModel = ModelItem.extend({
  ...AnthropicModel.shape,
  object: z.literal('model'),
  owned_by: z.string().describe('The author of the model.'),
})

export const retrieveModel = route({
  method: 'get',
  path: '/models/{id}',
  tag: 'models',
  key: 'any',
  acceptsApiKeyHeader: (headers) => messagesClientProtocol.isUsedBy?.(headers) === true,
  canBePublic: true,
  summary: 'Get a model in the format of OpenAI or Anthropic',
  description:
    'Returns an entry of `GET /models`. With `anthropic-version`, the response also has the fields that Anthropic’s clients expect.',
  request: {
    params: z.object({
      id: z
        .string()
        .min(1)
        .describe('ID, canonical slug or alias of the model: `author/slug`, or `author%2Fslug` with an encoded slash.'),
    }),
  },
  response: RetrievedModel,
  ...anthropicErrors,
  faults: ['unauthenticated', 'not_found'],
  handler: ({ params, headers }, { catalogue }) => {
    const model = requireModel(catalogue.current(), params.id)
    const anthropicFields = messagesClientProtocol.isUsedBy?.(headers) ? anthropicModel(model) : {}
    return { ...toModelItem(model), ...anthropicFields, object: 'model' as const, owned_by: model.author }
  },
})
