import { categories } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { sorts } from '../index/orders.ts'
import { anyText, flag, integer, listOf, listOfOnly, number, oneOf, price, text } from '../index/parameters.ts'

export const inputModalities = ['text', 'image', 'audio', 'file'] as const
export const outputModalities = ['text', 'image', 'audio', 'embeddings', 'all'] as const

/** Which models a list holds. All bounds are inclusive, and all conditions must hold. */
export const ModelFilter = z.object({
  category: oneOf(categories, 'A use the model is listed under.'),
  supported_parameters: listOf('Comma-separated request parameters, all of which the model takes.'),
  output_modalities: listOfOnly(outputModalities, 'Comma-separated; the model gives at least one. Default: text.'),
  input_modalities: listOfOnly(inputModalities, 'Comma-separated; the model takes all of them.'),
  q: anyText('Words, all of which occur in the name or the id.'),
  context: integer('The shortest context length, in tokens.', { min: 1 }),
  min_price: price('The lowest prompt price, in USD per million tokens.'),
  max_price: price('The highest prompt price, in USD per million tokens.'),
  min_output_price: price('The lowest completion price, in USD per million tokens.'),
  max_output_price: price('The highest completion price, in USD per million tokens.'),
  arch: text('The model family or tokenizer group.'),
  model_authors: listOf('Comma-separated author slugs, of which the model has one.'),
  providers: listOf('Comma-separated slugs or names of providers, of which one serves the model.'),
  distillable: oneOf(['true', 'false'], '`true`: only distillable models; `false`: none of them.'),
  zdr: oneOf(['true'], 'Only models with an endpoint that retains no data.'),
  region: oneOf(['eu'], 'Only models with an endpoint in that data region.'),
  min_age_days: integer('The least age, in whole days since the model was created.', { orNull: true }),
  max_age_days: integer('The greatest age, in whole days since the model was created.', { orNull: true }),
  min_intelligence_index: number('The lowest intelligence index.'),
  max_intelligence_index: number('The highest intelligence index.'),
  min_coding_index: number('The lowest coding index.'),
  max_coding_index: number('The highest coding index.'),
  min_agentic_index: number('The lowest agentic index.'),
  max_agentic_index: number('The highest agentic index.'),
  min_tool_success_rate: number('The lowest share of tool requests that ended well, 0 to 1.', { max: 1 }),
  max_tool_success_rate: number('The highest share of tool requests that ended well, 0 to 1.', { max: 1 }),
})
export type ModelFilter = z.infer<typeof ModelFilter>

export const defaultLimit = 500

/** A filter, an order, a page of it and a form. Without `offset` and `limit` the list is whole. */
export const ModelQuery = ModelFilter.extend({
  sort: oneOf(sorts, 'Models without a value for the order come last. Default: newest first.'),
  offset: integer('How many models to skip.', { orNull: true }),
  limit: integer(`How many models to return; ${defaultLimit} when only offset is given.`, { min: 1, max: 1000 }),
  use_rss: flag('`true`: the list as an RSS feed.'),
  use_rss_chat_links: flag('`true`: the items of the feed link to a chat with the model.'),
})
export type ModelQuery = z.infer<typeof ModelQuery>
