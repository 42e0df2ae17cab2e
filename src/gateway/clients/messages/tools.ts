import type { MessagesCall } from '#chat/messages-call.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { Body } from '../../protocol/protocol.ts'

type Tool = NonNullable<MessagesCall['tools']>[number]

/** Translates tools and tool choice. Anthropic's tools keep their type, so endpoints without them are skipped. */
export function toChatTools({ tools, tool_choice: choice }: MessagesCall): Body {
  if (!tools?.length) return {}
  return {
    tools: tools.map(toChatTool),
    ...(choice &&
      withoutNulls({ tool_choice: toChatToolChoice(choice), parallel_tool_calls: toParallelToolCalls(choice) })),
  }
}

function toChatTool(tool: Tool): Body {
  if (tool.type != null && tool.type !== 'custom') return tool
  const { name, description, input_schema, strict, cache_control } = tool
  return {
    type: 'function',
    function: withoutNulls({ name, description, parameters: input_schema, strict: strict ?? undefined }),
    ...(cache_control != null && { cache_control }),
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
