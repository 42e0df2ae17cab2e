import type { Repair } from '../../protocol/repairs/repair.ts'

type Turn = { content?: unknown } | null
type Block = { type?: unknown; name?: unknown } | null

/**
 * Declares the tools that earlier turns called, if the request has no tools: Anthropic refuses calls without declarations.
 * Clients send such requests to summarise a conversation. The model cannot call the tools.
 */
export const declareCalledTools: Repair = (body) => {
  if (!Array.isArray(body.messages) || (Array.isArray(body.tools) && body.tools.length > 0)) return body
  const names = new Set<string>()
  for (const turn of body.messages as Turn[])
    if (Array.isArray(turn?.content)) for (const block of turn.content as Block[]) addName(block, names)
  if (names.size === 0) return body
  const tools = [...names].map((name) => ({ name, input_schema: { type: 'object', properties: {} } }))
  return { ...body, tools, tool_choice: { type: 'none' } }
}

function addName(block: Block, names: Set<string>): void {
  if (block?.type === 'tool_use' && typeof block.name === 'string') names.add(block.name)
}
