import { isObject } from '#platform/core/is-object.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { Body } from '../../protocol/request-body.ts'
import { readToolSchema, toChatCustomTool } from '../../protocol/tool-conversions.ts'

/**
 * Converts tools and calls in the formats of other protocols to the format of chat completions: functions of the Responses API,
 * Anthropic and MCP, custom tools of the Responses API, and calls without the field `function`, whose arguments are an object.
 */
export function withChatTools(body: Body): Body {
  const { tools, messages } = body
  const chatTools = Array.isArray(tools) ? mapItems(tools as unknown[], toChatTool) : tools
  const chatMessages = Array.isArray(messages) ? mapItems(messages as unknown[], withChatCalls) : messages
  // `mapItems` returns the same list if no item changes.
  if (chatTools === tools && chatMessages === messages) return body
  return { ...body, ...(chatTools !== undefined && { tools: chatTools }), messages: chatMessages }
}

function toChatTool(tool: unknown): unknown {
  if (!isObject(tool)) return tool
  const { type, name, function: declared, cache_control } = tool
  if (isObject(declared)) return renameSchemaField(tool, declared)
  if (typeof name !== 'string' || declared != null) return tool
  const schema = readToolSchema(tool)
  if (type == null || type === 'function' || (type === 'custom' && schema !== undefined))
    return withoutNulls({ type: 'function', function: toFunction(tool, schema), cache_control })
  return type === 'custom' && tool.custom == null ? toChatCustomTool(tool) : tool
}

const toFunction = ({ name, description, strict }: Body, parameters: unknown) =>
  withoutNulls({ name, description, parameters, strict })

/** Moves the schema of a function to `parameters`. Providers ignore the names of other protocols, so the arguments would be lost. */
function renameSchemaField(tool: Body, declared: Body): Body {
  if (declared.parameters != null) return tool
  const parameters = readToolSchema(declared)
  if (parameters === undefined) return tool
  const { input_schema: _anthropic, inputSchema: _mcp, ...rest } = declared
  return { ...tool, function: { ...rest, parameters } }
}

function withChatCalls(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.tool_calls)) return message
  const tool_calls = mapItems(message.tool_calls as unknown[], toChatCall)
  return tool_calls === message.tool_calls ? message : { ...message, tool_calls }
}

function toChatCall(call: unknown): unknown {
  if (!isObject(call)) return call
  const { function: called, name, arguments: args, args: input, ...rest } = call
  if (isObject(called))
    return typeof called.arguments === 'string'
      ? call
      : { ...call, function: { ...called, arguments: toText(called.arguments) } }
  if (typeof name !== 'string' || rest.custom != null) return call
  return { ...rest, type: 'function', function: { name, arguments: toText(args ?? input) } }
}

const toText = (args: unknown) => (typeof args === 'string' ? args : JSON.stringify(args ?? {}))
