import type { SimulatedProtocol } from './provider-facts.ts'
import { parseRequest, type Received } from './scripted-upstream.ts'
import { encodeResponse } from './upstream-responses.ts'

/** The reason why a strict server refuses a request; undefined where it accepts it. */
type Check = (body: any) => string | undefined

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/
const imageType = /^image\/(?:jpeg|png|gif|webp)$/

/** A schema of a tool's arguments as OpenAI and Anthropic validate it. */
function toolSchemaError(schema: any, at: string): string | undefined {
  const missing = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].find(([, ref]) => !hasTarget(schema, ref!))
  if (missing) return `${at}: reference ${missing[1]} can only point to definitions of the schema`
  if (schema?.type !== 'object') return `${at}: schema must have type "object"`
  if (typeof schema.properties !== 'object') return `${at}: object schema missing properties`
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref'])
    if (keyword in schema) return `${at}: ${keyword} is not permitted at the top level`
  return nodeError(schema, at, undefined)
}

const hasTarget = (schema: any, ref: string) =>
  ref.startsWith('#') &&
  ref
    .split('/')
    .slice(1)
    .reduce((found, step) => found?.[step], schema) !== undefined

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** @param keywords the keywords that are accepted; undefined: all. */
function nodeError(schema: any, at: string, keywords: readonly string[] | undefined): string | undefined {
  if (typeof schema !== 'object' || schema === null) return `${at}: ${JSON.stringify(schema)} is not of type object`
  const typeList = [schema.type ?? []].flat()
  if (!typeList.every((type) => types.includes(type)) || schema.type?.length === 0)
    return `${at}: ${JSON.stringify(schema.type)} is not valid under any of the given schemas`
  if (schema.description === null) return `${at}: None is not of type 'string'`
  if (typeList.includes('array') && !schema.items && !schema.prefixItems) return `${at}: array schema missing items`
  if (Array.isArray(schema.items)) return `${at}: items must be a schema`
  if (typeof schema.exclusiveMinimum === 'boolean') return `${at}: exclusiveMinimum must be a number`
  if (typeof schema.required === 'boolean') return `${at}: required must be a list`
  const unknown = Object.keys(schema).find((keyword) => keywords && !keywords.includes(keyword))
  if (unknown) return `${at}: unknown keyword ${unknown}`
  const children = [
    ...Object.entries(schema.properties ?? {}),
    ...Object.entries(schema.$defs ?? {}),
    ...(schema.anyOf ?? []).map((one: unknown) => ['anyOf', one]),
    ...(schema.items ? [['items', schema.items]] : []),
  ] as [string, unknown][]
  for (const [key, child] of children) {
    const error = nodeError(child, `${at}.${key}`, keywords)
    if (error) return error
  }
  return undefined
}

const hasRepeatedIds = (calls: { id: string }[]) => new Set(calls.map(({ id }) => id)).size < calls.length

const isEmptyList = (content: unknown) => Array.isArray(content) && content.length === 0

/** The rule of all providers: each call has one result, after it, and each result has a call. */
function pairError(entries: { id: string; isResult: boolean }[]): string | undefined {
  const open = new Set<string>()
  for (const { id, isResult } of entries) {
    if (!isResult) open.add(id)
    else if (!open.delete(id)) return `No tool call found for the result ${id}`
  }
  return open.size > 0 ? `No tool output found for the calls ${[...open]}` : undefined
}

/** OpenAI and Anthropic require the results directly after the calls. */
function orderError(turns: { calls: string[]; results: string[]; isResults: boolean }[]): string | undefined {
  let open: string[] = []
  for (const { calls, results, isResults } of turns) {
    open = open.filter((id) => !results.includes(id))
    if (open.length > 0 && !isResults) return `tool calls ${open} must be followed by their results`
    open.push(...calls)
  }
  return undefined
}

const firstError = (errors: Iterable<string | undefined | false>) => [...errors].find(Boolean) || undefined

/** The limit of OpenAI. */
const maxTools = 128
const tooManyToolsError = `Invalid 'tools': array too long. Expected an array with maximum length ${maxTools}`

/** A server with the template of Qwen: system first, and user and assistant take turns. */
const chat: Check = ({ messages, tools = [] }) =>
  firstError([
    pairError(
      messages.flatMap(({ tool_calls: calls = [], tool_call_id: id }: any) =>
        id ? [{ id, isResult: true }] : calls.map((call: any) => ({ id: call.id, isResult: false })),
      ),
    ),
    orderError(
      messages.map(({ role, tool_calls: calls = [], tool_call_id: id }: any) => ({
        calls: calls.map((call: any) => call.id),
        results: id ? [id] : [],
        isResults: role === 'tool',
      })),
    ),
    tools.length > maxTools && tooManyToolsError,
    ...messages.map(({ role, content }: any, at: number) =>
      firstError([
        isEmptyList(content) && `messages[${at}].content: empty array`,
        !['system', 'user', 'assistant', 'tool'].includes(role) && `unexpected role ${role}`,
        role === 'system' && at > 0 && 'System message must be at the beginning.',
        role === 'user' && messages[at - 1]?.role === 'user' && 'Conversation roles must alternate',
        ...(Array.isArray(content) ? content : []).map(
          ({ image_url: image }: any) =>
            image?.url.startsWith('data:') &&
            !imageType.test(image.url.slice(5).split(';')[0]) &&
            `unsupported image ${image.url.slice(0, 30)}`,
        ),
      ]),
    ),
    ...tools.map(({ function: { name: tool, parameters } }: any) =>
      firstError([!namePattern.test(tool) && `tool name ${tool}`, parameters && toolSchemaError(parameters, tool)]),
    ),
    ...messages.flatMap(({ tool_calls = [] }: any) =>
      tool_calls.map((call: any) => !namePattern.test(call.function.name) && `call of ${call.function.name}`),
    ),
  ])

/** OpenAI's rule for strict schemas: each object is closed and requires all of its properties. */
function strictSchemaError(schema: any, at: string): string | undefined {
  if (schema?.properties && !Object.keys(schema.properties).every((key) => schema.required?.includes(key)))
    return `${at}: required must list every property`
  return openObjectError(schema, at)
}

const responses: Check = ({ input, tools = [], text }) =>
  firstError([
    typeof input !== 'string' &&
      pairError(
        input.flatMap(({ type = '', call_id: id }: any) => (id ? [{ id, isResult: type.endsWith('_output') }] : [])),
      ),
    tools.length > maxTools && tooManyToolsError,
    ...tools.map((tool: any) =>
      firstError([
        !namePattern.test(tool.name) && 'tool name',
        tool.type === 'function' && toolSchemaError(tool.parameters, tool.name),
        tool.strict && strictSchemaError(tool.parameters, tool.name),
      ]),
    ),
    text?.format && !namePattern.test(text.format.name) && 'text.format.name: is required',
    text?.format?.strict && strictSchemaError(text.format.schema, 'text.format'),
    ...(typeof input === 'string' ? [] : input).map(({ name: calledName, call_id: id, content, output }: any) =>
      firstError([
        calledName && !namePattern.test(calledName) && `call of ${calledName}`,
        isEmptyList(content) && 'input.content: empty array',
        id?.length > 64 && 'call_id: string too long. Expected a string with maximum length 64',
        ...[content, output]
          .filter(Array.isArray)
          .flat()
          .map(
            ({ image_url: url }: any) =>
              url && !imageType.test(url.slice(5).split(';')[0]) && `image ${url.slice(0, 30)}`,
          ),
      ]),
    ),
  ])

const strictKeywords = [
  ...['type', 'title', 'description', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items'],
  ...['minItems', 'anyOf', '$ref', '$defs', 'format'],
]

function openObjectError(schema: any, at: string): string | undefined {
  if (schema?.type === 'object' && schema.additionalProperties !== false)
    return `${at}: additionalProperties must be false`
  return firstError(
    Object.entries(schema?.properties ?? {}).map(([key, child]) => openObjectError(child, `${at}.${key}`)),
  )
}

const anthropic: Check = ({
  system,
  messages,
  stop_sequences = [],
  tools = [],
  thinking,
  max_tokens,
  output_config,
}) => {
  const blocks = messages.flatMap(({ content }: any) =>
    Array.isArray(content) ? content : [{ type: 'text', text: content }],
  )
  const nestedBlocks = blocks.flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
  const texts = [
    ...(Array.isArray(system) ? system : system === undefined ? [] : [{ type: 'text', text: system }]),
    ...blocks,
    ...nestedBlocks,
  ]
  const last = messages.at(-1)
  const lastText = Array.isArray(last.content) ? last.content.at(-1)?.text : last.content
  const turns = messages.map(({ content }: any) => {
    const list = Array.isArray(content) ? content : []
    const results = list.filter(({ type }: any) => type === 'tool_result')
    return {
      calls: list.filter(({ type }: any) => type === 'tool_use').map(({ id }: any) => id),
      results: results.map(({ tool_use_id: id }: any) => id),
      isResults: false,
      hasLateResults: results.some((one: any) => list.indexOf(one) >= results.length),
    }
  })
  return firstError([
    turns.some(({ hasLateResults }: any) => hasLateResults) && 'tool_result blocks must come first',
    pairError(
      turns.flatMap(({ calls, results }: any) => [
        ...results.map((id: string) => ({ id, isResult: true })),
        ...calls.map((id: string) => ({ id, isResult: false })),
      ]),
    ),
    orderError(turns),
    messages.some(
      ({ role, content }: any, at: number) =>
        (content === '' || isEmptyList(content)) && !(role === 'assistant' && at === messages.length - 1),
    ) && 'all messages must have non-empty content except for the optional final assistant message',
    texts.some(({ type, text }) => type === 'text' && !/\S/.test(text)) &&
      'text content blocks must contain non-whitespace text',
    last.role === 'assistant' &&
      /\s$/.test(lastText ?? '') &&
      'final assistant content cannot end with trailing whitespace',
    stop_sequences.some((stop: string) => !/\S/.test(stop)) && 'each stop sequence must contain non-whitespace',
    thinking?.type === 'enabled' &&
      !(thinking.budget_tokens >= 1024 && thinking.budget_tokens < max_tokens) &&
      'thinking.budget_tokens: Input should be greater than or equal to 1024',
    ...[...blocks, ...nestedBlocks].map(
      ({ source }: any) =>
        source?.type === 'base64' && !imageType.test(source.media_type) && `media type ${source.media_type}`,
    ),
    hasRepeatedIds(blocks.filter(({ type }: any) => type === 'tool_use')) && 'tool_use ids must be unique',
    new Set(tools.map(({ name }: any) => name)).size < tools.length && 'tools: Tool names must be unique.',
    blocks.some(({ type }: any) => type === 'tool_use' || type === 'tool_result') &&
      isEmptyList(tools) &&
      'Requests which include `tool_use` or `tool_result` blocks must define tools.',
    ...blocks.map(
      ({ id, tool_use_id: callId = id }: any) => callId && !/^[a-zA-Z0-9_-]+$/.test(callId) && `id ${callId}`,
    ),
    ...tools.map((tool: any) =>
      firstError([
        !/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name) && 'tool name',
        toolSchemaError(tool.input_schema, tool.name),
      ]),
    ),
    output_config?.format && nodeError(output_config.format.schema, 'schema', strictKeywords),
    output_config?.format && openObjectError(output_config.format.schema, 'schema'),
  ])
}

const geminiKeywords = [
  ...['type', 'title', 'description', 'format', 'enum', 'properties', 'required', 'items', 'prefixItems', 'minItems'],
  ...['maxItems', 'minimum', 'maximum', 'anyOf', 'nullable', 'propertyOrdering', 'additionalProperties'],
]

/** Gemini refuses empty values of enums, and required names without a property. */
function geminiSchemaError(schema: any, at: string): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  if (Array.isArray(schema.enum) && schema.enum.includes('')) return `${at}.enum: cannot be empty`
  if (Array.isArray(schema.required) && !schema.required.every((name: string) => schema.properties?.[name]))
    return `${at}.required: property is not defined`
  return firstError(Object.entries(schema).map(([key, child]) => geminiSchemaError(child, `${at}.${key}`)))
}

const gemini: Check = ({ contents, tools = [], generationConfig }) =>
  firstError([
    generationConfig?.stopSequences?.includes('') && 'stop_sequences must not be empty',
    ...tools.map(
      ({ functionDeclarations: declarations = [] }: any) =>
        new Set(declarations.map(({ name }: any) => name)).size < declarations.length &&
        'Duplicate function declaration found',
    ),
    ...tools.flatMap(({ functionDeclarations = [] }: any) =>
      functionDeclarations.map((declared: any) =>
        firstError([
          !/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(declared.name) && `Invalid function name ${declared.name}`,
          declared.parametersJsonSchema && toolSchemaError(declared.parametersJsonSchema, declared.name),
          geminiSchemaError(declared.parametersJsonSchema, declared.name),
          declared.parametersJsonSchema && nodeError(declared.parametersJsonSchema, declared.name, geminiKeywords),
        ]),
      ),
    ),
    ...contents.map(({ role, parts }: any, at: number) => {
      const count = (name: string, turn: any) => (turn?.parts ?? []).filter((part: any) => name in part).length
      return (
        role === 'model' &&
        count('functionCall', { parts }) !== count('functionResponse', contents[at + 1]) &&
        'the number of function response parts must be equal to the number of function call parts'
      )
    }),
    ...contents.flatMap(({ parts }: any) =>
      parts.map(({ functionResponse, inlineData }: any) =>
        firstError([
          functionResponse && !functionResponse.name && 'function_response.name: Name cannot be empty.',
          functionResponse && /"\$ref":/.test(JSON.stringify(functionResponse.response)) && 'invalid $ref',
          inlineData && !imageType.test(inlineData.mimeType) && `Unsupported MIME type: ${inlineData.mimeType}`,
        ]),
      ),
    ),
  ])

const checks: Record<SimulatedProtocol, Check> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': anthropic,
  'google-gemini': gemini,
}

/** The names of the tools that a request offers. */
export const toolNames = (body: any): string[] =>
  (body.tools ?? []).flatMap((tool: any) =>
    (tool.functionDeclarations ?? [tool.function ?? tool]).map(({ name: toolName }: any) => toolName),
  )

export const firstTool = (body: any): string | undefined => toolNames(body)[0]

/** The refusal of a request that the real server of its protocol refuses; undefined for other requests. */
export function strictRefusal(received: Received) {
  const message = checks[parseRequest(received).protocol as SimulatedProtocol](received.body)
  if (message === undefined) return undefined
  const body = JSON.stringify({ error: { code: 400, type: 'invalid_request_error', message } })
  return { status: 400, type: 'application/json', body }
}

/** Refuses what the real server of the protocol refuses; otherwise calls the first tool, or answers with text. */
export function strictResponse(received: Received) {
  const refusal = strictRefusal(received)
  if (refusal) return refusal
  const { protocol, streamed } = parseRequest(received)
  const tool = firstTool(received.body)
  return encodeResponse(protocol, tool ? { calls: [{ name: tool, input: { a: 1 } }] } : { text: 'Hi' }, streamed)
}
