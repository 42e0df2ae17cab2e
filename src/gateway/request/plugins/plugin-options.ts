import { Fault } from '#platform/core/fault.ts'
import type { Body } from '../../protocol/request-body.ts'

/** The plugins of a request. */
export type PluginOptions = {
  /** Invalid JSON in the answer is repaired. */
  healsJson: boolean
  /** A prompt that does not fit is shortened in its middle. */
  compressesPrompt: boolean
  /** The model can call the clock; `timezone` is an IANA name. */
  clock: { timezone: string } | undefined
}

const healing = 'response-healing'
/** The plugin `context-compression` is the newer name of the transform `middle-out`. */
const compression = 'context-compression'
const middleOut = 'middle-out'
const serverToolPrefix = 'openrouter:'
const clock = `${serverToolPrefix}datetime`

type Plugin = { id?: unknown; enabled?: unknown; engine?: unknown } | null
type Tool = { type?: unknown; parameters?: unknown } | null

/** Shared by the many requests without plugins. */
const noOptions: PluginOptions = { healsJson: false, compressesPrompt: false, clock: undefined }

/**
 * Reads the plugin options from a body of any protocol. An option that would be accepted but not carried out is
 * refused: a client that requests a search must not get an answer without one.
 * @throws Fault `invalid` that names the option.
 */
export function pluginOptions(body: Body): PluginOptions {
  const { plugins: pluginList, transforms: transformList, tools, truncation } = body
  if (pluginList == null && transformList == null && tools == null && truncation !== 'auto') return noOptions
  const plugins = requireList<Plugin>(pluginList, 'plugins').flatMap(requirePlugin)
  const transforms = requireList(transformList, 'transforms').map(requireTransform)
  return {
    healsJson: plugins.includes(healing),
    compressesPrompt: plugins.includes(compression) || transforms.includes(middleOut) || truncation === 'auto',
    clock: readClock(requireList<Tool>(tools, 'tools')),
  }
}

function requireList<Item>(value: unknown, name: string): Item[] {
  if (value == null) return []
  if (!Array.isArray(value)) throw new Fault('invalid', `Invalid request: ${name}: must be an array`)
  return value as Item[]
}

function requirePlugin(plugin: Plugin, index: number): string[] {
  if (plugin?.enabled === false) return []
  const id = plugin?.id
  if (id === healing) return [healing]
  if (id !== compression) throw unsupported(`plugins[${index}]`, id, 'plugin', [healing, compression])
  const { engine } = plugin as { engine?: unknown }
  if (engine != null && engine !== middleOut)
    throw unsupported(`plugins[${index}].engine`, engine, 'engine', [middleOut])
  return [compression]
}

function requireTransform(name: unknown, index: number): string {
  if (name !== middleOut) throw unsupported(`transforms[${index}]`, name, 'transform', [middleOut])
  return middleOut
}

/** The clock among the tools. Other tools belong to the provider or the client. */
function readClock(tools: Tool[]): PluginOptions['clock'] {
  let clockOptions: PluginOptions['clock']
  for (const [index, tool] of tools.entries()) {
    const type = tool?.type
    if (typeof type !== 'string' || !type.startsWith(serverToolPrefix)) continue
    if (type !== clock) throw unsupported(`tools[${index}]`, type, 'server tool', [clock])
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

function unsupported(path: string, name: unknown, kind: string, supported: string[]): Fault {
  const quoted = JSON.stringify(String(name).slice(0, maxNameLength))
  return new Fault(
    'invalid',
    `Invalid request: ${path}: this service does not support the ${kind} ${quoted}, only ${supported.join(' and ')}. Omit or disable it.`,
  )
}
