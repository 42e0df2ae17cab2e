import { type Prices, reasoningFields } from '../../index/model.ts'
import { isEmbeddingsName } from '../discovery/embeddings-names.ts'
import type { EndpointPatch, ModelPatch } from '../layer.ts'
import type { SourceModel } from './source.ts'

/** Facts of an entry about the model itself. */
export function toModelFacts(model: SourceModel): Omit<ModelPatch, 'endpoints' | 'created'> {
  return {
    name: model.name,
    contextLength: model.limit.context || undefined,
    inputModalities: inputModalities(model),
    outputModalities: outputModalities(model),
    family: model.family ?? null,
    knowledgeCutoff: model.knowledge ? completeDate(model.knowledge) : null,
  }
}

/** Facts of an entry about the provider's offer. */
export function toEndpointFacts(model: SourceModel, prices: Prices): EndpointPatch {
  return {
    upstreamModel: model.id,
    contextLength: model.limit.context || undefined,
    maxCompletionTokens: model.limit.output || null,
    maxPromptTokens: model.limit.input || null,
    prices,
    supportedParameters: listParameters(model),
    ...toCompatibility(model),
  }
}

function toCompatibility({ interleaved }: SourceModel): Pick<EndpointPatch, 'compatibility'> {
  const name = typeof interleaved === 'object' ? interleaved?.field : undefined
  const reasoningField = reasoningFields.find((field) => field === name)
  return reasoningField ? { compatibility: { reasoningField } } : {}
}

function inputModalities({ modalities }: SourceModel): string[] {
  return modalities.input.map((kind) => (kind === 'pdf' ? 'file' : kind))
}

/** Output modalities. models.dev lists embedding models with text output. */
function outputModalities({ id, modalities }: SourceModel): string[] {
  if (isEmbeddingsName(id)) return ['embeddings']
  const kinds = modalities.output.filter((kind) => kind !== 'pdf')
  return kinds.length > 0 ? kinds : ['text']
}

/** Completes a month without a day to its last day. */
function completeDate(text: string): string | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(text) ?? []
  if (!year || !month) return null
  if (day) return text
  // Months of `Date` start at 0, so this is day 0 of the next month: the last day of this one.
  return new Date(Date.UTC(Number(year), Number(month), 0)).toISOString().slice(0, 10)
}

function listParameters(model: SourceModel): string[] {
  const parameters = ['max_tokens']
  if (model.temperature) parameters.push('temperature')
  if (model.tool_call) parameters.push('tools', 'tool_choice')
  if (model.structured_output) parameters.push('structured_outputs', 'response_format')
  if (model.reasoning) parameters.push('reasoning', 'include_reasoning')
  return parameters
}
