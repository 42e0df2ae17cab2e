import type { Row } from './config.ts'

/** The weight of a row among the rows of its name; undefined without a valid one. */
export function weightOf({ litellm_params: { weight } }: Row): number | undefined {
  return typeof weight === 'number' && weight >= 0 && weight <= 1e6 ? weight : undefined
}

const fieldsOf = (row: Row): Record<string, unknown> => ({ ...row.model_info, ...row.litellm_params })

/** The context length of a row, or 0. `max_tokens` of `model_info` is the older name. */
export function contextOf(row: Row): number {
  return Number(fieldsOf(row).max_input_tokens ?? row.model_info?.max_tokens) || 0
}

/** The longest answer, as a field of an endpoint. */
export function outputLimitOf(row: Row): { max_completion_tokens?: number } {
  const limit = Number(fieldsOf(row).max_output_tokens)
  return limit > 0 ? { max_completion_tokens: limit } : {}
}
