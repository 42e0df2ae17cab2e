import { createHash } from 'node:crypto'
import { maxTools } from '#chat/tool-list.ts'
import { Fault } from '#platform/core/fault.ts'

export type Tool = { type?: string; name?: string; tools?: unknown } & Record<string, unknown>

/** The namespace and name of a function. */
export type Place = { namespace: string; name: string }

/** No provider accepts a longer name. */
const longest = 64

/** Maps functions in namespaces, such as those of an MCP server, to the flat list of other protocols. */
export class Namespaces {
  readonly #places = new Map<string, Place>()
  /** The client's tools as a flat list, with a unique name for each function of a namespace. */
  readonly tools: readonly Tool[]

  /** @throws Fault `invalid` for a namespace without a list of functions, or too many tools in all. */
  constructor(tools: unknown) {
    const all = (Array.isArray(tools) ? tools : []) as Tool[]
    if (all.reduce((count, tool) => count + toolsIn(tool), 0) > maxTools)
      throw new Fault('invalid', `tools: must have at most ${maxTools} tools in all namespaces together.`)
    this.tools = all.flatMap((tool, at) => (tool?.type === 'namespace' ? this.#within(tool, `tools.${at}`) : [tool]))
  }

  /** The name of a function in the flat list. */
  nameOf(name: string, namespace: unknown): string {
    const flat = typeof namespace === 'string' ? flatName({ namespace, name }) : name
    return this.#places.has(flat) ? flat : name
  }

  /** The function with this flat name. Undefined if it is not in a namespace. */
  placeOf(flat: string): Place | undefined {
    return this.#places.get(flat)
  }

  #within({ name: namespace, tools }: Tool, path: string): Tool[] {
    if (typeof namespace !== 'string') throw new Fault('invalid', `${path}.name: is required with type "namespace".`)
    if (!Array.isArray(tools)) throw new Fault('invalid', `${path}.tools: must be an array of functions.`)
    return tools.map((tool: Tool | null, at) => {
      if (typeof tool?.name !== 'string') throw new Fault('invalid', `${path}.tools.${at}.name: is required.`)
      const place = { namespace, name: tool.name }
      const name = flatName(place)
      this.#places.set(name, place)
      // Only what a translated tool has: copying all members takes several times as long.
      const { type = 'function', description, parameters, strict, format, cache_control } = tool
      return { type: type ?? 'function', name, description, parameters, strict, format, cache_control }
    })
  }
}

const toolsIn = (tool: Tool | null) => (tool?.type === 'namespace' && Array.isArray(tool.tools) ? tool.tools.length : 1)

function flatName({ namespace, name }: Place): string {
  const flat = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`
  if (flat.length <= longest) return flat
  return `${flat.slice(0, longest - 9)}_${createHash('sha256').update(flat).digest('hex').slice(0, 8)}`
}
