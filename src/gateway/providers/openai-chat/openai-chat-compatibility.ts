import type { Compatibility, Endpoint } from '#catalogue/index/model.ts'
import { anyCharacters } from '../openai/openai-rules.ts'

/**
 * How a chat server differs from most servers. Each flag is false by default: most servers refuse what `accepts…` names, and accept
 * what `refuses…` names. A server without any differences is `{}`.
 */
export type ChatCompatibility = Compatibility & {
  /** The ids of tool calls that the server accepts, if not all. */
  callIds?: { allowedCharacters: RegExp; maxLength: number }
  /** Whether the server refuses strict schemas that leave a property optional. */
  validatesStrictSchemas?: boolean
  /** Whether reasoning models refuse a conversation with tool calls in which a response has no reasoning. */
  requiresReasoningInHistory?: boolean
  /** Whether the server accepts fields of earlier responses that only OpenAI accepts in requests, such as `refusal`. */
  acceptsResponseFields?: boolean
  /** Whether the server accepts every `pattern` and every length in the schema of a tool. llama.cpp does not. */
  acceptsSchemaConstraints?: boolean
  /** Whether the server refuses a user message directly after a tool result. */
  refusesUserAfterToolResult?: boolean
  /** Whether the server refuses long ids of a user or a cache. */
  refusesLongIds?: boolean
  /** Whether the server refuses metadata of a chat that it does not store. */
  refusesUnstoredMetadata?: boolean
  /** Whether the server refuses images in earlier responses. */
  refusesAssistantImages?: boolean
  /** Whether the server refuses images and files in tool results. */
  refusesToolResultAttachments?: boolean
  /** Whether the server accepts `functions`, the predecessor of `tools`. */
  acceptsFunctions?: boolean
  /** Whether the server accepts custom tools, which are called with free text. */
  acceptsCustomTools?: boolean
  /** Whether the server accepts the object `reasoning` of OpenRouter. */
  acceptsReasoningObject?: boolean
  /** Whether `reasoning_effort` is the only reasoning field that the server accepts. */
  acceptsOnlyReasoningEffort?: boolean
  /** The fields that disable reasoning, for a server without the effort `none`. */
  fieldsDisablingReasoning?: Readonly<Record<string, unknown>>
  /** Whether the server refuses a forced tool call while the model reasons. */
  refusesForcedCallsWhileReasoning?: boolean
  /** Matches the ids of models that refuse sampling settings. */
  fixedSamplingModels?: RegExp
  /** The reasoning efforts that the server accepts, if not all. */
  acceptedEfforts?: readonly string[]
  /** The efforts of models that accept other efforts than the server in general. The first row that matches applies. */
  acceptedEffortsByModel?: readonly (readonly [model: RegExp, efforts: readonly string[]])[]
  /** Whether the server accepts a tool choice among several tools (`allowed_tools`). */
  acceptsAllowedTools?: boolean
  /** Whether the server refuses `stream_options`. Such servers always send the usage. */
  refusesStreamOptions?: boolean
  /** The most stop sequences that the server accepts. */
  maxStops?: number
  maxTemperature?: number
  /** The field of a message that marks it as the start of the response (prefill). */
  prefillField?: string
  /** Whether the server refuses unknown fields of messages, and `name` in user and assistant messages. */
  refusesUnknownFields?: boolean
  /** Whether the server refuses Anthropic's cache breakpoints. */
  refusesCacheBreakpoints?: boolean
  /** Whether the provider has functions with the type `builtin_function` and a name that starts with `$`. */
  hasBuiltinFunctions?: boolean
  /** The names of body fields that the server names differently. */
  renamedFields?: Readonly<Record<string, string>>
  /** The body fields that the server refuses. */
  refusedFields?: readonly string[]
  /** The body fields that only reasoning models of the server refuse. */
  fieldsRefusedByReasoningModels?: readonly string[]
}

/** A server that accepts messages of all roles in any order, because it does not apply the template of an open model. */
const lenientServer: ChatCompatibility = {
  lateSystemMessages: true,
  repeatedRoles: true,
  acceptsSchemaConstraints: true,
}

const openai: ChatCompatibility = {
  ...lenientServer,
  developerRole: true,
  acceptsResponseFields: true,
  acceptsFunctions: true,
  acceptsCustomTools: true,
  acceptsAllowedTools: true,
  acceptsOnlyReasoningEffort: true,
  refusesToolResultAttachments: true,
  refusesCacheBreakpoints: true,
  refusesUnstoredMetadata: true,
  refusesAssistantImages: true,
  refusesLongIds: true,
  maxStops: 4,
  refusedFields: ['include_reasoning', 'cache_control'],
  callIds: { allowedCharacters: anyCharacters, maxLength: 40 },
  validatesStrictSchemas: true,
}

/** OpenAI's models return no reasoning in chats, so requests contain none. Azure also serves models of other vendors, which do. */
const openaiOwnServers: ChatCompatibility = { ...openai, reasoningField: 'none' }
/** DeepSeek, Moonshot and Z.AI disable reasoning by the field `thinking` of Anthropic. */
const thinkingDisabledField = { thinking: { type: 'disabled' } }
/** What DeepSeek and Moonshot share: they refuse a conversation with tool calls without the reasoning of their models. */
const deepseekAndMoonshot: ChatCompatibility = {
  reasoningField: 'reasoning_content',
  requiresReasoningInHistory: true,
  fieldsDisablingReasoning: thinkingDisabledField,
  refusesForcedCallsWhileReasoning: true,
  acceptsSchemaConstraints: true,
}
const moonshot: ChatCompatibility = {
  ...deepseekAndMoonshot,
  fixedSamplingModels: /^(?:kimi-)?(?:k2\.[5-9]|k[3-9]|for-coding)/,
  prefillField: 'partial',
  maxTemperature: 1,
  hasBuiltinFunctions: true,
}

const zai: ChatCompatibility = { fieldsDisablingReasoning: thinkingDisabledField }
const alibaba: ChatCompatibility = {
  fieldsDisablingReasoning: { enable_thinking: false },
  refusesForcedCallsWhileReasoning: true,
}

/** Mistral validates requests against its own schema. */
const mistral: ChatCompatibility = {
  repeatedRoles: true,
  acceptsSchemaConstraints: true,
  refusesUserAfterToolResult: true,
  refusesUnknownFields: true,
  refusesCacheBreakpoints: true,
  maxTemperature: 1.5,
  prefillField: 'prefix',
  acceptedEfforts: ['none', 'high'],
  refusesStreamOptions: true,
  callIds: { allowedCharacters: /^[a-zA-Z0-9]{9}$/, maxLength: 9 },
  reasoningField: 'thinking',
  renamedFields: { seed: 'random_seed' },
  refusedFields: [
    'user',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'service_tier',
    'store',
    'verbosity',
    'modalities',
    'audio',
    'top_k',
    'top_a',
    'min_p',
    'repetition_penalty',
    'cache_control',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'safety_identifier',
    'web_search_options',
    'include_reasoning',
    'function_call',
    'functions',
  ],
}

/** Fields that Groq and Cerebras refuse, because they refuse unknown fields. Other servers ignore or support these fields. */
const fieldsGroqAndCerebrasRefuse = [
  'store',
  'verbosity',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'safety_identifier',
  'modalities',
  'audio',
  'prediction',
  'cache_control',
  'top_k',
  'top_a',
  'min_p',
  'repetition_penalty',
]
const fieldsGroqRefuses = ['logprobs', 'top_logprobs', 'logit_bias', ...fieldsGroqAndCerebrasRefuse]

/** Fields that xAI and Cerebras refuse. `include_reasoning` is a field of OpenRouter and Groq. */
const fieldsXaiAndCerebrasRefuse = ['presence_penalty', 'frequency_penalty', 'logit_bias', 'include_reasoning']

/** The compatibility of built-in providers. The catalogue defines that of custom providers. */
const builtinCompatibility: Record<string, ChatCompatibility> = {
  openai: openaiOwnServers,
  azure: openai,
  openrouter: {
    ...lenientServer,
    developerRole: true,
    acceptsResponseFields: true,
    acceptsReasoningObject: true,
    acceptsCustomTools: true,
    acceptsAllowedTools: true,
    reasoningField: 'reasoning_details',
  },
  groq: {
    ...lenientServer,
    reasoningField: 'reasoning',
    refusesUnknownFields: true,
    refusesCacheBreakpoints: true,
    acceptsOnlyReasoningEffort: true,
    acceptedEfforts: ['none', 'low', 'medium', 'high'],
    maxStops: 4,
    refusedFields: fieldsGroqRefuses,
  },
  cerebras: {
    reasoningField: 'reasoning',
    acceptsSchemaConstraints: true,
    acceptsOnlyReasoningEffort: true,
    refusesUnknownFields: true,
    refusesCacheBreakpoints: true,
    refusedFields: [...fieldsXaiAndCerebrasRefuse, ...fieldsGroqAndCerebrasRefuse],
  },
  xai: {
    ...lenientServer,
    reasoningField: 'reasoning_content',
    acceptsOnlyReasoningEffort: true,
    acceptedEfforts: ['none', 'low', 'medium', 'high'],
    // These models always reason.
    acceptedEffortsByModel: [
      [/^grok-4[.-]6/, ['low', 'medium', 'high', 'xhigh']],
      [/^grok-4[.-]5/, ['low', 'medium', 'high']],
    ],
    refusedFields: fieldsXaiAndCerebrasRefuse,
    fieldsRefusedByReasoningModels: ['stop'],
  },
  mistral,
  deepseek: { ...deepseekAndMoonshot, refusesToolResultAttachments: true },
  moonshotai: moonshot,
  'moonshotai-cn': moonshot,
  zai,
  'zai-coding-plan': zai,
  zhipuai: zai,
  'zhipuai-coding-plan': zai,
  alibaba,
  'alibaba-cn': alibaba,
  signalbox: {
    ...lenientServer,
    developerRole: true,
    acceptsResponseFields: true,
    acceptsReasoningObject: true,
    acceptsAllowedTools: true,
  },
}

/** The compatibility of the server of an endpoint: that of its provider, overridden by the catalogue. */
export function findCompatibility({ provider, compatibility }: Endpoint): ChatCompatibility {
  const builtin = Object.hasOwn(builtinCompatibility, provider) ? builtinCompatibility[provider]! : {}
  return compatibility ? { ...builtin, ...compatibility } : builtin
}
