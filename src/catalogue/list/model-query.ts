import { categories } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { sorts } from '../index/orders.ts'
import { anyText, enumList, flag, integer, listOf, number, oneOf, price, text } from './query-parameters.ts'

export const inputModalities = ['text', 'image', 'audio', 'file'] as const
export const outputModalities = ['text', 'image', 'audio', 'embeddings', 'all'] as const

/** The filter of a list of models. Bounds are inclusive, and all conditions must hold. */
export const ModelFilter = z.object({
  category: oneOf(categories, 'A use case of the model.'),
  supported_parameters: listOf('Comma-separated request parameters; the model must support all of them.'),
  output_modalities: enumList(outputModalities, 'Comma-separated; the model must produce at least one. Default: text.'),
  input_modalities: enumList(inputModalities, 'Comma-separated; the model must accept all of them.'),
  q: anyText('Words that must all occur in the name or ID.'),
  context: integer('Minimum context length, in tokens.', { min: 1 }),
  min_price: price('Minimum prompt price, in USD per million tokens.'),
  max_price: price('Maximum prompt price, in USD per million tokens.'),
  min_output_price: price('Minimum completion price, in USD per million tokens.'),
  max_output_price: price('Maximum completion price, in USD per million tokens.'),
  arch: text('The model family or tokenizer group.'),
  model_authors: listOf('Comma-separated author slugs; the model must have one of them.'),
  providers: listOf('Comma-separated slugs or names of providers; one of them must serve the model.'),
  distillable: oneOf(['true', 'false'], '`true`: only distillable models; `false`: none of them.'),
  zdr: oneOf(['true'], 'Only models with an endpoint that retains no data.'),
  region: oneOf(['eu'], 'Only models with an endpoint in that data region.'),
  min_age_days: integer('Minimum age, in whole days since the model was created.', { orNull: true }),
  max_age_days: integer('Maximum age, in whole days since the model was created.', { orNull: true }),
  min_intelligence_index: number('Minimum intelligence index.'),
  max_intelligence_index: number('Maximum intelligence index.'),
  min_coding_index: number('Minimum coding index.'),
  max_coding_index: number('Maximum coding index.'),
  min_agentic_index: number('Minimum agentic index.'),
  max_agentic_index: number('Maximum agentic index.'),
  min_tool_success_rate: number('Minimum success rate of requests with tools, 0 to 1.', { max: 1 }),
  max_tool_success_rate: number('Maximum success rate of requests with tools, 0 to 1.', { max: 1 }),
})
export type ModelFilter = z.infer<typeof ModelFilter>

export const defaultLimit = 500

/** Filter, order, page and format of a list. Without `offset` and `limit` the list is complete. */
export const ModelQuery = ModelFilter.extend({
  sort: oneOf(sorts, 'The sort order. Models without a value for the sort key come last. Default: newest first.'),
  offset: integer('Number of models to skip.', { orNull: true }),
  limit: integer(`Maximum number of models. Defaults to ${defaultLimit} if only \`offset\` is set.`, {
    min: 1,
    max: 1000,
  }),
  use_rss: flag('`true`: the list as an RSS feed.'),
  use_rss_chat_links: flag('`true`: the items of the feed link to a chat with the model.'),
})
export type ModelQuery = z.infer<typeof ModelQuery>
