import type { ChatRequest } from '#chat/chat-request.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { fitSchema } from '#platform/json-schema/fit-schema.ts'
import type { SchemaRules } from '#platform/json-schema/schema-keywords.ts'
import { isRecursive } from '#platform/json-schema/schema-refs.ts'
import { minReasoningBudget } from '../../protocol/reasoning-options.ts'
import { splitPaths } from '../../protocol/repairs/aliases.ts'
import { assistantImageRepair } from '../../protocol/repairs/assistant-images.ts'
import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import { inlineDataRepair } from '../../protocol/repairs/media-types.ts'
import type { Repair, RequestRules } from '../../protocol/repairs/repair.ts'
import { hasDictionary } from '../../protocol/repairs/strict-schema.ts'
import { type ToolShape, toolRepair } from '../../protocol/repairs/tool-repair.ts'
import { findUnknownFields } from '../../protocol/repairs/unsupported-fields.ts'
import type { Body } from '../../protocol/request-body.ts'
import { readToolSchema } from '../../protocol/tool-conversions.ts'
import { limitCacheBreakpoints } from './anthropic-cache-breakpoints.ts'
import { uniqueCallIds } from './anthropic-call-ids.ts'
import { declareCalledTools } from './anthropic-called-tools.ts'
import {
  fitBlocks,
  fitInputs,
  fitSystemTurns,
  isBlank,
  skipBlankTexts,
  trimPrefill,
} from './anthropic-content-repairs.ts'
import { fitToClaude } from './anthropic-model-rules.ts'
import { pairToolResults } from './anthropic-paired-results.ts'
import { findFormatSchema, serviceTiers } from './anthropic-request.ts'

/** Removes stop sequences without a visible character, which Anthropic refuses. */
const skipBlankStops: Repair = (body, dropped) => {
  const stops = body.stop_sequences
  if (!Array.isArray(stops) || !stops.some(isBlank)) return body
  noteDropped(dropped, 'stop_sequences')
  const remaining = stops.filter((stop) => !isBlank(stop))
  const { stop_sequences: _blank, ...rest } = body
  return remaining.length > 0 ? { ...rest, stop_sequences: remaining } : rest
}

/** Raises a thinking budget below the minimum of Anthropic, if the output limit has room for it. */
const raiseThinkingBudget: Repair = (body) => {
  const thinking = body.thinking as { budget_tokens?: unknown } | null | undefined
  const budget = thinking?.budget_tokens
  if (typeof budget !== 'number' || budget >= minReasoningBudget || !(Number(body.max_tokens) > minReasoningBudget))
    return body
  return { ...body, thinking: { ...thinking, budget_tokens: minReasoningBudget } }
}

/** Whether a tool is a function in the form of another protocol. */
const isNonAnthropicFunction = (tool: Body | null): tool is Body =>
  tool?.type === 'function' ||
  (tool != null && tool.type == null && tool.input_schema == null && readToolSchema(tool) != null)

/** Converts functions of chats, responses and MCP to tools of Anthropic. */
const convertFunctions: Repair = (body) => {
  if (!Array.isArray(body.tools)) return body
  const tools = mapItems(body.tools as (Body | null)[], (tool) => {
    const called = isNonAnthropicFunction(tool) ? (tool.function ?? tool) : undefined
    if (typeof called !== 'object' || called === null) return tool?.description === null ? withoutNulls(tool) : tool
    const { name, description, strict } = called as Body
    const cache_control = tool!.cache_control
    return withoutNulls({
      name,
      description,
      input_schema: readToolSchema(called as Body) ?? {},
      strict,
      cache_control,
    })
  })
  return tools === body.tools ? body : { ...body, tools }
}

/** Removes a tool choice without tools, which Anthropic refuses. */
const skipToolChoiceWithoutTools: Repair = (body) => {
  const { tool_choice: choice, ...rest } = body
  return choice === undefined || (Array.isArray(body.tools) && body.tools.length > 0) ? body : rest
}

/**
 * The keywords and formats that Anthropic accepts in the schemas of response formats and strict tools. It refuses others.
 * It accepts `allOf` only without references.
 */
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
    '$ref',
    '$defs',
    'definitions',
    'format',
  ]),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']),
  accepts: (keyword, value) => keyword !== 'minItems' || value === 0 || value === 1,
  closesObjects: true,
}

type Format = { schema?: unknown } | null | undefined

/** Fits the schema of the response format, also in its former field `output_format`. */
const fitResponseSchema: Repair = (body, dropped) => {
  const config = body.output_config as { format?: Format } | null | undefined
  const format = fitFormat(config?.format, 'output_config.format', dropped)
  const formerFormat = fitFormat(body.output_format as Format, 'output_format', dropped)
  if (format === config?.format && formerFormat === body.output_format) return body
  return {
    ...body,
    ...(config && { output_config: { ...config, ...(format && { format }) } }),
    ...(formerFormat && { output_format: formerFormat }),
  }
}

function fitFormat(format: Format, path: string, dropped: string[]): Format {
  const { schema: before } = format ?? {}
  if (typeof before !== 'object' || before === null) return format
  const schema = fitSchema(before, strictRules, (keyword) => noteDropped(dropped, `${path}.${keyword}`))
  return schema === before ? format : { ...format, schema }
}

/** Makes tools not strict whose arguments have properties of any name or are recursive. Anthropic refuses them as strict. */
const relaxOpenTools: Repair = (body, dropped) => {
  if (!Array.isArray(body.tools)) return body
  const tools = mapItems(body.tools as (Body | null)[], (tool) => {
    if (tool?.strict !== true || !(hasDictionary(tool.input_schema) || isRecursive(tool.input_schema))) return tool
    noteDropped(dropped, `tools.${tool.name}.strict`)
    const { strict: _strict, ...rest } = tool
    return rest
  })
  return tools === body.tools ? body : { ...body, tools }
}

/** Reads and replaces the schemas of strict tools, or those of all other tools. */
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
    assistantImageRepair('messages', 'image'),
    convertFunctions,
    skipToolChoiceWithoutTools,
    fitSystemTurns,
    skipBlankTexts,
    trimPrefill,
    skipBlankStops,
    raiseThinkingBudget,
    fitResponseSchema,
    fitInputs,
    uniqueCallIds,
    pairToolResults,
    fitToClaude,
    limitCacheBreakpoints,
    declareCalledTools,
    relaxOpenTools,
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
export function toChatFieldName(name: string): string {
  return name
    .replace(/^stop_sequences/, 'stop')
    .replace(/^output_config\.format/, 'response_format')
    .replace(/^messages\.image$/, 'messages.image_url')
}

/** Chat fields without a counterpart in this protocol. */
export const listUnsupportedFields = (chat: Body, canSample: boolean): string[] => {
  const names: string[] = [...unsupportedFields, ...findUnknownFields(chat)]
  if (!canSample) names.push(...['temperature', 'top_p'].filter((name) => chat[name] !== 1), 'top_k')
  else if (chat.temperature != null) names.push('top_p')
  const { response_format: format, service_tier: tier } = chat as Pick<ChatRequest, 'response_format' | 'service_tier'>
  if (format?.type !== 'text' && !findFormatSchema(format)) names.push('response_format')
  if (!Object.hasOwn(serviceTiers, tier ?? '')) names.push('service_tier')
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
  'prompt_cache_options',
  'verbosity',
  'metadata',
  'modalities',
  'image_config',
  'best_of',
  'store',
  'safety_settings',
] as const
