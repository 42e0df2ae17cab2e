import type { PresetVersion } from './preset.ts'

type Body = Record<string, unknown>

/** Describes how a preset fills in one kind of body. Each client protocol has its own. */
export type PresetAdapter = {
  /** Translates a configuration to the field names of the body. */
  toBodyFields: (config: Body) => Body
  /** The fields of the body with the preset's system prompt before the instructions of the request. */
  withPrompt: (prompt: string, body: Body) => Body
  /** By field of the preset: other fields for the same setting. If a request has one of them, the field is not filled in. */
  equivalentFields?: Record<string, readonly string[]>
  /** Fields that a request sets in a form that no name shows, such as within an object. They are not filled in either. */
  listFieldsSetByRequest?: (body: Body) => readonly string[]
  /** Fields that are merged field by field. */
  mergedFields?: readonly string[]
  /** Adapts the tools of a filled-in body to the form that the client uses. */
  adaptTools?: (filledBody: Body, clientBody: Body) => Body
  /** Adapts a filled-in body for upstreams of the protocol. Fields of the client stay. */
  forUpstream?: (filledBody: Body, clientBody: Body) => Body
}

/** Upstreams refuse these fields without tools. */
const toolFields = ['tool_choice', 'parallel_tool_calls']

/**
 * Fills in a request from a preset. Fields of the request stay as they are, even if they are null. Tools of the preset
 * and of the request are combined by name; the request's definition wins. The preset's system prompt comes before the request's instructions.
 */
export function applyPreset(
  { system_prompt, config }: Pick<PresetVersion, 'system_prompt' | 'config'>,
  body: Body,
  adapter: PresetAdapter,
): Body {
  // The choice of the request replaces that of the preset, which could also exclude tools.
  const { tool_choice: _choice, ...withoutChoice } = config
  const presetFields = adapter.toBodyFields(body.tool_choice === undefined ? config : withoutChoice)
  const setFields = new Set(adapter.listFieldsSetByRequest?.(body))
  const filledBody = { ...body }
  for (const [name, value] of Object.entries(presetFields))
    if (!setFields.has(name) && !hasField(body, name, adapter)) filledBody[name] = value
  const tools = mergeTools(presetFields.tools, body.tools)
  if (tools.length > 0) filledBody.tools = tools
  else for (const name of toolFields) if (!hasField(body, name, adapter)) delete filledBody[name]
  for (const name of adapter.mergedFields ?? [])
    if (presetFields[name] && !setFields.has(name))
      filledBody[name] = { ...presetFields[name], ...(body[name] as object | undefined) }
  const adaptedBody = adapter.adaptTools?.(filledBody, body) ?? filledBody
  return system_prompt ? { ...adaptedBody, ...adapter.withPrompt(system_prompt, body) } : adaptedBody
}

function hasField(body: Body, name: string, { equivalentFields }: PresetAdapter): boolean {
  return body[name] !== undefined || (equivalentFields?.[name]?.some((other) => body[other] !== undefined) ?? false)
}

type Tool = { type?: string; name?: unknown; server_label?: unknown } & Record<string, unknown>

function mergeTools(presetTools: unknown, requestTools: unknown): unknown[] {
  const tools = (requestTools ?? []) as Tool[]
  const requestedNames = new Set(tools.map(readToolName))
  return [...((presetTools ?? []) as Tool[]).filter((tool) => !requestedNames.has(readToolName(tool))), ...tools]
}

/** The name of a tool. Chat bodies have it below the type; a provider tool has only its type. */
function readToolName(tool: Tool): unknown {
  const nested = tool[tool.type ?? 'function'] as { name?: unknown } | undefined
  return tool.name ?? nested?.name ?? tool.server_label ?? tool.type
}
