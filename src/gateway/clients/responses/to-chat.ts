import type { ChatRequest } from '#chat/chat-request.ts'
import { isOutputLimit, outputLimitOf } from '#chat/tokens/output-limit.ts'
import { Fault } from '#platform/core/fault.ts'
import { readChoiceKeyword } from '../../protocol/repairs/tool-choice.ts'
import { findSetFields } from '../../protocol/repairs/unsupported-fields.ts'
import type { Body } from '../../protocol/request-body.ts'
import { readToolSchema, toChatChoice, toChatCustomTool } from '../../protocol/tool-conversions.ts'
import { FlatTools, isClientSearch, listDeclaredTools, type Tool } from './flat-tools.ts'
import { listUntranslatableItemTypes } from './input/input-items.ts'
import { toMessages } from './input/to-messages.ts'
import { rejectDeepSettings } from './object.ts'

/** Fields that refer to a stored response, conversation or prompt. This service stores none. */
const fieldsNeedingStorage: Record<string, string> = {
  previous_response_id: 'Send the whole conversation as `input` instead.',
  conversation: 'Send the whole conversation as `input` instead.',
  prompt: 'Send the prompt as `instructions` and `input` instead, or use a preset.',
}

/** Fields with another name or form in chat completions, or without a counterpart. */
const translatedFields: ReadonlySet<string> = new Set([
  ...Object.keys(fieldsNeedingStorage),
  'background',
  'access_programs',
  'client_metadata',
  'context_management',
  'moderation',
  'image',
  'include',
  'input',
  'instructions',
  'max_tool_calls',
  'parallel_tool_calls',
  'store',
  'stream_options',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'truncation',
])

/** Fields without a counterpart in chats. */
const fieldsWithoutCounterpart = [
  'access_programs',
  'context_management',
  'moderation',
  'image',
  'max_tool_calls',
  'top_logprobs',
] as const

/** The fields and provider tools of a body without a counterpart in chats. */
export function listUntranslatedFields(body: Body): string[] {
  const include = Array.isArray(body.include) ? body.include : []
  const tools = (listDeclaredTools(body) as (Tool | null)[]).filter((tool) => !(tool && isClientSearch(tool)))
  const fields = findSetFields(body, fieldsWithoutCounterpart)
  if (include.some((name) => name !== 'reasoning.encrypted_content')) fields.push('include')
  if (body.tool_choice != null && toChatToolChoice(body.tool_choice) === undefined) fields.push('tool_choice')
  for (const tool of tools)
    if (typeof tool?.type === 'string' && !toolTypes.has(tool.type)) fields.push(`tools.${tool.type}`)
  return [...fields, ...listUntranslatableItemTypes(body.input).map((type) => `input.${type}`)]
}

const toolTypes: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace'])

/** Translates a responses body to a chat request. @throws Fault `invalid` for unsupported fields. */
export function responsesToChat(body: Body): ChatRequest {
  requireStateless(body)
  rejectDeepSettings(body)
  const shared = Object.fromEntries(
    Object.entries(body).filter(([name]) => !translatedFields.has(name) && !isOutputLimit(name)),
  )
  const flatTools = new FlatTools(listDeclaredTools(body))
  const messages = toMessages(body.instructions, body.input, flatTools)
  if (messages.length === 0) throw new Fault('invalid', 'input: is required, and must not be empty.')
  return {
    ...shared,
    messages,
    ...toOutputLimit(body),
    ...toTextOptions(body),
    ...toChatTools(body, flatTools),
  } as ChatRequest
}

function requireStateless(body: Body): void {
  for (const [name, instead] of Object.entries(fieldsNeedingStorage)) {
    if (body[name] != null) throw new Fault('invalid', `${name}: this service stores no responses. ${instead}`)
  }
  if (body.background === true)
    throw new Fault('invalid', 'background: this service stores no responses. Stream the response instead.')
}

function toOutputLimit(body: Body): Body {
  const limit = outputLimitOf(body)
  return limit === undefined ? {} : { max_completion_tokens: limit }
}

type Format = { type?: string } & Record<string, unknown>

function toTextOptions({ text }: Body): Body {
  const { format, verbosity } = (text ?? {}) as { format?: Format; verbosity?: unknown }
  return { ...toResponseFormat(format), ...(verbosity != null && { verbosity }) }
}

function toResponseFormat(format: Format | undefined): Body {
  if (format === undefined || format.type === 'text') return {}
  const { type, ...json_schema } = format
  return { response_format: type === 'json_schema' ? { type, json_schema } : format }
}

/** Translates the tools. Provider tools have no counterpart, but reach upstreams of this protocol. */
function toChatTools({ tool_choice, parallel_tool_calls }: Body, flatTools: FlatTools): Body {
  const functions = (flatTools.tools as Tool[]).filter(({ type }) => type === 'function' || type === 'custom')
  if (functions.length === 0) return {}
  const choice = toChatToolChoice(withFlatNames(tool_choice, flatTools))
  return {
    tools: functions.map((tool) => (tool.type === 'custom' ? toChatCustomTool(tool) : toChatFunction(tool))),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallel_tool_calls != null && { parallel_tool_calls }),
  }
}

function toChatFunction(tool: Tool): Body {
  const { type, name, description, strict, cache_control } = tool
  const parameters = readToolSchema(tool)
  const definition = {
    name,
    ...(description != null && { description }),
    ...(parameters != null && { parameters }),
    ...(strict != null && { strict }),
  }
  return { type, function: definition, ...(cache_control != null && { cache_control }) }
}

/** The tool choice with the names of the flat list, also of several allowed tools. */
function withFlatNames(choice: unknown, flatTools: FlatTools): unknown {
  if (typeof choice !== 'object' || choice === null) return choice
  const { name, namespace, tools } = choice as { name?: unknown; namespace?: unknown; tools?: unknown }
  return {
    ...choice,
    ...(typeof name === 'string' && { name: flatTools.findFlatName(name, namespace) }),
    ...(Array.isArray(tools) && { tools: tools.map((tool) => withFlatNames(tool, flatTools)) }),
  }
}

type Choice = {
  type: string
  name?: string
  /** Some clients send the choice as chats have it. */
  function?: { name?: string } | null
  tools?: { type: string; name?: string }[]
}

function toChatToolChoice(choice: unknown): unknown {
  if (choice == null || typeof choice === 'string') return choice ?? undefined
  const { type, function: functionChoice, name = functionChoice?.name, tools } = choice as Choice
  const keyword = readChoiceKeyword(type)
  if (keyword) return keyword
  if (type === 'function' || type === 'tool') return { type: 'function', function: { name } }
  if (type !== 'allowed_tools' && type !== 'custom') return undefined
  if (tools != null && !(Array.isArray(tools) && tools.every((tool) => typeof tool === 'object' && tool !== null)))
    throw new Fault('invalid', 'tool_choice.tools: must be an array of tools, each an object with its type and name.')
  return toChatChoice(choice)
}
