import { isSchema, type Schema } from './schema-keywords.ts'

/** The schema that a reference within the same document names: `#/$defs/Point`. Undefined for any other reference. */
export function resolveRef(root: Schema, ref: string): Schema | undefined {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let found: unknown = root
  for (const step of ref.slice(2).split('/')) {
    const name = decodeURIComponent(step.replaceAll('~1', '/').replaceAll('~0', '~'))
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, name) ? (found as Schema)[name] : undefined
  }
  return isSchema(found) ? found : undefined
}
