import { ifThen } from '#platform/json/conditional-rules.ts'
import { z } from '#platform/json/schema.ts'
import { Debug, EndUser, SessionId, Trace } from './fields/call-fields.ts'
import {
  CacheControl,
  ChoiceCount,
  ImageConfig,
  OutputLimit,
  PromptCacheOptions,
  Reasoning,
} from './fields/generation-fields.ts'
import { Metadata } from './fields/metadata.ts'
import { requiredFields } from './fields/required-fields.ts'
import { Plugin, ProviderPreferences, Route, StopCondition } from './fields/routing-fields.ts'
import { toolList } from './fields/tool-list.ts'
import { Message } from './message.ts'

const ChatFunction = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish().describe('A JSON Schema.'),
  strict: z.boolean().nullish(),
})

const hasName = (tool: Record<string, unknown>) => typeof tool.name === 'string'

/**
 * A tool of any type. Tools of type `function`, and those without a type, require the field `function`, or the name of a
 * function in the form of responses or Anthropic.
 */
export const ChatTool = z
  .looseObject({ type: z.string().optional(), function: ChatFunction.optional() })
  .refine((tool) => tool.type !== 'function' || tool.function !== undefined || hasName(tool), {
    error: 'is required with type "function"',
    path: ['function'],
  })
  .refine((tool) => tool.type !== undefined || tool.function !== undefined || hasName(tool), {
    error: 'is required without a function',
    path: ['type'],
  })
  .meta(
    ifThen(
      { required: ['type'], properties: { type: { const: 'function' } } },
      { anyOf: [{ required: ['function'] }, { required: ['name'] }] },
      { anyOf: [{ required: ['type'] }, { required: ['function'] }, { required: ['name'] }] },
    ),
  )
export type ChatTool = z.infer<typeof ChatTool>

/** `any` is Mistral's name for `required`. */
const ChatToolChoice = z.union([z.enum(['auto', 'none', 'required', 'any']), z.looseObject({ type: z.string() })], {
  error: 'must be "auto", "none", "required" or an object such as {type: "function", function: {name}}',
})

const ResponseFormat = z.looseObject({ type: z.string(), json_schema: z.looseObject({}).optional() })

/** Fields that control generation. */
const generation = {
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  top_a: z.number().nullish(),
  min_p: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  repetition_penalty: z.number().nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string())], { error: 'must be text or an array of text' }).nullish(),
  max_tokens: OutputLimit.nullish().describe('Deprecated: use `max_completion_tokens`.'),
  max_completion_tokens: OutputLimit.nullish(),
  n: ChoiceCount.nullish().describe(
    'Number of responses. More than one needs a provider with the chat-completions protocol; without one, the request is rejected.',
  ),
  best_of: ChoiceCount.nullish().describe('Number of responses that the provider generates to choose from.'),
  reasoning: Reasoning.nullish(),
  reasoning_effort: z.string().nullish(),
  response_format: ResponseFormat.nullish(),
  verbosity: z.string().nullish(),
  tools: toolList(ChatTool).nullish(),
  tool_choice: ChatToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  modalities: z.array(z.enum(['text', 'image', 'audio'])).nullish(),
  image_config: ImageConfig.nullish(),
  cache_control: CacheControl.nullish(),
  prompt_cache_options: PromptCacheOptions.nullish(),
  service_tier: z.string().nullish(),
  stop_server_tools_when: z.array(StopCondition).min(1).optional(),
}

/** Fields that control routing. */
const routing = {
  model: z.string().optional(),
  models: z.array(z.string()).nullish().describe('Fallback models, in this order.'),
  preset: z.string().optional().describe('The slug of a preset, which supplies the missing fields.'),
  provider: ProviderPreferences.nullish(),
  route: Route,
  plugins: z.array(Plugin).nullish(),
  transforms: z.array(z.string()).nullish().describe('`middle-out` removes the middle of a prompt that is too long.'),
}

/** Fields about the call itself. */
const call = {
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  usage: z
    .looseObject({ include: z.boolean().optional() })
    .nullish()
    .describe('Accepted for compatibility; usage is always returned.'),
  store: z.boolean().nullish(),
  session_id: SessionId.nullish(),
  trace: Trace.nullish(),
  debug: Debug.nullish(),
  user: EndUser.nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  metadata: Metadata.nullish(),
}

/**
 * The body of a chat-completions request. No defaults are filled in. Unknown fields are accepted, because providers add
 * their own.
 */
export const ChatRequest = z
  .looseObject({ messages: z.array(Message).min(1), ...generation, ...routing, ...call })
  .meta({
    id: 'ChatRequest',
    description: 'The body of a chat-completions request. Without a preset, `model` or `models` is required.',
    ...requiredFields(),
  })
export type ChatRequest = z.infer<typeof ChatRequest>
