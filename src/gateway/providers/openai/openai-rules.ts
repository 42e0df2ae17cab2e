import { mapItems } from '#platform/json/map-texts.ts'
import { fitSchema } from '#platform/json-schema/fit-schema.ts'
import type { SchemaRules } from '#platform/json-schema/schema-keywords.ts'
import { type NameRule, splitPaths } from '../../protocol/repairs/aliases.ts'
import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import { toStrictSchema } from '../../protocol/repairs/strict-schema.ts'
import type { ToolShape } from '../../protocol/repairs/tool-repair.ts'
import type { Body } from '../../protocol/request-body.ts'

/** The tool names that OpenAI accepts, and most servers of its protocols. */
const openaiNames: Pick<NameRule, 'allowedCharacters' | 'maxLength'> = {
  allowedCharacters: /^[a-zA-Z0-9_-]+$/,
  maxLength: 64,
}

/** OpenAI's models fail with patterns that have lookaround. */
export const openaiSchemaRules: SchemaRules = {
  accepts: (keyword, value) => keyword !== 'pattern' || typeof value !== 'string' || !/\(\?<?[=!]/.test(value),
}

/** The pattern of names for servers that limit only the length of a name. */
export const anyCharacters = /^[\s\S]*$/

/** A response format or a function: both have a schema and `strict`. */
type StrictHolder = { strict?: unknown; name?: unknown } & Body

/** The position of the response format in a body. */
type FormatPosition = {
  find: (body: Body) => StrictHolder | undefined
  replace: (body: Body, format: StrictHolder) => Body
  name: string
}

/** Fits the schema of the response format. */
export function formatRepair({ find, replace, name }: FormatPosition, { validatesStrictSchemas = false } = {}): Repair {
  return (body, dropped) => {
    const format = find(body)
    if (typeof format?.schema !== 'object' || format.schema === null) return body
    const fitted = {
      ...format,
      schema: fitSchema(format.schema, validatesStrictSchemas ? openaiSchemaRules : {}, (keyword) =>
        noteDropped(dropped, `${name}.${keyword}`),
      ),
    }
    const strict = validatesStrictSchemas ? fitStrictSchema(fitted, 'schema', name, dropped) : fitted
    const namedFormat = withFormatName(strict)
    const isSame = (['schema', 'strict', 'name'] as const).every((field) => namedFormat[field] === format[field])
    return isSame ? body : replace(body, namedFormat)
  }
}

/** OpenAI requires a name of a response format, with the characters of a tool's name. */
function withFormatName(format: StrictHolder): StrictHolder {
  const requestedName = typeof format.name === 'string' ? format.name : ''
  const name = requestedName.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, openaiNames.maxLength) || 'response'
  return name === format.name ? format : { ...format, name }
}

/** OpenAI refuses a strict schema that leaves an object open or a property optional. Such a schema is sent as not strict. */
function fitStrictSchema(holder: StrictHolder, field: string, name: string, dropped: string[]): StrictHolder {
  if (holder.strict !== true) return holder
  const schema = toStrictSchema(holder[field], (keyword) => noteDropped(dropped, `${name}.${keyword}`))
  if (schema) return schema === holder[field] ? holder : { ...holder, [field]: schema }
  noteDropped(dropped, `${name}.strict`)
  return { ...holder, strict: false }
}

/** OpenAI refuses a message with an empty list of parts, but accepts an empty text. @param list the field with the messages. */
export function emptyContentRepair(list: 'messages' | 'input'): Repair {
  return (body) => {
    const messages = body[list]
    if (!Array.isArray(messages)) return body
    const changed = mapItems(messages as Body[], (message) => {
      const isEmpty = Array.isArray(message?.content) && message.content.length === 0
      return isEmpty && message.role !== undefined ? { ...message, content: '' } : message
    })
    return changed === messages ? body : { ...body, [list]: changed }
  }
}

/** Makes the schemas of strict functions acceptable, or else the functions not strict. */
export function strictToolRepair(
  findFunction: (tool: Body) => StrictHolder | undefined,
  replace: ToolShape['withSchema'],
): Repair {
  return (body, dropped) => {
    if (!Array.isArray(body.tools)) return body
    const tools = (body.tools as Body[]).map((tool) => {
      const declaredFunction = findFunction(tool)
      if (!declaredFunction) return tool
      const strict = fitStrictSchema(declaredFunction, 'parameters', `tools.${declaredFunction.name}`, dropped)
      return strict === declaredFunction ? tool : replace(tool, strict)
    })
    return tools.every((tool, at) => tool === (body.tools as Body[])[at]) ? body : { ...body, tools }
  }
}

/** The names of tools in a chat, which OpenAI and most chat servers restrict. */
export const chatNames: NameRule = {
  ...openaiNames,
  paths: splitPaths(
    'tools.*.function.name',
    'tools.*.custom.name',
    'messages.*.tool_calls.*.function.name',
    'tool_choice.function.name',
    'tool_choice.custom.name',
    'tool_choice.allowed_tools.tools.*.function.name',
    'messages.*.tool_calls.*.custom.name',
    'functions.*.name',
    'function_call.name',
    'messages.*.function_call.name',
  ),
  // The name of a result's tool, or that of a user.
  dependentPaths: splitPaths('messages.*.name'),
}

export const chatCallIdPaths = splitPaths('messages.*.tool_calls.*.id', 'messages.*.tool_call_id')

/** The names of tools in a body of responses. */
export const responsesNames: NameRule = {
  ...openaiNames,
  paths: splitPaths('tools.*.name', 'tool_choice.name', 'tool_choice.tools.*.name', 'input.*.name'),
}

/** OpenAI refuses longer ids of calls in responses. Other gateways generate some of 85 characters. */
export const responsesCallIds: NameRule = {
  allowedCharacters: anyCharacters,
  maxLength: 64,
  paths: splitPaths('input.*.call_id'),
}
