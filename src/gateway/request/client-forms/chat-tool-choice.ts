import { readChoiceKeyword } from '../../protocol/repairs/tool-choice.ts'
import type { Body } from '../../protocol/request-body.ts'
import { toChatChoice } from '../../protocol/tool-conversions.ts'

type Choice = { type?: unknown; name?: unknown; function?: unknown }

/** Converts a tool choice in the format of another protocol to the format of chats. */
export function withChatToolChoice(body: Body): Body {
  // Only Mistral has the keyword `any`. Mistral also accepts `required`, as other providers do.
  if (body.tool_choice === 'any') return { ...body, tool_choice: 'required' }
  const choice = body.tool_choice as Choice | null | undefined
  if (typeof choice !== 'object' || choice === null) return body
  const { type, function: chosen } = choice
  // Some clients send only the name of the function.
  const name = typeof chosen === 'string' ? chosen : choice.name
  const keyword = readChoiceKeyword(type)
  if (keyword) return { ...body, tool_choice: keyword }
  const severalTools = toChatChoice(choice)
  if (severalTools) return { ...body, tool_choice: severalTools }
  // A choice whose field `function` is an object already has the format of chats.
  if ((type !== 'function' && type !== 'tool') || typeof name !== 'string' || typeof (chosen ?? '') !== 'string')
    return body
  return { ...body, tool_choice: { type: 'function', function: { name } } }
}

/** Settings that some clients send as an empty text if their user set nothing. */
const settings = ['reasoning_effort', 'verbosity', 'service_tier'] as const

/** Efforts that ask for what the model does without one, as LiteLLM, Groq and others name them. */
const defaultEfforts: ReadonlySet<unknown> = new Set(['auto', 'default'])
/** Other names of the effort `none`, as LiteLLM has them. */
const disablingEfforts: ReadonlySet<unknown> = new Set(['disable', 'disabled', 'off'])

/** Removes empty settings, and names efforts as OpenAI does, in lower case. An unknown effort would turn on reasoning. */
export function withoutEmptySettings(body: Body): Body {
  const { reasoning_effort: requestedEffort } = body
  const effort = typeof requestedEffort === 'string' ? requestedEffort.toLowerCase() : requestedEffort
  const empty = settings.filter((name) => body[name] === '')
  const isDisabled = disablingEfforts.has(effort)
  if (empty.length === 0 && !isDisabled && !defaultEfforts.has(effort) && effort === requestedEffort) return body
  const rest: Body = { ...body, ...(effort !== undefined && { reasoning_effort: effort }) }
  for (const name of empty) delete rest[name]
  if (defaultEfforts.has(effort)) delete rest.reasoning_effort
  return isDisabled ? { ...rest, reasoning_effort: 'none' } : rest
}
