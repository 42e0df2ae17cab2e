import type { z } from 'zod'

type JsonSchema = Record<string, unknown>

/** Describes a rule between fields in JSON Schema, for `.meta()`: Zod can check such rules but does not export them. */
export function ifThen(condition: JsonSchema, outcome: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: condition, then: outcome, ...(otherwise && { else: otherwise }) }
}

/** Requires the field that belongs to the object's `type`. `fieldOf` maps types to fields. Adds the check and its description. */
export function withFieldOfType<S extends z.ZodType<{ type?: unknown }>>(
  schema: S,
  fieldOf: Record<string, string>,
): S {
  const rules = Object.entries(fieldOf)
  const described = rules.reduceRight<JsonSchema | undefined>((rest, [type, field]) => {
    const isType = { required: ['type'], properties: { type: { const: type } } }
    return ifThen(isType, { required: [field] }, rest)
  }, undefined)
  const checked = rules.reduce<S>(
    (whole, [type, field]) =>
      whole.refine((value) => value.type !== type || (value as JsonSchema)[field] !== undefined, {
        error: `is required with type "${type}"`,
        path: [field],
      }) as S,
    schema,
  )
  return checked.meta(described ?? {}) as S
}
