import { mapItems } from '#platform/json/map-texts.ts'
import { fitSchema } from '#platform/json-schema/fit-schema.ts'
import type { SchemaRules } from '#platform/json-schema/schema-keywords.ts'
import { splitPaths } from '../../protocol/repairs/aliases.ts'
import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import { inlineDataRepair } from '../../protocol/repairs/media-types.ts'
import type { Repair, RequestRules } from '../../protocol/repairs/repair.ts'
import { fitTools, type ToolShape } from '../../protocol/repairs/tool-repair.ts'
import type { Body } from '../../protocol/request-body.ts'

/** The JSON Schema that Gemini documents: its enums contain only texts that are not empty. Other keywords move to the description. */
const schemaRules: SchemaRules = {
  keywords: new Set([
    'type',
    'title',
    'description',
    'format',
    'enum',
    'properties',
    'required',
    'propertyOrdering',
    'nullable',
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'minimum',
    'maximum',
    'anyOf',
    'additionalProperties',
  ]),
  formats: new Set(['date-time', 'date', 'time', 'enum', 'float', 'double', 'int32', 'int64']),
  accepts: (keyword, value) =>
    keyword !== 'enum' || (Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '')),
  declaresRequired: true,
}

const toolShape: ToolShape = {
  schemaOf: ({ name, parametersJsonSchema }) =>
    parametersJsonSchema === undefined ? undefined : { name, schema: parametersJsonSchema },
  withSchema: (declaration, parametersJsonSchema) => ({ ...declaration, parametersJsonSchema }),
}

/** Fits the schemas of functions. If no tool remains, the tool choice is removed, too. */
const fitDeclarations: Repair = (body, dropped) => {
  if (!Array.isArray(body.tools)) return body
  const tools = mapItems(body.tools as Body[], (tool) => {
    if (!Array.isArray(tool.functionDeclarations)) return tool
    const functionDeclarations = fitTools(tool.functionDeclarations, toolShape, schemaRules, dropped)
    return functionDeclarations === tool.functionDeclarations ? tool : { ...tool, functionDeclarations }
  })
  if (tools === body.tools) return body
  const remaining = tools.filter(
    ({ functionDeclarations: declared }) => !Array.isArray(declared) || declared.length > 0,
  )
  const { tools: _tools, toolConfig, ...rest } = body
  return remaining.length > 0 ? { ...body, tools: remaining } : rest
}

const fitResponseSchema: Repair = (body, dropped) => {
  const config = body.generationConfig as { responseJsonSchema?: unknown } | undefined
  const before = config?.responseJsonSchema
  if (typeof before !== 'object' || before === null) return body
  const responseJsonSchema = fitSchema(before, schemaRules, (keyword) =>
    noteDropped(dropped, `response_format.${keyword}`),
  )
  return responseJsonSchema === before ? body : { ...body, generationConfig: { ...config, responseJsonSchema } }
}

const maxStops = 5

/** Gemini accepts five stop sequences, and none that is empty. */
const fitStops: Repair = (body, dropped) => {
  const config = body.generationConfig as { stopSequences?: unknown } | undefined
  const stops = config?.stopSequences
  if (!Array.isArray(stops) || (!stops.includes('') && stops.length <= maxStops)) return body
  noteDropped(dropped, 'stop')
  const remaining = stops.filter((stop) => stop !== '').slice(0, maxStops)
  const { stopSequences: _stops, ...rest } = config!
  return { ...body, generationConfig: remaining.length > 0 ? { ...rest, stopSequences: remaining } : rest }
}

/** The request rules of Gemini. */
export const geminiRules: RequestRules = {
  repairs: [
    fitDeclarations,
    fitResponseSchema,
    fitStops,
    inlineDataRepair(splitPaths('contents.*.parts.*.inlineData'), 'mimeType'),
  ],
  names: {
    allowedCharacters: /^[a-zA-Z_][a-zA-Z0-9_.-]*$/,
    maxLength: 64,
    paths: splitPaths(
      'tools.*.functionDeclarations.*.name',
      'toolConfig.functionCallingConfig.allowedFunctionNames.*',
      'contents.*.parts.*.functionCall.name',
      'contents.*.parts.*.functionResponse.name',
    ),
  },
}

/** Chat fields without a counterpart in this protocol. */
export const fieldsUnsupportedByGemini = [
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'min_p',
  'top_a',
  'repetition_penalty',
  'parallel_tool_calls',
  'user',
  'safety_identifier',
  'best_of',
  'store',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'verbosity',
] as const
