import { isDeepStrictEqual } from 'node:util'
import { z } from '../../json/schema.ts'

export type JsonSchema = Record<string, unknown>

const reference = '#/components/schemas/'

/** JSON Schemas of one document. Schemas with a name (`.meta({ id })`) are collected and referenced. */
export type SchemaRegistry = {
  /** `input`: the schema of what a client sends; `output`: of what it receives. */
  schemaOf: (schema: z.ZodType, io: 'input' | 'output') => JsonSchema
  /** The named schemas used so far, by name. */
  components: () => Record<string, JsonSchema>
}

export function createSchemaRegistry(): SchemaRegistry {
  const schemasByName = new Map<string, JsonSchema>()

  function register(name: string, schema: JsonSchema): void {
    const existing = schemasByName.get(name)
    if (existing && !isDeepStrictEqual(existing, schema)) {
      throw new Error(
        `The name ${name} has two different schemas. Use different names for the schema that clients send and the one they receive.`,
      )
    }
    schemasByName.set(name, schema)
  }

  return {
    schemaOf(schema, io) {
      // Zod does not write a reference for the outermost schema. As a property, a named schema becomes a reference, too.
      const { properties, $defs = {} } = z.toJSONSchema(z.object({ it: schema }), {
        io,
        unrepresentable: 'any',
        override({ zodSchema, jsonSchema }) {
          addDefault(zodSchema._zod.def, jsonSchema as JsonSchema)
          removeNoise(jsonSchema as JsonSchema, io)
        },
      })
      for (const [name, definition] of Object.entries($defs))
        register(name, withComponentRefs(definition as JsonSchema))
      return withComponentRefs(properties?.it as JsonSchema)
    },
    components: () => Object.fromEntries([...schemasByName].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** Adds the default of a number, which Zod omits for coerced types because their input can differ. */
function addDefault(definition: object, schema: JsonSchema): void {
  const { type, defaultValue } = definition as { type: string; defaultValue?: unknown }
  if (type === 'default' && typeof defaultValue === 'number') schema.default ??= defaultValue
}

/**
 * Removes parts without information for readers: the pattern of a format, the bounds that Zod gives every integer
 * (`Number.MIN_SAFE_INTEGER` and `MAX_SAFE_INTEGER`), and `additionalProperties: false` of responses.
 */
function removeNoise(schema: JsonSchema, io: 'input' | 'output'): void {
  delete schema.id
  if (schema.format && schema.pattern) delete schema.pattern
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
  if (isDeepStrictEqual(schema.propertyNames, { type: 'string' })) delete schema.propertyNames
}

function withComponentRefs(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"${reference}`))
}
