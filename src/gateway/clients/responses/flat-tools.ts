import { createHash } from 'node:crypto'
import { maxTools } from '#chat/fields/tool-list.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Body } from '../../protocol/request-body.ts'

export type Tool = { type?: string; name?: string; tools?: unknown } & Record<string, unknown>

/** The namespace and name of a function. */
type NamespacedName = { namespace: string; name: string }

/**
 * The tools of a request. Codex also declares tools in an input item, and the tools that a search of the client found are
 * in the output of the search.
 */
export function listDeclaredTools({ tools, input }: Body): unknown[] {
  const ownTools = Array.isArray(tools) ? tools : []
  if (!Array.isArray(input)) return ownTools
  const toolsInItems = (input as (Tool | null)[]).flatMap((item) =>
    (item?.type === 'additional_tools' || item?.type === 'tool_search_output') && Array.isArray(item.tools)
      ? (item.tools as unknown[])
      : [],
  )
  return toolsInItems.length > 0 ? [...ownTools, ...toolsInItems] : ownTools
}

/** The function in place of a search for tools that the client runs. */
const searchName = 'tool_search'

/** Whether a tool is a search for tools that the client runs, and not the provider. */
export const isClientSearch = ({ type, execution }: Tool) => type === 'tool_search' && execution === 'client'

/** No provider accepts a longer name. */
const maxNameLength = 64
/** Enough characters of a digest to distinguish the shortened names of one request. */
const digestLength = 8

/**
 * The tools of a client as the flat list of functions that other protocols have. It includes the functions in namespaces, such
 * as the tools of an MCP server, and a function for the client's search for tools.
 */
export class FlatTools {
  readonly #functions = new Map<string, NamespacedName>()
  #hasSearch = false
  /** The client's tools as a flat list, with a unique name for each function of a namespace. */
  readonly tools: readonly Tool[]

  /** @throws Fault `invalid` for a namespace without a list of functions, or too many tools in all. */
  constructor(tools: unknown) {
    const clientTools = (Array.isArray(tools) ? tools : []) as Tool[]
    if (clientTools.reduce((count, tool) => count + countTools(tool), 0) > maxTools)
      throw new Fault('invalid', `tools: must have at most ${maxTools} tools in all namespaces together.`)
    const flatTools = clientTools.flatMap((tool, at) =>
      tool?.type === 'namespace' ? this.#flatten(tool, `tools.${at}`) : [this.#searchFunction(tool)],
    )
    // A search can find a declared tool again. The latest declaration counts.
    this.tools = [...new Map(flatTools.map((tool, at) => [tool?.name ?? at, tool])).values()]
  }

  /** Whether a function is the search for tools that the client runs. */
  isSearch(name: string): boolean {
    return this.#hasSearch && name === searchName
  }

  #searchFunction(tool: Tool): Tool {
    if (typeof tool !== 'object' || tool === null || !isClientSearch(tool)) return tool
    this.#hasSearch = true
    const { description, parameters } = tool
    return { type: 'function', name: searchName, description, parameters }
  }

  /** The name of a function in the flat list. */
  findFlatName(name: string, namespace: unknown): string {
    const flat = typeof namespace === 'string' ? flatName({ namespace, name }) : name
    return this.#functions.has(flat) ? flat : name
  }

  /** The function with this flat name. Undefined if it is not in a namespace. */
  findNamespacedName(flat: string): NamespacedName | undefined {
    return this.#functions.get(flat)
  }

  #flatten({ name: namespace, tools }: Tool, path: string): Tool[] {
    if (typeof namespace !== 'string') throw new Fault('invalid', `${path}.name: is required with type "namespace".`)
    if (!Array.isArray(tools)) throw new Fault('invalid', `${path}.tools: must be an array of functions.`)
    return tools.map((tool: Tool | null, at) => {
      if (typeof tool?.name !== 'string') throw new Fault('invalid', `${path}.tools.${at}.name: is required.`)
      const namespaced = { namespace, name: tool.name }
      const name = flatName(namespaced)
      this.#functions.set(name, namespaced)
      // Only what a translated tool has: copying all fields takes several times as long.
      const { type = 'function', description, parameters, strict, format, cache_control } = tool
      return { type: type ?? 'function', name, description, parameters, strict, format, cache_control }
    })
  }
}

const countTools = (tool: Tool | null) =>
  tool?.type === 'namespace' && Array.isArray(tool.tools) ? tool.tools.length : 1

function flatName({ namespace, name }: NamespacedName): string {
  const flat = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`
  if (flat.length <= maxNameLength) return flat
  const suffix = `_${createHash('sha256').update(flat).digest('hex').slice(0, digestLength)}`
  return flat.slice(0, maxNameLength - suffix.length) + suffix
}
