import type { Model } from '#catalogue/index/model.ts'
import { toModelItem } from '#catalogue/index/model-item.ts'
import { selectModels } from '#catalogue/index/select.ts'
import type { Snapshot } from '#catalogue/index/snapshot.ts'
import type { ModelQuery } from '#catalogue/list/query.ts'
import { Fault } from '#platform/core/fault.ts'
import { HttpAnswer } from '#platform/http/route.ts'
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

/** Fields of a page of them. */
export const AnthropicPage = z
  .object({
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .partial()

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
export function anthropicModelList(snapshot: Snapshot, query: ModelQuery, url: string, nowMs: number): HttpAnswer {
  const found = Array.from(selectModels(snapshot, query, nowMs), (at) => snapshot.models[at]!)
  const { searchParams } = new URL(url, 'http://any')
  const after = placeOf(found, searchParams, 'after_id')
  const before = placeOf(found, searchParams, 'before_id')
  const limit = query.limit ?? found.length
  const end = before ?? found.length
  const from = after === undefined ? (before === undefined ? (query.offset ?? 0) : Math.max(0, end - limit)) : after + 1
  const page = found.slice(from, Math.min(end, from + limit))
  const hasMore = before === undefined ? from + page.length < found.length : from > 0
  return new HttpAnswer(
    200,
    { 'cache-control': 'private, no-cache', vary: 'accept-encoding, anthropic-version' },
    {
      data: page.map((model) => ({ ...toModelItem(model), ...anthropicModel(model) })),
      has_more: hasMore,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
      total_count: found.length,
      links: { next: null },
    },
  )
}

function placeOf(found: readonly Model[], parameters: URLSearchParams, name: string): number | undefined {
  const id = parameters.get(name)
  if (!id) return undefined
  const place = found.findIndex((model) => model.id === id)
  if (place >= 0) return place
  throw new Fault('invalid', `Invalid request: ${name}: model ${JSON.stringify(id.slice(0, 100))} is not in this list`)
}
