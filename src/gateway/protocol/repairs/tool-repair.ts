import type { SchemaRules } from '#platform/json-schema/schema-keywords.ts'
import { fitToolSchema } from '#platform/json-schema/tool-schema.ts'
import type { Body } from '../request-body.ts'
import { noteDropped } from './dropped-fields.ts'
import type { Repair } from './repair.ts'

/** Reads and replaces the schema of a tool's arguments. Each protocol has it in another field. */
export type ToolShape = {
  /** Returns undefined for a tool whose arguments the protocol defines itself. */
  schemaOf: (tool: Body) => { name: unknown; schema: unknown } | undefined
  withSchema: (tool: Body, schema: unknown) => Body
}

/**
 * Fits the schemas of tools to the rules of a provider. Drops tools whose arguments cannot be an object, and tools with the name
 * of an earlier tool, which most providers refuse.
 */
export function fitTools(tools: Body[], shape: ToolShape, rules: SchemaRules, dropped: string[]): Body[] {
  let fittedTools: Body[] | undefined
  const names = new Set<unknown>()
  for (let index = 0; index < tools.length; index++) {
    const tool = tools[index]!
    const fitted = fitTool(tool, shape, rules, dropped, names)
    if (fitted === tool && !fittedTools) continue
    fittedTools ??= tools.slice(0, index)
    if (fitted) fittedTools.push(fitted)
  }
  return fittedTools ?? tools
}

/** @returns undefined for a tool that is dropped. */
function fitTool(
  tool: Body,
  shape: ToolShape,
  rules: SchemaRules,
  dropped: string[],
  names: Set<unknown>,
): Body | undefined {
  const declaration = typeof tool === 'object' && tool !== null ? shape.schemaOf(tool) : undefined
  if (!declaration) return tool
  const { name, schema } = declaration
  const fitted = fitToolSchema(schema, rules, (keyword) => noteDropped(dropped, `tools.${name}.${keyword}`))
  if (!fitted || names.has(name)) {
    noteDropped(dropped, `tools.${name}`)
    return undefined
  }
  names.add(name)
  return fitted === schema ? tool : shape.withSchema(tool, fitted)
}

/** Creates the repair of a body with tools in `tools`. */
export function toolRepair(shape: ToolShape, rules: SchemaRules): Repair {
  return (body, dropped) => {
    if (!Array.isArray(body.tools)) return body
    const tools = fitTools(body.tools, shape, rules, dropped)
    if (tools === body.tools) return body
    if (tools.length > 0) return { ...body, tools }
    const { tools: _tools, tool_choice: _choice, parallel_tool_calls: _parallel, ...rest } = body
    return rest
  }
}
