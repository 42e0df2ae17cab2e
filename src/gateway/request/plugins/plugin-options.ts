import { Fault } from '#platform/core/fault.ts'
import type { Body } from '../../protocol/request-body.ts'

/** The plugins of a request. */
export type PluginOptions = {
  /** Whether to repair invalid JSON in the response. */
  healJson: boolean
  /** Whether to shorten the middle of a prompt that does not fit. */
  compressPrompt: boolean
  /** The model can call the clock; `timezone` is an IANA name. */
  clock: { timezone: string } | undefined
}

const healingPluginId = 'response-healing'
/** The plugin `context-compression` is the newer name of the transform `middle-out`. */
const compressionPluginId = 'context-compression'
const middleOutTransform = 'middle-out'
const serverToolPrefix = 'openrouter:'
const datetimeToolType = `${serverToolPrefix}datetime`

type Plugin = { id?: unknown; enabled?: unknown; engine?: unknown } | null
type Tool = { type?: unknown; parameters?: unknown } | null

/** Shared by the many requests without plugins. */
const noOptions: PluginOptions = { healJson: false, compressPrompt: false, clock: undefined }

/**
 * Reads the plugin options from a body of any protocol. Rejects unsupported options, so that a client that requests a search does
 * not get a response without one.
 * @throws Fault `invalid` that names the option.
 */
export function readPluginOptions(body: Body): PluginOptions {
  const { plugins: pluginList, transforms: transformList, tools, truncation } = body
  if (pluginList == null && transformList == null && tools == null && truncation !== 'auto') return noOptions
  const plugins = parseList<Plugin>(pluginList, 'plugins').flatMap(parsePlugin)
  const transforms = parseList(transformList, 'transforms').map(parseTransform)
  return {
    healJson: plugins.includes(healingPluginId),
    compressPrompt:
      plugins.includes(compressionPluginId) || transforms.includes(middleOutTransform) || truncation === 'auto',
    clock: parseDatetimeTool(parseList<Tool>(tools, 'tools')),
  }
}

function parseList<Item>(value: unknown, name: string): Item[] {
  if (value == null) return []
  if (!Array.isArray(value)) throw new Fault('invalid', `Invalid request: ${name}: must be an array`)
  return value as Item[]
}

function parsePlugin(plugin: Plugin, index: number): string[] {
  const { id, enabled, engine } = plugin ?? {}
  if (enabled === false) return []
  if (id === healingPluginId) return [healingPluginId]
  if (id !== compressionPluginId)
    throw unsupportedFault(`plugins[${index}]`, id, 'plugin', [healingPluginId, compressionPluginId])
  if (engine != null && engine !== middleOutTransform)
    throw unsupportedFault(`plugins[${index}].engine`, engine, 'engine', [middleOutTransform])
  return [compressionPluginId]
}

function parseTransform(name: unknown, index: number): string {
  if (name !== middleOutTransform)
    throw unsupportedFault(`transforms[${index}]`, name, 'transform', [middleOutTransform])
  return middleOutTransform
}

/** Reads the options of the datetime tool (the clock) among the tools. Other tools belong to the provider or the client. */
function parseDatetimeTool(tools: Tool[]): PluginOptions['clock'] {
  let clockOptions: PluginOptions['clock']
  for (const [index, tool] of tools.entries()) {
    const type = tool?.type
    if (typeof type !== 'string' || !type.startsWith(serverToolPrefix)) continue
    if (type !== datetimeToolType) throw unsupportedFault(`tools[${index}]`, type, 'server tool', [datetimeToolType])
    const { timezone = 'UTC' } = (tool?.parameters ?? {}) as { timezone?: unknown }
    if (!isTimezone(timezone))
      throw new Fault(
        'invalid',
        `Invalid request: tools[${index}].parameters.timezone: must be the IANA name of a time zone, such as "Europe/Zurich"`,
      )
    clockOptions = { timezone }
  }
  return clockOptions
}

function isTimezone(name: unknown): name is string {
  try {
    return typeof name === 'string' && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** The most characters of a name in a message. */
const maxNameLength = 64

function unsupportedFault(path: string, name: unknown, kind: string, supported: string[]): Fault {
  const quoted = JSON.stringify(String(name).slice(0, maxNameLength))
  return new Fault(
    'invalid',
    `Invalid request: ${path}: this service does not support the ${kind} ${quoted}, only ${supported.join(' and ')}. Omit or disable it.`,
  )
}
