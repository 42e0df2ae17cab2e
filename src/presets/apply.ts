import type { PresetVersion } from './preset.ts'
import { chatFields } from './to-chat.ts'
import { responsesFields } from './to-responses.ts'

type Body = Record<string, unknown>

/** In whose names a body is written. */
export type BodyStyle = 'chat' | 'responses'

/** Names under which a request may say the same thing; whichever it uses, it has said it. */
const otherNames: Record<string, readonly string[]> = {
  max_completion_tokens: ['max_tokens'],
  reasoning: ['reasoning_effort'],
  reasoning_effort: ['reasoning'],
}

/** A choice among tools says nothing without any, and upstreams refuse it. */
const aboutTools = ['tool_choice', 'parallel_tool_calls']

/**
 * A request filled in from a preset. What the request says, null included, stays as it is; tools unite by name, the
 * request's definition winning; the preset's system prompt comes before all that the request tells the model.
 */
export function applyPreset(
  { system_prompt, config }: Pick<PresetVersion, 'system_prompt' | 'config'>,
  body: Body,
  style: BodyStyle,
): Body {
  const offered = style === 'chat' ? chatFields(config) : responsesFields(config)
  const applied = { ...body }
  for (const [name, value] of Object.entries(offered)) if (!says(body, name)) applied[name] = value
  const tools = united(offered.tools, body.tools)
  if (tools.length > 0) applied.tools = tools
  else for (const name of aboutTools) if (!says(body, name)) delete applied[name]
  if (style === 'responses' && offered.text) applied.text = { ...offered.text, ...(body.text as object | undefined) }
  return system_prompt ? { ...applied, ...prompted(system_prompt, body, style) } : applied
}

function says(body: Body, name: string): boolean {
  return body[name] !== undefined || (otherNames[name]?.some((other) => body[other] !== undefined) ?? false)
}

function prompted(prompt: string, body: Body, style: BodyStyle): Body {
  if (style === 'chat') return { messages: [{ role: 'system', content: prompt }, ...(body.messages as object[])] }
  return { instructions: body.instructions ? `${prompt}\n\n${body.instructions}` : prompt }
}

type Tool = { type: string; name?: unknown; server_label?: unknown } & Record<string, unknown>

function united(offered: unknown, own: unknown): unknown[] {
  const tools = (own ?? []) as Tool[]
  const defined = new Set(tools.map(nameOf))
  return [...((offered ?? []) as Tool[]).filter((tool) => !defined.has(nameOf(tool))), ...tools]
}

/** Chat bodies hold a tool's name below its type. What a provider runs itself has no name but that type. */
function nameOf(tool: Tool): unknown {
  const below = tool[tool.type] as { name?: unknown } | undefined
  return tool.name ?? below?.name ?? tool.server_label ?? tool.type
}
