import type { Routes } from '../api/types.ts'

export type ModelQuery = NonNullable<Routes['GET /models']['query']>

/** All query parameters but those of pages and feeds. */
type ForwardedParameter = Exclude<
  keyof ModelQuery,
  'offset' | 'limit' | 'after_id' | 'before_id' | 'use_rss' | 'use_rss_chat_links'
>

/** The query parameters of `GET /models`, with the same names in the address. The type reports a missing one. */
export const forwardedParameters = Object.keys({
  q: true,
  category: true,
  supported_parameters: true,
  input_modalities: true,
  output_modalities: true,
  context: true,
  min_price: true,
  max_price: true,
  min_output_price: true,
  max_output_price: true,
  arch: true,
  model_authors: true,
  providers: true,
  distillable: true,
  zdr: true,
  region: true,
  min_age_days: true,
  max_age_days: true,
  min_intelligence_index: true,
  max_intelligence_index: true,
  min_coding_index: true,
  max_coding_index: true,
  min_agentic_index: true,
  max_agentic_index: true,
  min_tool_success_rate: true,
  max_tool_success_rate: true,
  sort: true,
} satisfies Record<ForwardedParameter, true>) as ForwardedParameter[]

/** The API query for the address. */
export function modelQuery(values: Readonly<Record<string, string>>): ModelQuery {
  return Object.fromEntries(
    forwardedParameters.flatMap((name) => (values[name] ? [[name, values[name]]] : [])),
  ) as ModelQuery
}

/** Whether a filter is set. */
export const isFiltered = (values: Readonly<Record<string, string>>) =>
  values.mine !== undefined || Object.keys(modelQuery(values)).some((name) => name !== 'sort')
