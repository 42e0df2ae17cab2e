import { createHash } from 'node:crypto'
import { Fault } from '#platform/core/fault.ts'

export type Tool = { type?: string; name?: string; tools?: unknown } & Record<string, unknown>

/** A function's place: clients find theirs by both. */
export type Place = { namespace: string; name: string }

/** No provider takes a longer name. */
const longest = 64

/** Functions in namespaces, such as a server of MCP has them: other protocols know but one list of functions. */
export class Namespaces {
  readonly #places = new Map<string, Place>()
  /** The client's tools, each function of a namespace among them by a name of its own. */
  readonly tools: readonly Tool[]

  /** @throws Fault `invalid` for a namespace without a list of functions. */
  constructor(tools: unknown) {
    const all = (Array.isArray(tools) ? tools : []) as Tool[]
    this.tools = all.flatMap((tool, at) => (tool?.type === 'namespace' ? this.#within(tool, `tools.${at}`) : [tool]))
  }

  /** The function's name in the one flat list of tools. */
  nameOf(name: string, namespace: unknown): string {
    const flat = typeof namespace === 'string' ? flatName({ namespace, name }) : name
    return this.#places.has(flat) ? flat : name
  }

  /** The same the other way round. Undefined for one that stands in no namespace. */
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
      return { ...tool, type: tool.type ?? 'function', name }
    })
  }
}

function flatName({ namespace, name }: Place): string {
  const flat = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`
  if (flat.length <= longest) return flat
  return `${flat.slice(0, longest - 9)}_${createHash('sha256').update(flat).digest('hex').slice(0, 8)}`
}
