import type { Routes } from '../api/types.ts'

export type ModelQuery = NonNullable<Routes['GET /models']['query']>

/** What `GET /models` can be asked for, by the same names in the address. */
const passed = [
  'q',
  'category',
  'supported_parameters',
  'input_modalities',
  'output_modalities',
  'context',
  'min_price',
  'max_price',
  'min_output_price',
  'max_output_price',
  'arch',
  'model_authors',
  'providers',
  'distillable',
  'zdr',
  'region',
  'min_age_days',
  'max_age_days',
  'min_intelligence_index',
  'max_intelligence_index',
  'min_coding_index',
  'max_coding_index',
  'min_agentic_index',
  'max_agentic_index',
  'min_tool_success_rate',
  'max_tool_success_rate',
  'sort',
] as const satisfies (keyof ModelQuery)[]

/** What the address asks for, as the API takes it. */
export function modelQuery(values: Readonly<Record<string, string>>): ModelQuery {
  return Object.fromEntries(passed.flatMap((name) => (values[name] ? [[name, values[name]]] : []))) as ModelQuery
}

/** Whether fewer than all models are asked for. */
export const isFiltered = (values: Readonly<Record<string, string>>) =>
  values.mine !== undefined || Object.keys(modelQuery(values)).some((name) => name !== 'sort')
