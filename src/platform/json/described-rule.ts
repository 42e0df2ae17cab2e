import type { z } from 'zod'

type JsonSchema = Record<string, unknown>

/** JSON Schema's own words for a rule between fields, to be put into `.meta()`: Zod checks such rules, but cannot say them. */
export function ifThen(condition: JsonSchema, outcome: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word
  return { if: condition, then: outcome, ...(otherwise && { else: otherwise }) }
}

/** An object whose `type` says which field it must have; `fieldOf`: that field by type. Checked, and described. */
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
