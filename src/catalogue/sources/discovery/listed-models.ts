import { z } from '#platform/json/schema.ts'
import { modelIdPattern } from '../../index/names/names.ts'
import type { EndpointPatch, Layer, ModelPatch } from '../layer.ts'
import { isEmbeddingsName } from './embeddings-names.ts'

/** The maximum number of models of one server. The thousands of models of a gateway belong in a file. */
const maxModels = 2000

/**
 * The context length if a server reports none. It is large: too long prompts are then refused by the server itself. With a
 * small one, this service would refuse prompts that the server accepts.
 */
const assumedContextLength = 131_072

/** The latest creation time, in seconds. A time in milliseconds is larger, and ignored. */
const maxCreated = 4e9

const Tokens = z.int().min(1).optional().catch(undefined)

/** A listed model. Servers have different names for the context length. */
const ListedModel = z.object({
  id: z.string().min(1).max(300),
  created: z.number().min(0).max(maxCreated).optional().catch(undefined),
  owned_by: z.string().optional().catch(undefined),
  context_length: Tokens,
  max_model_len: Tokens,
  context_window: Tokens,
  max_context_length: Tokens,
  meta: z.object({ n_ctx: Tokens, n_ctx_train: Tokens }).optional().catch(undefined),
})
type ListedModel = z.infer<typeof ListedModel>

const ModelList = z.object({ data: z.array(z.unknown()).max(maxModels) })

/**
 * Reads the models that a server lists under `/v1/models`, each as a model of its provider: `ollama/qwen3:8b`. They are not
 * matched with models of other providers, because the operator chose their names. @throws Error if the list is not valid.
 */
export function readListedModels(provider: string, response: unknown, source: string): Layer {
  // Together sends the list without an object around it.
  const list = ModelList.safeParse(Array.isArray(response) ? { data: response } : response)
  if (!list.success)
    throw new Error(`its response is not a list of at most ${maxModels} models ({"data": [{"id": …}]})`)
  const layer: Layer = { source, providers: new Map(), models: new Map(), skipped: [], mergedRows: 0 }
  for (const row of list.data.data) {
    const listed = ListedModel.safeParse(row)
    if (!listed.success) {
      layer.skipped.push({ source, row: provider, reason: 'a model that it lists has no usable "id"' })
      continue
    }
    const id = [baseName(listed.data.id), listed.data.id]
      .map((name) => `${provider}/${toSlug(name)}`)
      .find((name) => modelIdPattern.test(name) && !layer.models.has(name))
    if (id) layer.models.set(id, toModelPatch(id, provider, listed.data))
    else layer.skipped.push({ source, row: listed.data.id, reason: 'no unique name can be derived from it' })
  }
  return layer
}

/** Returns the name of a model without its folder, owner and file extension. */
const baseName = (name: string) => (name.split(/[/\\]/).at(-1) ?? name).replace(/\.gguf$/i, '')

function toSlug(name: string): string {
  const [base = '', ...variant] = name.toLowerCase().split(':')
  const clean = (text: string) => text.replace(/[^a-z0-9._-]+/g, '-').replace(/^[^a-z0-9]+/, '')
  return [clean(base), clean(variant.join('-'))].filter(Boolean).join(':')
}

/** The properties of some servers, by the owner that their lists name. */
const serverTraits: Record<string, EndpointPatch> = {
  // llama.cpp ignores a `tool_choice` that is an object.
  llamacpp: { compatibility: { namedToolChoice: false } },
}

function toModelPatch(id: string, provider: string, listed: ListedModel): ModelPatch {
  return {
    name: listed.id,
    // Without the date, because some servers return another one each time.
    canonicalSlug: id,
    created: Math.floor(listed.created ?? 0),
    contextLength:
      listed.context_length ??
      listed.max_model_len ??
      listed.context_window ??
      listed.max_context_length ??
      listed.meta?.n_ctx ??
      listed.meta?.n_ctx_train ??
      assumedContextLength,
    ...(isEmbeddingsName(listed.id) && { outputModalities: ['embeddings'] }),
    aliases: [listed.id],
    endpoints: new Map([[provider, { upstreamModel: listed.id, ...serverTraits[listed.owned_by ?? ''] }]]),
  }
}
