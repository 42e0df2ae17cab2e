import { JsonBudget } from '#platform/json/json-text/json-budget.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { fitSchema } from '#platform/json-schema/fit-schema.ts'
import type { SchemaRules } from '#platform/json-schema/schema-keywords.ts'
import type { Body } from '../../protocol/protocol.ts'
import { minThinkingBudget } from '../../protocol/reasoning-budget.ts'
import { findUnknownFields } from '../../protocol/repairs/absent-fields.ts'
import { splitPaths } from '../../protocol/repairs/aliases.ts'
import { skipAnswerImages } from '../../protocol/repairs/answer-images.ts'
import { inlineDataRepair } from '../../protocol/repairs/media-types.ts'
import type { Repair, RequestRules } from '../../protocol/repairs/repair.ts'
import { noteDropped, type ToolShape, toolRepair } from '../../protocol/repairs/tool-repair.ts'
import { parseArguments } from '../../protocol/tool-calls/tool-arguments.ts'
import { limitCacheMarks } from './anthropic-cache-marks.ts'
import { uniqueCallIds } from './anthropic-call-ids.ts'
import { declareCalledTools } from './anthropic-called-tools.ts'
import { fitToClaude } from './anthropic-model-rules.ts'
import { pairToolResults } from './anthropic-paired-results.ts'

type Block = { type?: unknown; text?: unknown; content?: unknown }
type Turn = { role?: unknown; content?: unknown }

const isBlank = (text: unknown) => typeof text === 'string' && !/\S/.test(text)
const isBlankText = (block: unknown) => {
  const { type, text } = (block ?? {}) as Block
  return type === 'text' && isBlank(text)
}

function withoutBlank(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const remaining = content.some(isBlankText) ? content.filter((block) => !isBlankText(block)) : content
  return mapItems(remaining, (block: Block | null) => {
    if (block?.type !== 'tool_result') return block
    if (isBlank(block.content)) return { ...block, content: undefined }
    const inner = withoutBlank(block.content)
    return inner === block.content ? block : { ...block, content: inner }
  })
}

/** Anthropic refuses text without visible characters. */
const skipBlankTexts: Repair = (body, dropped) => {
  let current = body
  const system = withoutBlank(body.system)
  if (isBlank(system) || (isEmptyList(system) && system !== body.system)) {
    const { system: _blank, ...rest } = current
    current = rest
  } else if (system !== body.system) current = { ...current, system }
  if (current !== body) noteDropped(dropped, 'system')
  if (!Array.isArray(body.messages)) return current
  const turns = mapItems(body.messages as Turn[], (turn) => {
    const content = withoutBlank(turn?.content)
    return content === turn?.content ? turn : { ...turn, content }
  })
  const remaining = turns.filter(({ content }) => !(isBlank(content) || isEmptyList(content)))
  if (remaining.length === 0 || (turns === body.messages && remaining.length === turns.length)) return current
  noteDropped(dropped, 'messages.content')
  return { ...current, messages: remaining }
}

const isEmptyList = (content: unknown) => Array.isArray(content) && content.length === 0

/** A prefilled answer must not end with white space. */
const trimPrefill: Repair = (body) => {
  const turns = body.messages as Turn[] | undefined
  const last = Array.isArray(turns) ? turns.at(-1) : undefined
  if (last?.role !== 'assistant') return body
  const content = trimmedEnd(last.content)
  if (content === last.content) return body
  return { ...body, messages: [...turns!.slice(0, -1), { ...last, content }] }
}

function trimmedEnd(content: unknown): unknown {
  if (typeof content === 'string') return content.trimEnd()
  const block = Array.isArray(content) ? (content.at(-1) as Block | undefined) : undefined
  if (block?.type !== 'text' || typeof block.text !== 'string') return content
  const text = block.text.trimEnd()
  return text === block.text ? content : [...(content as Block[]).slice(0, -1), { ...block, text }]
}

/** A stop sequence needs a visible character. */
const skipBlankStops: Repair = (body, dropped) => {
  const stops = body.stop_sequences
  if (!Array.isArray(stops) || !stops.some(isBlank)) return body
  noteDropped(dropped, 'stop_sequences')
  const remaining = stops.filter((stop) => !isBlank(stop))
  const { stop_sequences: _blank, ...rest } = body
  return remaining.length > 0 ? { ...rest, stop_sequences: remaining } : rest
}

/** The input of a call is an object. Some clients keep the JSON text of a stream, or null. */
const fitInputs: Repair = (body) => {
  if (!Array.isArray(body.messages)) return body
  const budget = new JsonBudget()
  const messages = mapItems(body.messages as Turn[], (turn) => {
    if (!Array.isArray(turn?.content)) return turn
    const content = mapItems(turn.content as (Block & { input?: unknown })[], (block) => {
      if (block?.type !== 'tool_use' || (typeof block.input === 'object' && block.input !== null)) return block
      return { ...block, input: parseArguments(typeof block.input === 'string' ? block.input : undefined, budget) }
    })
    return content === turn.content ? turn : { ...turn, content }
  })
  return messages === body.messages ? body : { ...body, messages }
}

/** Raises a thinking budget below the minimum, if the answer limit has room for it. */
const raiseThinkingBudget: Repair = (body) => {
  const thinking = body.thinking as { budget_tokens?: unknown } | null | undefined
  const budget = thinking?.budget_tokens
  if (typeof budget !== 'number' || budget >= minThinkingBudget || !(Number(body.max_tokens) > minThinkingBudget))
    return body
  return { ...body, thinking: { ...thinking, budget_tokens: minThinkingBudget } }
}

type ImageBlock = Block & { image_url?: { url?: unknown } | string }

/** Images and texts in the form of chats, which clients of several protocols send. */
const fitBlocks: Repair = (body) => {
  if (!Array.isArray(body.messages)) return body
  const messages = mapItems(body.messages as Turn[], (turn) => {
    if (!Array.isArray(turn?.content)) return turn
    const content = mapItems(turn.content as ImageBlock[], fitBlock)
    return content === turn.content ? turn : { ...turn, content }
  })
  return messages === body.messages ? body : { ...body, messages }
}

function fitBlock(block: ImageBlock): Block {
  const { type, text, image_url: image } = block ?? {}
  if ((type === 'input_text' || type === 'output_text') && typeof text === 'string') return { type: 'text', text }
  if (type !== 'image_url' && type !== 'input_image') return block
  const url = typeof image === 'string' ? image : image?.url
  if (typeof url !== 'string') return block
  const [, media_type, data] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url) ?? []
  const source = data === undefined ? { type: 'url', url } : { type: 'base64', media_type, data }
  return { type: 'image', source } as Block
}

/** Functions in the form of chats. */
const fitFunctions: Repair = (body) => {
  if (!Array.isArray(body.tools)) return body
  const tools = mapItems(body.tools as (Body | null)[], (tool) => {
    const called = tool?.type === 'function' ? tool.function : undefined
    if (typeof called !== 'object' || called === null) return tool
    const { name, description, parameters, strict } = called as Body
    const cache_control = tool!.cache_control
    return withoutNulls({ name, description, input_schema: parameters ?? {}, strict, cache_control })
  })
  return tools === body.tools ? body : { ...body, tools }
}

/** The schema keywords of structured outputs and strict tools. */
const strictRules: SchemaRules = {
  keywords: new Set([
    'type',
    'title',
    'description',
    'enum',
    'const',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'minItems',
    'anyOf',
    'allOf',
    '$ref',
    '$defs',
    'definitions',
    'format',
  ]),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']),
  accepts: (keyword, value) => keyword !== 'minItems' || value === 0 || value === 1,
  closesObjects: true,
}

const fitAnswerSchema: Repair = (body, dropped) => {
  const config = body.output_config as { format?: { type?: string; schema?: unknown } } | null | undefined
  const before = config?.format?.schema
  if (typeof before !== 'object' || before === null) return body
  const schema = fitSchema(before, strictRules, (keyword) => noteDropped(dropped, `output_config.format.${keyword}`))
  if (schema === before) return body
  return { ...body, output_config: { ...config, format: { ...config!.format, schema } } }
}

/** The shape of the strict tools, or of all other tools. */
const toolShape = (kind: 'strict' | 'other'): ToolShape => ({
  schemaOf: (tool) => {
    if (tool.type != null && tool.type !== 'custom') return undefined
    return (tool.strict === true) === (kind === 'strict') ? { name: tool.name, schema: tool.input_schema } : undefined
  },
  withSchema: (tool, input_schema) => ({ ...tool, input_schema }),
})

/** The request rules of Anthropic. */
export const anthropicRules: RequestRules = {
  // In an order in which no repair undoes an earlier one: results are paired by unique ids, for example.
  repairs: [
    fitBlocks,
    skipAnswerImages('messages', 'image'),
    fitFunctions,
    skipBlankTexts,
    trimPrefill,
    skipBlankStops,
    raiseThinkingBudget,
    fitAnswerSchema,
    fitInputs,
    uniqueCallIds,
    pairToolResults,
    fitToClaude,
    limitCacheMarks,
    declareCalledTools,
    toolRepair(toolShape('other'), {}),
    toolRepair(toolShape('strict'), strictRules),
    inlineDataRepair(splitPaths('messages.*.content.*.source', 'messages.*.content.*.content.*.source'), 'media_type'),
  ],
  names: {
    allowedCharacters: /^[a-zA-Z0-9_-]+$/,
    maxLength: 128,
    paths: splitPaths('tools.*.name', 'tool_choice.name', 'messages.*.content.*.name'),
  },
  callIds: {
    allowedCharacters: /^[a-zA-Z0-9_-]+$/,
    maxLength: 256,
    paths: splitPaths('messages.*.content.*.id', 'messages.*.content.*.tool_use_id'),
  },
}

/** The chat names of fields of this protocol. */
export function chatFieldName(name: string): string {
  return name
    .replace(/^stop_sequences/, 'stop')
    .replace(/^output_config\.format/, 'response_format')
    .replace(/^messages\.image$/, 'messages.image_url')
}

/** Chat fields without a counterpart in this protocol. */
export const anthropicLacks = (chat: Body, canSample: boolean): string[] => {
  const names: string[] = [...unsupportedFields, ...findUnknownFields(chat)]
  if (!canSample) names.push(...['temperature', 'top_p'].filter((name) => chat[name] !== 1), 'top_k')
  else if (chat.temperature != null) names.push('top_p')
  const { type } = (chat.response_format ?? {}) as { type?: unknown }
  if (type === 'json_object') names.push('response_format')
  return names
}

const unsupportedFields = [
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'min_p',
  'top_a',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'prompt_cache_key',
  'prompt_cache_retention',
  'verbosity',
  'metadata',
  'modalities',
] as const
