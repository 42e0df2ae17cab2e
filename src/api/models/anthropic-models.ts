import type { Model } from '#catalogue/index/model.ts'
import { toModelItem } from '#catalogue/index/model-item.ts'
import { modelsAt, selectModels } from '#catalogue/index/select.ts'
import type { Snapshot } from '#catalogue/index/snapshot.ts'
import { ModelQuery } from '#catalogue/list/model-query.ts'
import { anyText } from '#catalogue/list/query-parameters.ts'
import { MessageError } from '#gateway/clients/messages/schema.ts'
import { Fault } from '#platform/core/fault.ts'
import { ErrorEnvelope } from '#platform/http/response/envelope.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'

/** Fields of a model that Anthropic's clients need and that no other list has. */
export const AnthropicModel = z
  .object({
    type: z.literal('model'),
    display_name: z.string(),
    created_at: z.iso.datetime(),
    max_input_tokens: z.int().nullable(),
    max_tokens: z.int().nullable(),
    lifecycle: z.enum(['active', 'deprecated']),
    deprecated_at: z.null(),
    retires_at: z.iso.datetime().nullable(),
    line: z.null(),
    capabilities: z.null(),
  })
  .partial()

/** Fields of a page of models that Anthropic's clients need. */
export const AnthropicPage = z
  .object({
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .partial()

/** The query of a list of models, with the cursors of Anthropic's clients. */
export const AnthropicModelQuery = ModelQuery.extend({
  after_id: anyText('With `anthropic-version`: only models after the one with this ID.'),
  before_id: anyText('With `anthropic-version`: only models before the one with this ID.'),
})
type AnthropicModelQuery = z.infer<typeof AnthropicModelQuery>

/** The form of errors of routes that also serve Anthropic's clients. */
export const anthropicErrors = {
  errorBody: z.union([ErrorEnvelope, MessageError]),
  headers: { failure: ['request-id'] },
} as const

export function anthropicModel(model: Model): Required<z.infer<typeof AnthropicModel>> {
  const [endpoint] = model.endpoints
  return {
    type: 'model',
    display_name: model.name,
    created_at: new Date(model.created * 1000).toISOString(),
    max_input_tokens: model.contextLength,
    max_tokens: endpoint?.maxCompletionTokens ?? null,
    lifecycle: model.expirationDate ? 'deprecated' : 'active',
    deprecated_at: null,
    retires_at: model.expirationDate ? new Date(model.expirationDate).toISOString() : null,
    line: null,
    capabilities: null,
  }
}

/**
 * The list in the paged form of Anthropic's clients: `limit`, and `after_id` or `before_id` instead of an offset.
 * Without a limit it contains all models. It also has the fields that other clients read.
 * @throws Fault `invalid` if a cursor is not the id of a model.
 */
export function anthropicModelList(snapshot: Snapshot, query: AnthropicModelQuery, nowMs: number): HttpResponse {
  const models = modelsAt(snapshot, selectModels(snapshot, query, nowMs))
  const afterIndex = cursorIndex(models, query, 'after_id')
  const beforeIndex = cursorIndex(models, query, 'before_id')
  const limit = query.limit ?? models.length
  const end = beforeIndex ?? models.length
  let start = query.offset ?? 0
  if (afterIndex !== undefined) start = afterIndex + 1
  else if (beforeIndex !== undefined) start = Math.max(0, end - limit)
  const page = models.slice(start, Math.min(end, start + limit))
  // With `before_id` alone, a client pages backwards.
  const isBackwards = beforeIndex !== undefined && afterIndex === undefined
  const hasMore = isBackwards ? start > 0 : start + page.length < end
  return new HttpResponse(
    200,
    { 'cache-control': 'private, no-cache', vary: 'accept-encoding, anthropic-version' },
    {
      data: page.map((model) => ({ ...toModelItem(model), ...anthropicModel(model) })),
      has_more: hasMore,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
      total_count: models.length,
      links: { next: null },
    },
  )
}

/** The position of the model that a cursor names; undefined without this cursor, or if it is empty. */
function cursorIndex(
  models: readonly Model[],
  query: AnthropicModelQuery,
  name: 'after_id' | 'before_id',
): number | undefined {
  const id = query[name]
  if (!id) return undefined
  const index = models.findIndex((model) => model.id === id)
  if (index >= 0) return index
  throw new Fault('invalid', `Invalid request: ${name}: model ${JSON.stringify(id.slice(0, 100))} is not in this list`)
}
