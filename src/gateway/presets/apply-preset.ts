import type { PresetVersion } from './preset.ts'

type Body = Record<string, unknown>

/** Describes how a preset fills in one kind of body. Each client protocol has its own. */
export type PresetStyle = {
  /** A configuration in the names of such a body. */
  fields: (config: Body) => Body
  /** The fields that put the preset's system prompt before the request's own instructions. */
  prompted: (prompt: string, body: Body) => Body
  /** Names under which a request may say the same thing; whichever it uses, it has said it. */
  otherNames?: Record<string, readonly string[]>
  /** Fields that are filled in member by member. */
  nested?: readonly string[]
  /** A filled-in body as upstreams of the protocol take it; what the client itself put in stays. */
  forUpstream?: (applied: Body, own: Body) => Body
}

/** A choice among tools says nothing without any, and upstreams refuse it. */
const aboutTools = ['tool_choice', 'parallel_tool_calls']

/**
 * Fills in a request from a preset. Fields of the request stay as they are, even if they are null. Tools of both are
 * combined by name; the request's definition wins. The preset's system prompt comes before the request's instructions.
 */
export function applyPreset(
  { system_prompt, config }: Pick<PresetVersion, 'system_prompt' | 'config'>,
  body: Body,
  style: PresetStyle,
): Body {
  const offered = style.fields(config)
  const applied = { ...body }
  for (const [name, value] of Object.entries(offered)) if (!says(body, name, style)) applied[name] = value
  const tools = united(offered.tools, body.tools)
  if (tools.length > 0) applied.tools = tools
  else for (const name of aboutTools) if (!says(body, name, style)) delete applied[name]
  for (const name of style.nested ?? [])
    if (offered[name]) applied[name] = { ...offered[name], ...(body[name] as object | undefined) }
  return system_prompt ? { ...applied, ...style.prompted(system_prompt, body) } : applied
}

function says(body: Body, name: string, { otherNames }: PresetStyle): boolean {
  return body[name] !== undefined || (otherNames?.[name]?.some((other) => body[other] !== undefined) ?? false)
}

type Tool = { type?: string; name?: unknown; server_label?: unknown } & Record<string, unknown>

function united(offered: unknown, own: unknown): unknown[] {
  const tools = (own ?? []) as Tool[]
  const defined = new Set(tools.map(nameOf))
  return [...((offered ?? []) as Tool[]).filter((tool) => !defined.has(nameOf(tool))), ...tools]
}

/** Chat bodies hold a tool's name below its type. A tool that the provider runs has only its type as a name. */
function nameOf(tool: Tool): unknown {
  const below = tool[tool.type ?? 'function'] as { name?: unknown } | undefined
  return tool.name ?? below?.name ?? tool.server_label ?? tool.type
}
