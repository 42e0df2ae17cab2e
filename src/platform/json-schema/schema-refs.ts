import { isSchema, type Schema, schemaKeywords } from './schema-keywords.ts'

/** Finds the schema of a reference within the same document: `#/$defs/Point`. Undefined for any other reference. */
export function resolveRef(root: Schema, ref: string): Schema | undefined {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let found: unknown = root
  const pointer = decodeUrl(ref.slice(2))
  for (const step of pointer.split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, name) ? (found as Schema)[name] : undefined
  }
  return isSchema(found) ? found : undefined
}

/** The schema that the root refers to, together with the definitions. Providers require an object at the root. */
export function resolveRoot<T>(schema: T): T | Schema {
  if (!isSchema(schema) || typeof schema.$ref !== 'string') return schema
  const { $ref, ...siblings } = schema as Schema
  const target = resolveRef(schema, String($ref))
  return target === undefined ? schema : { ...target, ...siblings }
}

/** Whether a schema contains itself through references, as that of a tree does. */
export function isRecursive(document: unknown): boolean {
  const open = new Set<Schema>()
  const checked = new Set<Schema>()
  const containsItself = (schema: unknown): boolean => {
    if (!isSchema(schema) || checked.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    const target = typeof schema.$ref === 'string' ? resolveRef(document as Schema, schema.$ref) : undefined
    const isFound = containsItself(target) || listSubschemas(schema).some(containsItself)
    open.delete(schema)
    checked.add(schema)
    return isFound
  }
  return containsItself(document)
}

function listSubschemas(schema: Schema): unknown[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (schemaKeywords.single.has(keyword)) return [value]
    if (schemaKeywords.list.has(keyword) && Array.isArray(value)) return value
    return schemaKeywords.map.has(keyword) && isSchema(value) ? Object.values(value) : []
  })
}

/** Decodes a URL-encoded text; returns it unchanged if the encoding is invalid. */
export function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
