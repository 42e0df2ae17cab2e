import { noteDropped, withoutSettings } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'

/** OpenAI's models that reason. The first model for ChatGPT, `gpt-5-chat-latest`, does not. Later ones do (`gpt-5.1-chat-latest`). */
const reasoningModels = /^(?:o\d|gpt-5(?!-chat)|gpt-[6-9])/

/** Whether a model has the id of a model of OpenAI that reasons. */
export const isReasoningModelId = (model: unknown) => typeof model === 'string' && reasoningModels.test(model)

/** Models that reason only on request, and accept sampling settings otherwise. */
const modelsReasoningOnRequest = /^gpt-5\.[1-4](?!\d)(?!.*(?:chat|codex|pro))/
/** Models that accept sampling settings while an effort of `none` disables their reasoning. */
const modelsWithEffortNone = /^gpt-(?:5\.[1-9]|[6-9])(?!.*(?:chat|codex|pro))/
/** Models that refuse functions in a chat while they reason. In the Responses API they accept functions. */
const modelsRefusingToolsWhileReasoning = /^gpt-(?:5\.[4-9]|[6-9])(?!.*chat)/
/** Models that need the effort `none` beside functions in a chat. Earlier models do not reason without an effort. */
const modelsNeedingEffortWithTools = /^gpt-(?:5\.[6-9]|[6-9])/

/** Models that refuse stop sequences. */
const modelsWithoutStops = /^(?:o[3-9]|gpt-[5-9])/

/** Settings that models which can reason always refuse. */
const unsupportedSettings = ['presence_penalty', 'frequency_penalty', 'logit_bias', 'prediction'] as const
/** Settings that models which can reason refuse while they reason. */
const samplingSettings = ['temperature', 'top_p', 'logprobs', 'top_logprobs'] as const

/** Removes settings that a reasoning model of OpenAI refuses. @param findEffort the effort of reasoning in a body. */
export function reasoningModelRepair(findEffort: (body: Body) => unknown): Repair {
  return (body, dropped) => {
    const { model } = body
    if (typeof model !== 'string' || !reasoningModels.test(model)) return body
    const effort = findEffort(body)
    const acceptsSampling =
      effort == null ? modelsReasoningOnRequest.test(model) : effort === 'none' && modelsWithEffortNone.test(model)
    const refused = [
      ...unsupportedSettings,
      ...(acceptsSampling ? [] : samplingSettings),
      ...(modelsWithoutStops.test(model) ? ['stop'] : []),
    ]
    return withoutSettings(body, refused, dropped)
  }
}

/** Disables the reasoning of a model of OpenAI that refuses functions in a chat while it reasons. */
export const skipReasoningBesideTools: Repair = (body, dropped) => {
  const { model, tools, reasoning_effort: effort } = body
  const hasTools = Array.isArray(tools) && tools.length > 0
  if (!hasTools || typeof model !== 'string' || !modelsRefusingToolsWhileReasoning.test(model) || effort === 'none')
    return body
  if (effort == null) return modelsNeedingEffortWithTools.test(model) ? { ...body, reasoning_effort: 'none' } : body
  noteDropped(dropped, 'reasoning_effort')
  return { ...body, reasoning_effort: 'none' }
}

/** Models that accept only the verbosity `medium`. */
const mediumVerbosity = /^(?:gpt-[34]|chatgpt|o\d|gpt-5(?:\.\d+)?-chat|gpt-5(?:\.1)?-codex)/

/** Removes a verbosity that a model of OpenAI refuses. @param find the verbosity in a body. @param remove removes it. */
export function verbosityRepair(find: (body: Body) => unknown, remove: (body: Body) => Body): Repair {
  return (body, dropped) => {
    const verbosity = find(body)
    if (verbosity == null || verbosity === 'medium' || !mediumVerbosity.test(String(body.model))) return body
    noteDropped(dropped, 'verbosity')
    return remove(body)
  }
}
