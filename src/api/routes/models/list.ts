import { ModelItem } from '#catalogue/index/model-item.ts'
import { messagesClientProtocol } from '#gateway/clients/messages/messages-client-protocol.ts'
import { z } from '#platform/json/schema.ts'
import {
  AnthropicModel,
  AnthropicModelQuery,
  AnthropicPage,
  anthropicErrors,
  anthropicModelList,
} from '../../models/anthropic-models.ts'
import { sendModelList } from '../../models/model-list.ts'
import { route } from '../route.ts'

export const ModelList = z.object({
  data: z.array(ModelItem),
  total_count: z.int().describe('Total number on all pages.'),
  links: z.object({ next: z.string().nullable().describe('The path of the next page; null for the last page.') }),
})

/** Additional fields for clients that send `anthropic-version`. */
const CombinedModelList = ModelList.extend({
  ...AnthropicPage.shape,
  data: z.array(ModelItem.extend(AnthropicModel.shape)),
})

export const listModels = route({
  method: 'get',
  path: '/models',
  tag: 'models',
  key: 'any',
  acceptsApiKeyHeader: (headers) => messagesClientProtocol.isUsedBy?.(headers) === true,
  canBePublic: true,
  summary: 'List models with filters and sorting',
  description:
    'All parameters can be combined. A model matches the price, region, provider and data retention conditions if one endpoint fulfils all of them. A repeated list parameter is joined with commas. Every other parameter can be repeated only with the same value. Without `offset` and `limit`, the list is complete. With `anthropic-version`, the response also has the fields that Anthropic’s clients expect, and pages use `limit` with `after_id` or `before_id`.',
  request: { query: AnthropicModelQuery },
  response: CombinedModelList,
  mediaTypes: ['application/rss+xml'],
  isCacheable: true,
  ...anthropicErrors,
  faults: ['invalid', 'unauthenticated'],
  handler: (call, deps) =>
    messagesClientProtocol.isUsedBy?.(call.headers)
      ? anthropicModelList(deps.catalogue.current(), call.query, deps.now())
      : sendModelList(call, deps),
})
