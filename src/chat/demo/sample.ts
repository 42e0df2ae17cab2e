type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
}

/** Deeper values are null. */
const maxDepth = 8

/** Creates a value for a JSON Schema, deterministically. Supports the schemas of demonstrations, not every schema. */
export function createSample(schema: Schema | undefined, name = 'value', depth = 0): unknown {
  if (!schema || depth > maxDepth) return null
  if (schema.const !== undefined) return schema.const
  if (schema.enum?.length) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([key]) => !schema.required || schema.required.includes(key))
          .map(([key, property]) => [key, createSample(property, key, depth + 1)]),
      )
    case 'array':
      return [createSample(schema.items, name, depth + 1)]
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return `demo ${name}`
  }
}
