import type { MessagesCall } from '#chat/messages-call.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { Body } from '../../../protocol/request-body.ts'
import { readToolSchema } from '../../../protocol/tool-conversions.ts'
import { toClientFunction } from './client-tools.ts'

type Tool = NonNullable<MessagesCall['tools']>[number]

/**
 * Translates tools and tool choice. Tools that Anthropic runs keep their type, so endpoints that do not support them are skipped.
 * Tools that the client runs become functions.
 */
export function toChatTools({ tools, tool_choice: choice }: MessagesCall): Body {
  if (!tools?.length) return {}
  return {
    tools: tools.map(toChatTool),
    ...(choice &&
      withoutNulls({ tool_choice: toChatToolChoice(choice), parallel_tool_calls: toParallelToolCalls(choice) })),
  }
}

/** Whether a tool is a function as responses have it. */
const isFlatFunction = ({ type, name, function: definition }: Tool) =>
  type === 'function' && typeof name === 'string' && definition == null

function toChatTool(tool: Tool): Body {
  const cache = tool.cache_control == null ? {} : { cache_control: tool.cache_control }
  if (tool.type != null && tool.type !== 'custom' && !isFlatFunction(tool)) {
    const clientFunction = toClientFunction(tool)
    return clientFunction ? { type: 'function', function: clientFunction, ...cache } : tool
  }
  const { name, description, strict } = tool
  return {
    type: 'function',
    function: withoutNulls({ name, description, parameters: readToolSchema(tool), strict: strict ?? undefined }),
    ...cache,
  }
}

function toChatToolChoice({ type, name }: NonNullable<MessagesCall['tool_choice']>): unknown {
  if (type === 'tool') return { type: 'function', function: { name } }
  return type === 'any' ? 'required' : type
}

function toParallelToolCalls({
  disable_parallel_tool_use: isDisabled,
}: NonNullable<MessagesCall['tool_choice']>): boolean | undefined {
  return isDisabled === undefined ? undefined : !isDisabled
}
