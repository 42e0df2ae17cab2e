import type { Protocol, Region } from '#platform/core/vocabulary.ts'

/** A decimal number as text, in USD: never a binary float. `"0"` is free. */
export type Usd = string

/** USD per token of each kind. Absent means unknown, not free. */
export type TokenPrices = {
  prompt: Usd
  completion: Usd
  cacheRead?: Usd
  cacheWrite?: Usd
  /** Written to a cache that keeps it for an hour. */
  cacheWrite1h?: Usd
  reasoning?: Usd
  audioPrompt?: Usd
  audioCompletion?: Usd
  /** Of images in an answer. */
  imageCompletion?: Usd
}

/** Prices other than of tokens: USD per request, per image and per call of a provider tool. */
export type Prices = TokenPrices & {
  request?: Usd
  /** For each image in the prompt or the answer. */
  image?: Usd
  /** By the tool's name at the provider, without its day: `web_search`. */
  tools?: Record<string, Usd>
  /** Prices that hold from a prompt size on, smallest size first; each names only what it changes. */
  tiers?: ({ fromPromptTokens: number } & Partial<TokenPrices>)[]
  /** Prices of the service tiers that are not the ordinary one: `priority`. */
  serviceTiers?: Record<string, Partial<TokenPrices>>
}

/** Properties of a model server that decide how it is used. An absent one has its usual value. */
export type Compatibility = {
  /** Whether it knows the role `developer`. Usually not: such messages become system messages. */
  developerRole?: boolean
  /** Whether system messages can follow others. Usually not: they become a part of the message beside them. */
  lateSystemMessages?: boolean
  /** Whether several user messages can follow each other. Usually not: they become one. */
  repeatedRoles?: boolean
  /** Whether `tool_choice` can name a tool. Usually so. Elsewhere that tool alone is sent, and required. */
  namedToolChoice?: boolean
  /** Whether it stops a whole answer when the client leaves. Usually so. Elsewhere a stream is requested and assembled. */
  wholeAnswers?: boolean
  /**
   * Whether it stops generating and billing when the connection of a stream closes. Usually not. Elsewhere the answer is
   * read for some time after its client disconnected, to learn its usage.
   */
  stopsOnDisconnect?: boolean
  /** The place in which it expects the reasoning of earlier answers. Usually where its answers have it. */
  reasoningField?: ReasoningField
}

/** A member of an assistant message; `thinking` is a part of its content, `none` no place at all. */
export const reasoningFields = ['reasoning', 'reasoning_content', 'reasoning_details', 'thinking', 'none'] as const
export type ReasoningField = (typeof reasoningFields)[number]

export type Provider = {
  slug: string
  /** Other slugs that name it in requests, filters and guardrails. */
  aliases?: readonly string[]
  name: string
  protocol: Protocol
  /** `${NAME}` in it stands for the environment variable of that name. */
  baseUrl: string | null
  /** Environment variables that may hold the credential, in order; empty where none is needed. */
  credentialVariables: string[]
  /** Whether models that the server lists itself are added to the catalogue. */
  discover?: true
  compatibility?: Compatibility
  /** The default prices of its endpoints. */
  prices?: Partial<Prices>
  /** The price of a call of each tool that it runs, for every model. */
  tools?: Record<string, Usd>
  privacyPolicyUrl: string | null
  termsOfServiceUrl: string | null
  statusPageUrl: string | null
}

/** One provider's offer of one model. */
export type Endpoint = {
  /** `<model id>@<tag>`: names the endpoint in measurements and plans, and stays the same over reloads. */
  id: string
  provider: string
  /** The provider's slug, with a suffix if the provider has several endpoints: `deepinfra/fp8`. */
  tag: string
  name: string
  /** The provider's name for the model. */
  upstreamModel: string
  /** Only where they differ from the provider's. */
  protocol?: Protocol
  baseUrl?: string
  compatibility?: Compatibility
  contextLength: number
  maxCompletionTokens: number | null
  maxPromptTokens: number | null
  quantization: string
  prices: Prices
  supportedParameters: string[]
  /** Whether the parameters are only assumed, because no source lists them. They are not guaranteed then. */
  parametersSupposed?: true
  supportsImplicitCaching: boolean
  toolChoice: { auto: boolean; none: boolean; required: boolean; function: boolean }
  /** Data regions, as far as the operator's catalogue names them. */
  regions: Region[]
  /** Data policies: false where nobody said otherwise. */
  zeroDataRetention: boolean
  trainsOnData: boolean
  publishesPrompts: boolean
  moderated: boolean
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
  /** The model family that `arch` matches, beside the tokenizer. */
  family: string | null
  defaultParameters: Record<string, number | null> | null
  perRequestLimits: { prompt_tokens: number; completion_tokens: number } | null
  expirationDate: string | null
  knowledgeCutoff: string | null
  supportedVoices: string[] | null
  aliases: string[]
  categories: string[]
  /** Null where nobody said. */
  distillable: boolean | null
  benchmarks: { intelligence?: number; coding?: number; agentic?: number; designArenaElo?: number }
  endpoints: Endpoint[]
}

/** Whether an operation of this service can use the model: all operations answer with text, and possibly more. */
export const canBeCalled = (model: Pick<Model, 'outputModalities'>) => model.outputModalities.includes('text')

/** All that is known, after every source was read and merged. */
export type CatalogueData = { models: Model[]; providers: Provider[] }
