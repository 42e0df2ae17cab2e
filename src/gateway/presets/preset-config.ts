import { ChatRequest } from '#chat/chat-request.ts'
import { toolList } from '#chat/fields/tool-list.ts'
import { ResponsesRequest } from '#chat/responses-request.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'

const responsesFields = ResponsesRequest.shape
const chatFields = ChatRequest.shape

const Tool = z
  .looseObject({ type: z.string(), name: z.string().optional() })
  .describe('A function, `{type: "function", name, description, parameters}`, or a tool of a provider.')

const ToolChoice = z.union([z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.string() })], {
  error: 'must be "auto", "none", "required" or an object such as {type: "function", name}',
})

/** Every field of the configuration of a version of a preset. Names follow the Responses API, except those that only chats have. */
export const PresetConfig = strictFields(
  {
    model: responsesFields.model,
    models: responsesFields.models,
    temperature: responsesFields.temperature,
    top_p: responsesFields.top_p,
    top_k: chatFields.top_k,
    min_p: chatFields.min_p,
    top_a: chatFields.top_a,
    frequency_penalty: responsesFields.frequency_penalty,
    presence_penalty: responsesFields.presence_penalty,
    repetition_penalty: chatFields.repetition_penalty,
    seed: chatFields.seed,
    stop: chatFields.stop,
    logit_bias: chatFields.logit_bias,
    logprobs: chatFields.logprobs,
    top_logprobs: responsesFields.top_logprobs,
    max_output_tokens: responsesFields.max_output_tokens,
    reasoning: responsesFields.reasoning,
    text: responsesFields.text,
    modalities: chatFields.modalities,
    image_config: chatFields.image_config,
    tools: toolList(Tool).nullish(),
    tool_choice: ToolChoice.nullish(),
    parallel_tool_calls: responsesFields.parallel_tool_calls,
    max_tool_calls: responsesFields.max_tool_calls,
    stop_server_tools_when: responsesFields.stop_server_tools_when,
    provider: responsesFields.provider,
    route: responsesFields.route,
    plugins: chatFields.plugins,
    service_tier: chatFields.service_tier,
    truncation: responsesFields.truncation,
    cache_control: chatFields.cache_control,
    prompt_cache_options: chatFields.prompt_cache_options,
  },
  'must be an object of configuration fields',
)

/** The complete contents of a version of a preset. */
export const VersionSettings = strictFields({
  system_prompt: text({ max: 1_000_000 }).nullish(),
  config: PresetConfig,
}).meta({
  id: 'PresetVersionSettings',
  description:
    'The system prompt and the configuration of a version of a preset, with the field names of a returned version.',
})
