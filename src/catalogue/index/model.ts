import { type Protocol, type Region, type Task, tasks } from '#platform/core/vocabulary.ts'

/** An amount of USD as decimal text. `"0"` means free. */
export type Usd = string

/** USD per token by kind of token. Absent means unknown, not free. */
export type TokenPrices = {
  prompt: Usd
  completion: Usd
  cacheRead?: Usd
  cacheWrite?: Usd
  /** Tokens written to a cache with a lifetime of an hour. */
  cacheWrite1h?: Usd
  reasoning?: Usd
  audioPrompt?: Usd
  audioCompletion?: Usd
  /** Tokens of images in a response. */
  imageCompletion?: Usd
}

/** All prices: USD per token, request, image and call of a provider's tool. */
export type Prices = TokenPrices & {
  request?: Usd
  /** Per image in the prompt or the response. */
  image?: Usd
  /** Per call, by the provider's name of the tool without its date: `web_search`. */
  tools?: Record<string, Usd>
  /** Prices from a prompt size on, in ascending order of sizes. Each tier contains only the prices that differ. */
  tiers?: ({ fromPromptTokens: number } & Partial<TokenPrices>)[]
  /** Prices of service tiers other than the default, such as `priority`. */
  serviceTiers?: Record<string, Partial<TokenPrices>>
}

/** Properties of a model server to which requests are adapted. */
export type Compatibility = {
  /** Whether the server accepts the role `developer`. By default such messages are sent as system messages. */
  developerRole?: boolean
  /** Whether system messages can follow other messages. By default they are merged into an adjacent message. */
  lateSystemMessages?: boolean
  /** Whether several user messages can follow each other. By default they are merged. */
  repeatedRoles?: boolean
  /** Whether `tool_choice` can name a tool. By default true. Otherwise only the named tool is sent, and is required. */
  namedToolChoice?: boolean
  /** Whether the server stops generating an unstreamed response on disconnect. By default true. Otherwise a stream is requested. */
  wholeAnswers?: boolean
  /**
   * Whether the server stops generating and billing when the connection of a stream closes. By default false: then the
   * response is read for some time after its client has disconnected, to get its usage.
   */
  stopsOnDisconnect?: boolean
  /** How the cost of an earlier response is looked up by its ID. By default it is not. */
  costLookup?: CostLookupKind
  /** The field in which the server expects the reasoning of earlier responses. By default the field that its responses use. */
  reasoningField?: ReasoningField
  /** Whether responses can start with reasoning between tags such as `<think>`, which is separated. By default not. */
  reasoningTags?: boolean
  /** How the server writes calls of tools into the text, if it does. By default the text is not searched. */
  textToolCalls?: TextCallFormatName
  /** Whether each delta of a stream repeats the whole text so far. By default it has only what is new. */
  cumulativeText?: boolean
}

/** The formats of calls in a text, implemented in `src/gateway/providers/openai-chat/text-calls/`. */
export const textCallFormatNames = ['hermes', 'llama3', 'mistral', 'pythonic'] as const
export type TextCallFormatName = (typeof textCallFormatNames)[number]

/** The interfaces for the cost of an earlier response, implemented in `src/gateway/providers/cost-lookup-protocols.ts`. */
export const costLookupKinds = ['openrouter', 'openai-responses'] as const
export type CostLookupKind = (typeof costLookupKinds)[number]

/** Fields of an assistant message. `thinking` is a content part. With `none`, reasoning is not sent. */
export const reasoningFields = ['reasoning', 'reasoning_content', 'reasoning_details', 'thinking', 'none'] as const
export type ReasoningField = (typeof reasoningFields)[number]

export type Provider = {
  slug: string
  /** Other slugs of the provider in requests, filters and guardrails. */
  aliases?: readonly string[]
  name: string
  protocol: Protocol
  /** `${NAME}` is replaced by the environment variable of that name. */
  baseUrl: string | null
  /** Environment variables of the credential; the first one that is set is used. Empty if none is needed. */
  credentialVariables: string[]
  /** Whether the models in the list of the server are added to the catalogue. */
  discover?: true
  compatibility?: Compatibility
  /** The default prices of its endpoints. */
  prices?: Partial<Prices>
  /** The price per call of each of its tools, for every model. */
  tools?: Record<string, Usd>
  privacyPolicyUrl: string | null
  termsOfServiceUrl: string | null
  statusPageUrl: string | null
}

/** One provider's offer of one model. */
export type Endpoint = {
  /** `<model id>@<tag>`. Identifies the endpoint in measurements and plans, also after a reload. */
  id: string
  provider: string
  /** The provider's slug, with a suffix if the provider has several endpoints: `deepinfra/fp8`. */
  tag: string
  name: string
  /** The provider's name for the model. */
  upstreamModel: string
  /** Set if the protocol differs from that of the provider. */
  protocol?: Protocol
  baseUrl?: string
  compatibility?: Compatibility
  contextLength: number
  maxCompletionTokens: number | null
  maxPromptTokens: number | null
  quantization: string
  prices: Prices
  supportedParameters: string[]
  /** Whether the parameters are assumed, because no source lists them. */
  parametersAssumed?: true
  supportsImplicitCaching: boolean
  toolChoice: { auto: boolean; none: boolean; required: boolean; function: boolean }
  /** Data regions, if the operator's catalogue names them. */
  regions: Region[]
  /** Data policies. False if unknown. */
  zeroDataRetention: boolean
  trainsOnData: boolean
  publishesPrompts: boolean
  moderated: boolean
  /** The share of the requests, relative to the weights of the other endpoints. If absent, the price decides. */
  weight?: number
}

/** Splits the id of an endpoint at its last `@`: the id of a model can also contain one. */
export function parseEndpointId(id: string): { modelId: string; tag: string } {
  const at = id.lastIndexOf('@')
  return { modelId: id.slice(0, Math.max(0, at)), tag: id.slice(at + 1) }
}

/** One model, or one variant of it, with all its endpoints. */
export type Model = {
  /** `author/slug`, or `author/slug:variant`. */
  id: string
  /** The dated, immutable name. */
  canonicalSlug: string
  author: string
  name: string
  description: string | null
  /** Unix time in seconds. */
  created: number
  contextLength: number
  inputModalities: string[]
  outputModalities: string[]
  tokenizer: string | null
  instructType: string | null
  /** The model family, which the filter `arch` matches. */
  family: string | null
  defaultParameters: Record<string, number | null> | null
  perRequestLimits: { prompt_tokens: number; completion_tokens: number } | null
  expirationDate: string | null
  knowledgeCutoff: string | null
  supportedVoices: string[] | null
  aliases: string[]
  categories: string[]
  /** Null if unknown. */
  distillable: boolean | null
  benchmarks: { intelligence?: number; coding?: number; agentic?: number; designArenaElo?: number }
  endpoints: Endpoint[]
}

type Outputs = Pick<Model, 'outputModalities'>

/** Whether the model can serve requests for a task, or chats. The output modality of a task has its name. */
export const canServe = ({ outputModalities }: Outputs, task?: Task) => outputModalities.includes(task ?? 'text')

/** Whether an operation of this service can use the model. */
export const canBeCalled = (model: Outputs) => canServe(model) || tasks.some((task) => canServe(model, task))

/** The merged catalogue of all sources. */
export type CatalogueData = { models: Model[]; providers: Provider[] }
