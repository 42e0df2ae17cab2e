import { isSchema, type Schema } from './schema-keywords.ts'

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

/** Decodes a URL-encoded text; returns it unchanged if the encoding is invalid. */
export function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
