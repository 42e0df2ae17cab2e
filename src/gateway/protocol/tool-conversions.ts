import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { Body } from './request-body.ts'

/** Reads the schema of a function: `parameters` (OpenAI), `input_schema` (Anthropic) or `inputSchema` (MCP). */
export const readToolSchema = ({ parameters, input_schema, inputSchema }: Body): unknown =>
  parameters ?? input_schema ?? inputSchema ?? undefined

/** Converts a custom tool of the Responses API, which is called with free text, to the chat format. */
export function toChatCustomTool({ name, description, format }: Body): Body {
  const { type, ...grammar } = (format ?? {}) as { type?: unknown } & Body
  const shape = type === 'grammar' && grammar.grammar === undefined ? { type, grammar } : format
  return { type: 'custom', custom: withoutNulls({ name, description, format: shape }) }
}

/** Converts a custom tool of the chat format to that of the Responses API. Returns other tools unchanged. */
export function toResponsesTool(tool: Body): Body {
  const { type, custom } = tool
  if (type !== 'custom' || typeof custom !== 'object' || custom === null) return tool
  const { name, description, format } = custom as Body
  const { type: formatType, grammar } = (format ?? {}) as { type?: unknown; grammar?: object | null }
  return withoutNulls({ type, name, description, format: grammar ? { type: formatType, ...grammar } : format })
}

type ChoiceTool = { type?: unknown; name?: unknown; function?: { name?: unknown } | null }
type Choice = {
  type?: unknown
  name?: unknown
  custom?: { name?: unknown } | null
  mode?: unknown
  tools?: unknown
  allowed_tools?: { mode?: unknown; tools?: unknown } | null
}

/**
 * Converts a choice among several tools, or of a custom tool, to the chat format. Also accepts the format of the Responses API,
 * where the fields of `allowed_tools` and `custom` are directly in the choice.
 * @returns undefined for other choices.
 */
export function toChatChoice(choice: object): object | undefined {
  const { type, name, custom, mode, tools, allowed_tools: nested } = choice as Choice
  if (type === 'custom') return { type, custom: { name: custom?.name ?? name } }
  if (type !== 'allowed_tools') return undefined
  const allowed = nested ?? { mode, tools }
  const list = Array.isArray(allowed.tools) ? allowed.tools.map(toChosenTool) : allowed.tools
  return { type, allowed_tools: { mode: allowed.mode, tools: list } }
}

function toChosenTool(tool: ChoiceTool | null): unknown {
  return typeof tool?.name === 'string' && tool.function == null
    ? { type: tool.type, function: { name: tool.name } }
    : tool
}

/** Converts the choices of `toChatChoice` to the format of the Responses API. */
export function toResponsesChoice(choice: object): object | undefined {
  const chatChoice = toChatChoice(choice) as Choice | undefined
  if (!chatChoice) return undefined
  const { type, custom, allowed_tools: allowed } = chatChoice
  if (type === 'custom') return { type, name: custom?.name }
  const list = allowed?.tools
  const tools = Array.isArray(list)
    ? (list as (ChoiceTool | null)[]).map((tool) =>
        tool?.function ? { type: tool.type, name: tool.function.name } : tool,
      )
    : list
  return { type, mode: allowed?.mode, tools }
}
