import type { Client, Tool as Definition, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { nonEmptyText } from '#platform/core/non-empty-text.ts'
import { isSchema, type Schema } from '#platform/json-schema/schema-keywords.ts'
import { fitToolSchema } from '#platform/json-schema/tool-schema.ts'
import { printable } from '#platform/text/printable.ts'
import { truncateText } from '#platform/text/truncate.ts'

/** A tool as its server lists it, with a schema of its arguments that providers accept. */
export type ListedTool = {
  name: string
  title: string
  description: string
  isReadOnly: boolean
  parameters: Schema
  /** The definition that the server sent. It identifies this version of the tool. */
  definition: Definition
}

export type ToolList = {
  tools: ListedTool[]
  /** Tools that cannot be offered to a model, each as "name (reason)". */
  excluded: string[]
}

/** Limits for untrusted servers. A schema is part of every request to the model. */
const limits = { pages: 64, schemaBytes: 24_000, nameLength: 200 }

/**
 * Lists the tools of a server. The library refuses a whole list if one tool is invalid. This function parses each tool
 * separately and excludes the invalid ones.
 */
export async function listTools(client: Client, options: { signal: AbortSignal; timeout: number }): Promise<ToolList> {
  const listed: ToolList = { tools: [], excluded: [] }
  if (!client.getServerCapabilities()?.tools) return listed
  let cursor: string | undefined
  const cursors = new Set<string | undefined>()
  while (cursors.size < limits.pages && !cursors.has(cursor)) {
    cursors.add(cursor)
    const params = cursor === undefined ? {} : { cursor }
    const result = await client.request({ method: 'tools/list', params }, anyObject, options)
    for (const tool of Array.isArray(result.tools) ? result.tools : []) addTool(listed, tool)
    if (typeof result.nextCursor !== 'string') break
    // Also an empty text can be the cursor of a page.
    cursor = result.nextCursor
  }
  return listed
}

/** A schema that accepts every object. */
const anyObject: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'signalbox',
    validate: (value) => (isSchema(value) ? { value } : { issues: [{ message: 'it is not an object' }] }),
  },
}

function addTool(toolList: ToolList, item: unknown): void {
  const name = isSchema(item) && typeof item.name === 'string' ? item.name : ''
  if (!isSchema(item) || name === '') {
    toolList.excluded.push('one without a name')
    return
  }
  const exclude = (reason: string) =>
    toolList.excluded.push(`${truncateText(printable(name), limits.nameLength)} (${reason})`)
  const definition = { ...item, outputSchema: undefined }
  const listed = toolList.tools.find((tool) => tool.name === name)
  // A server that ends its list with an empty cursor repeats the first page.
  if (listed && JSON.stringify(listed.definition) === JSON.stringify(definition)) return
  if (listed) return void exclude('listed twice')
  const parameters = readParameters(item.inputSchema)
  if (typeof parameters === 'string') return void exclude(parameters)
  const title = nonEmptyText(item.title) ?? name
  toolList.tools.push({
    name,
    title,
    description: nonEmptyText(item.description) ?? title,
    isReadOnly: isSchema(item.annotations) && item.annotations.readOnlyHint === true,
    parameters,
    // Results are not validated against the output schema, because only the model reads them.
    definition: definition as unknown as Definition,
  })
}

/** @returns the schema of the arguments, or why it is unusable. */
function readParameters(inputSchema: unknown): Schema | string {
  try {
    const fitted = fitToolSchema(inputSchema, {}, () => {})
    if (!fitted) return 'its arguments are not an object'
    return JSON.stringify(fitted).length > limits.schemaBytes ? 'its arguments are too long to describe' : fitted
  } catch {
    return 'its arguments cannot be read'
  }
}
