import { regions } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'

const absent = z.null().describe('Always null. For clients of OpenRouter, which expect the key.')

/** Fields that clients of OpenRouter expect: other names of fields of this service, and fields without a value. */
export const openRouterFields = {
  api_type: z.string().describe('`completions`, `responses`, `messages` or `embeddings`.'),
  cache_discount: z.number().nullable().describe('What reading from caches saved, in USD; negative for writing.'),
  data_region: z.enum(regions).describe('The same as `region`.'),
  native_tokens_prompt: z.int().nullable(),
  native_tokens_completion: z.int().nullable(),
  native_tokens_cached: z.int().nullable(),
  native_tokens_reasoning: z.int().nullable(),
  native_tokens_completion_images: z.int().nullable(),
  preset_id: z.uuid().nullable(),
  usage: z.number().describe('The same as `total_cost`.'),
  app_id: absent,
  external_user: absent,
  moderation_latency: absent,
  num_fetches: absent,
  num_input_audio_prompt: absent,
  num_media_completion: absent,
  num_media_prompt: absent,
  num_search_results: absent,
  provider_responses: absent,
  router: absent,
  user_agent: absent,
  web_search_engine: absent,
}

/** The fields of OpenRouter that this service has no value for. */
export const absentFields = {
  app_id: null,
  external_user: null,
  moderation_latency: null,
  num_fetches: null,
  num_input_audio_prompt: null,
  num_media_completion: null,
  num_media_prompt: null,
  num_search_results: null,
  provider_responses: null,
  router: null,
  user_agent: null,
  web_search_engine: null,
}
