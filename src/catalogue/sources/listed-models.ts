import { z } from '#platform/json/schema.ts'
import { modelIdShape } from '../index/names.ts'
import type { EndpointPatch, Layer, ModelPatch } from './layer.ts'

/** The maximum number of models of one server. The thousands of models of a gateway belong in a file. */
const maxModels = 2000

/**
 * The context length if a server reports none. If it is too large, the server itself refuses long prompts. If it is too
 * small, this service would refuse prompts that the server accepts.
 */
const supposedContextLength = 131_072

const Tokens = z.int().min(1).optional().catch(undefined)

/** Additional fields in the lists of servers, with different names for each server. */
const Listed = z.object({
  id: z.string().min(1).max(300),
  created: z.number().min(0).max(4e9).optional().catch(undefined),
  owned_by: z.string().optional().catch(undefined),
  context_length: Tokens,
  max_model_len: Tokens,
  context_window: Tokens,
  max_context_length: Tokens,
  meta: z.object({ n_ctx: Tokens, n_ctx_train: Tokens }).optional().catch(undefined),
})
type Listed = z.infer<typeof Listed>

const List = z.object({ data: z.array(z.unknown()).max(maxModels) })

/**
 * The models that a server lists under `/v1/models`, each as a model of its provider: `ollama/qwen3:8b`. It is not
 * matched with models of other providers, because the operator chose the name. @throws Error if the list is not valid.
 */
export function listedModels(provider: string, answer: unknown, source: string): Layer {
  const list = List.safeParse(answer)
  if (!list.success) throw new Error(`its answer is not a list of at most ${maxModels} models ({"data": [{"id": …}]})`)
  const layer: Layer = { source, providers: new Map(), models: new Map(), skipped: [], mergedRows: 0 }
  for (const row of list.data.data) {
    const listed = Listed.safeParse(row)
    if (!listed.success) {
      layer.skipped.push({ source, row: provider, reason: 'a model that it lists has no usable "id"' })
      continue
    }
    const id = [lastPart(listed.data.id), listed.data.id]
      .map((name) => `${provider}/${inOurLetters(name)}`)
      .find((name) => modelIdShape.test(name) && !layer.models.has(name))
    if (id) layer.models.set(id, patchOf(id, provider, listed.data))
    else layer.skipped.push({ source, row: listed.data.id, reason: 'no unique name can be derived from it' })
  }
  return layer
}

/** The name of a model without its folder, owner and file extension. */
const lastPart = (name: string) => (name.split(/[/\\]/).at(-1) ?? name).replace(/\.gguf$/i, '')

function inOurLetters(name: string): string {
  const [base = '', ...variant] = name.toLowerCase().split(':')
  const clean = (text: string) => text.replace(/[^a-z0-9._-]+/g, '-').replace(/^[^a-z0-9]+/, '')
  return [clean(base), clean(variant.join('-'))].filter(Boolean).join(':')
}

/** Servers that are recognized by the owner in their list, with their properties. */
const serverTraits: Record<string, EndpointPatch> = {
  // llama.cpp ignores a `tool_choice` that is an object.
  llamacpp: { compatibility: { namedToolChoice: false } },
}

function patchOf(id: string, provider: string, listed: Listed): ModelPatch {
  return {
    name: listed.id,
    // A server may return another date each time.
    canonicalSlug: id,
    created: Math.floor(listed.created ?? 0),
    contextLength:
      listed.context_length ??
      listed.max_model_len ??
      listed.context_window ??
      listed.max_context_length ??
      listed.meta?.n_ctx ??
      listed.meta?.n_ctx_train ??
      supposedContextLength,
    ...(/embed/i.test(listed.id) && { outputModalities: ['embeddings'] }),
    aliases: [listed.id],
    endpoints: new Map([[provider, { upstreamModel: listed.id, ...serverTraits[listed.owned_by ?? ''] }]]),
  }
}
