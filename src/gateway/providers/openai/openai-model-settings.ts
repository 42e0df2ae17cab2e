import type { Body } from '../../protocol/protocol.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import { noteDropped } from '../../protocol/repairs/tool-repair.ts'

/** OpenAI's models that reason. Those for ChatGPT do not. */
const reasoningModels = /^(?:o\d|gpt-[5-9])(?!.*chat)/
/** Models that reason only on request, and accept sampling settings otherwise. */
const reasonsOnRequest = /^gpt-(?:5\.[1-9]|[6-9])(?!.*(?:codex|pro))/

const unsupportedSettings = ['presence_penalty', 'frequency_penalty', 'logit_bias'] as const
const samplingSettings = ['temperature', 'top_p', 'logprobs', 'top_logprobs'] as const

/** Values that change nothing. */
const defaults: Body = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, logprobs: false }

/** Removes settings that a reasoning model of OpenAI refuses. @param findEffort the effort of reasoning in a body. */
export function reasoningModelRepair(findEffort: (body: Body) => unknown): Repair {
  return (body, dropped) => {
    const { model } = body
    if (typeof model !== 'string' || !reasoningModels.test(model)) return body
    const effort = findEffort(body)
    const acceptsSampling = reasonsOnRequest.test(model) && (effort == null || effort === 'none')
    return withoutSettings(
      body,
      acceptsSampling ? unsupportedSettings : [...unsupportedSettings, ...samplingSettings],
      dropped,
    )
  }
}

/** Returns the body without these members. Adds to `dropped` those that had an effect. */
export function withoutSettings(body: Body, names: readonly string[], dropped: string[]): Body {
  const present = names.filter((name) => body[name] !== undefined)
  if (present.length === 0) return body
  const rest = { ...body }
  for (const name of present) {
    if (body[name] != null && body[name] !== defaults[name]) noteDropped(dropped, name)
    delete rest[name]
  }
  return rest
}
