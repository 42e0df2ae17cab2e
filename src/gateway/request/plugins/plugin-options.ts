import { Fault } from '#platform/core/fault.ts'
import type { Body } from '../../protocol/protocol.ts'

/** The plugins that a request asks for. */
export type PluginOptions = {
  /** Invalid JSON in the answer is repaired. */
  heals: boolean
  /** A prompt that does not fit is to be cut in its middle. */
  fits: boolean
  /** The model may ask for the time; where, by its IANA name. */
  clock: { timezone: string } | undefined
}

const healing = 'response-healing'
/** The plugin is the newer name of the transform. */
const compression = 'context-compression'
const middleOut = 'middle-out'
const serverTool = 'openrouter:'
const clock = `${serverTool}datetime`

type Plugin = { id?: unknown; enabled?: unknown; engine?: unknown } | null
type Tool = { type?: unknown; parameters?: unknown } | null

/** Shared by the many requests that ask for no plugin. */
const noOptions: PluginOptions = { heals: false, fits: false, clock: undefined }

/**
 * Reads the plugin options from a body of any protocol. An option that would be accepted but not carried out is
 * refused: a client that asks for a search must not get an answer without one.
 * @throws Fault `invalid` that names the option.
 */
export function pluginOptions(body: Body): PluginOptions {
  const { plugins: listed, transforms: named, tools, truncation } = body
  if (listed == null && named == null && tools == null && truncation !== 'auto') return noOptions
  const plugins = listOf<Plugin>(listed, 'plugins').flatMap(requirePlugin)
  const transforms = listOf(named, 'transforms').map(requireTransform)
  return {
    heals: plugins.includes(healing),
    fits: plugins.includes(compression) || transforms.includes(middleOut) || truncation === 'auto',
    clock: clockIn(listOf<Tool>(tools, 'tools')),
  }
}

function listOf<Item>(value: unknown, name: string): Item[] {
  if (value == null) return []
  if (!Array.isArray(value)) throw new Fault('invalid', `Invalid request: ${name}: must be an array`)
  return value as Item[]
}

function requirePlugin(plugin: Plugin, at: number): string[] {
  if (plugin?.enabled === false) return []
  const id = plugin?.id
  if (id === healing) return [healing]
  if (id !== compression) throw unsupported(`plugins[${at}]`, id, 'plugin', [healing, compression])
  const { engine } = plugin as { engine?: unknown }
  if (engine != null && engine !== middleOut) throw unsupported(`plugins[${at}].engine`, engine, 'engine', [middleOut])
  return [compression]
}

function requireTransform(name: unknown, at: number): string {
  if (name !== middleOut) throw unsupported(`transforms[${at}]`, name, 'transform', [middleOut])
  return middleOut
}

/** Tools of other names are the provider's, or the client's own. */
function clockIn(tools: Tool[]): PluginOptions['clock'] {
  let found: PluginOptions['clock']
  for (const [at, tool] of tools.entries()) {
    const type = tool?.type
    if (typeof type !== 'string' || !type.startsWith(serverTool)) continue
    if (type !== clock) throw unsupported(`tools[${at}]`, type, 'server tool', [clock])
    const { timezone = 'UTC' } = (tool?.parameters ?? {}) as { timezone?: unknown }
    if (!isTimezone(timezone))
      throw new Fault(
        'invalid',
        `Invalid request: tools[${at}].parameters.timezone: must be the IANA name of a time zone, such as "Europe/Zurich"`,
      )
    found = { timezone }
  }
  return found
}

function isTimezone(name: unknown): name is string {
  try {
    return typeof name === 'string' && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

function unsupported(path: string, name: unknown, kind: string, known: string[]): Fault {
  const shown = JSON.stringify(String(name).slice(0, 64))
  return new Fault(
    'invalid',
    `Invalid request: ${path}: this service has no ${kind} ${shown}; it has ${known.join(' and ')}. Leave it out, or disable it.`,
  )
}
