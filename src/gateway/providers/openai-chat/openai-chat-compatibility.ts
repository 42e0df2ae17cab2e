import type { Compatibility, Endpoint } from '#catalogue/index/model.ts'
import { anyCharacters } from '../openai/openai-rules.ts'

/** A chat server's properties, and the ids of calls that it accepts. */
export type ChatCompatibility = Compatibility & {
  callIds?: { allowedCharacters: RegExp; maxLength: number }
  /** Whether it refuses strict schemas that leave a property optional. */
  checksStrict?: boolean
  /** Whether a reasoning model refuses a conversation with tool calls if an answer in it has no reasoning. */
  requiresReasoning?: boolean
  /** Whether it accepts fields of earlier answers that only OpenAI's requests have, such as `refusal`. */
  acceptsAnswerFields?: boolean
  /** Whether it accepts any `pattern` and length in the schema of a tool. llama.cpp does not. */
  acceptsAnyBound?: boolean
  /** Whether it refuses a user message directly after a tool result. */
  separatesResults?: boolean
  /** Whether it refuses images and files in the results of tools. */
  hasTextResults?: boolean
  /** Whether it accepts `functions`, the predecessor of `tools`. */
  acceptsFunctions?: boolean
  /** Whether it accepts tools that are called with free text. */
  acceptsCustomTools?: boolean
  /** Whether it accepts the object `reasoning` of OpenRouter. */
  acceptsReasoning?: boolean
  /** Whether it refuses fields for reasoning other than `reasoning_effort`. */
  reasonsByEffort?: boolean
  /** The fields that disable reasoning, if it has no effort `none`. */
  disabledReasoning?: Readonly<Record<string, unknown>>
  /** Whether it refuses a forced call of a model that reasons. */
  refusesForcedReasoning?: boolean
  /** The models that refuse sampling settings. */
  fixedSampling?: RegExp
  /** The efforts of reasoning that it accepts, if not all. */
  efforts?: readonly string[]
  /** The efforts of models that accept others. The first row that matches applies. */
  modelEfforts?: readonly (readonly [model: RegExp, efforts: readonly string[]])[]
  /** Whether it accepts a tool choice among several named tools. */
  acceptsAllowedTools?: boolean
  /** Whether it refuses options of a stream. It sends the usage unasked. */
  refusesStreamOptions?: boolean
  /** The most stop sequences that it accepts. */
  maxStops?: number
  maxTemperature?: number
  /** The field that marks the last message as the start of the answer. */
  prefillField?: string
  /** Whether it refuses unknown fields of messages, and the name of a user or an answer. */
  refusesUnknownFields?: boolean
  /** Whether it refuses the cache breakpoints of Anthropic. */
  refusesCacheBreakpoints?: boolean
  /** Whether it has functions of its provider, with `$` before the name and the type `builtin_function`. */
  hasBuiltinFunctions?: boolean
  /** Fields of the body that have another name. */
  renamed?: Readonly<Record<string, string>>
  /** Fields of the body that it refuses. */
  refuses?: readonly string[]
  /** Fields of the body that its reasoning models refuse. */
  reasoningRefuses?: readonly string[]
}

/** Servers that accept messages of all roles in any order. They have no template of a model that refuses some. */
const lenient: ChatCompatibility = { lateSystemMessages: true, repeatedRoles: true, acceptsAnyBound: true }

const openai: ChatCompatibility = {
  ...lenient,
  developerRole: true,
  acceptsAnswerFields: true,
  acceptsFunctions: true,
  acceptsCustomTools: true,
  acceptsAllowedTools: true,
  reasonsByEffort: true,
  hasTextResults: true,
  refusesCacheBreakpoints: true,
  maxStops: 4,
  refuses: ['include_reasoning'],
  callIds: { allowedCharacters: anyCharacters, maxLength: 40 },
  checksStrict: true,
}

/** OpenAI's models return no reasoning in chats, so they get none back. Azure also serves models of others, which do. */
const openaiOwnServers: ChatCompatibility = { ...openai, reasoningField: 'none' }
/** DeepSeek, Moonshot and Z.AI disable reasoning by a field of Anthropic. */
const disabledThinking = { thinking: { type: 'disabled' } }
/** DeepSeek and Moonshot refuse a conversation with tool calls without the reasoning of their models. */
const requiringReasoning: ChatCompatibility = {
  reasoningField: 'reasoning_content',
  requiresReasoning: true,
  disabledReasoning: disabledThinking,
  refusesForcedReasoning: true,
  acceptsAnyBound: true,
}
const moonshot: ChatCompatibility = {
  ...requiringReasoning,
  fixedSampling: /^(?:kimi-)?(?:k2\.[5-9]|k[3-9]|for-coding)/,
  prefillField: 'partial',
  maxTemperature: 1,
  hasBuiltinFunctions: true,
}

const zai: ChatCompatibility = { disabledReasoning: disabledThinking }
const alibaba: ChatCompatibility = { disabledReasoning: { enable_thinking: false }, refusesForcedReasoning: true }

/** Mistral validates requests against its own schema. */
const mistral: ChatCompatibility = {
  repeatedRoles: true,
  acceptsAnyBound: true,
  separatesResults: true,
  refusesUnknownFields: true,
  refusesCacheBreakpoints: true,
  maxTemperature: 1.5,
  prefillField: 'prefix',
  efforts: ['none', 'high'],
  refusesStreamOptions: true,
  callIds: { allowedCharacters: /^[a-zA-Z0-9]{9}$/, maxLength: 9 },
  reasoningField: 'thinking',
  renamed: { seed: 'random_seed' },
  refuses: [
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

/** Fields of OpenAI and of other servers that Groq and Cerebras refuse, as they refuse each field that they do not know. */
const openaiOnlyFields = [
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
const groqRefuses = ['logprobs', 'top_logprobs', 'logit_bias', ...openaiOnlyFields]

/** Fields that xAI and Cerebras refuse. `include_reasoning` belongs to OpenRouter and Groq. */
const fieldsXaiRefuses = ['presence_penalty', 'frequency_penalty', 'logit_bias', 'include_reasoning']

/** The properties of providers that differ from most. The catalogue defines those of custom providers. */
const builtinCompatibility: Record<string, ChatCompatibility> = {
  openai: openaiOwnServers,
  azure: openai,
  openrouter: {
    ...lenient,
    developerRole: true,
    acceptsAnswerFields: true,
    acceptsReasoning: true,
    acceptsCustomTools: true,
    acceptsAllowedTools: true,
    reasoningField: 'reasoning_details',
  },
  groq: {
    ...lenient,
    reasoningField: 'reasoning',
    refusesUnknownFields: true,
    refusesCacheBreakpoints: true,
    reasonsByEffort: true,
    efforts: ['none', 'low', 'medium', 'high'],
    maxStops: 4,
    refuses: groqRefuses,
  },
  cerebras: {
    reasoningField: 'reasoning',
    acceptsAnyBound: true,
    reasonsByEffort: true,
    refusesUnknownFields: true,
    refusesCacheBreakpoints: true,
    refuses: [...fieldsXaiRefuses, ...openaiOnlyFields],
  },
  xai: {
    ...lenient,
    reasoningField: 'reasoning_content',
    reasonsByEffort: true,
    efforts: ['none', 'low', 'medium', 'high'],
    // These models always reason.
    modelEfforts: [
      [/^grok-4[.-]6/, ['low', 'medium', 'high', 'xhigh']],
      [/^grok-4[.-]5/, ['low', 'medium', 'high']],
    ],
    refuses: fieldsXaiRefuses,
    reasoningRefuses: ['stop'],
  },
  mistral,
  deepseek: { ...requiringReasoning, hasTextResults: true },
  moonshotai: moonshot,
  'moonshotai-cn': moonshot,
  zai,
  'zai-coding-plan': zai,
  zhipuai: zai,
  'zhipuai-coding-plan': zai,
  alibaba,
  'alibaba-cn': alibaba,
  signalbox: {
    ...lenient,
    developerRole: true,
    acceptsAnswerFields: true,
    acceptsReasoning: true,
    acceptsAllowedTools: true,
  },
}

/** The properties of the server of an endpoint: those of its provider, and those that the catalogue declares. */
export function findCompatibility({ provider, compatibility }: Endpoint): ChatCompatibility {
  const builtin = Object.hasOwn(builtinCompatibility, provider) ? builtinCompatibility[provider]! : {}
  return compatibility ? { ...builtin, ...compatibility } : builtin
}
