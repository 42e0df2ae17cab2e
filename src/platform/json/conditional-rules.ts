import type { z } from 'zod'

type JsonSchema = Record<string, unknown>

/** Describes a rule between fields in JSON Schema, for `.meta()`: Zod can check such rules but does not export them. */
export function ifThen(condition: JsonSchema, outcome: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: condition, then: outcome, ...(otherwise && { else: otherwise }) }
}

/** Requires the field that belongs to the object's `type`. Adds the check and its description in JSON Schema. */
export function requireFieldOfType<S extends z.ZodType<{ type?: unknown }>>(
  schema: S,
  fieldByType: Record<string, string>,
): S {
  const rules = Object.entries(fieldByType)
  let checked: S = schema
  for (const [type, field] of rules) {
    const hasField = (value: { type?: unknown }) => value.type !== type || (value as JsonSchema)[field] !== undefined
    checked = checked.refine(hasField, { error: `is required with type "${type}"`, path: [field] }) as S
  }
  // JSON Schema has no "else if", so each rule is the `else` of the rule before it.
  let description: JsonSchema | undefined
  for (const [type, field] of rules.toReversed()) {
    const isType = { required: ['type'], properties: { type: { const: type } } }
    description = ifThen(isType, { required: [field] }, description)
  }
  return checked.meta(description ?? {}) as S
}
