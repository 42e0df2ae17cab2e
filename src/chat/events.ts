import type { FinishReason } from './chunk.ts'
import type { ThoughtMetadata } from './thoughts.ts'

/**
 * The token counts of the upstream. `cached` and `cacheWritten` are parts of `prompt`, `reasoning` is a part of `completion`.
 */
export type TokenCounts = {
  prompt: number
  completion: number
  cached: number
  cacheWritten: number
  reasoning: number
  /** Absent if no tokens have a separate price. */
  parts?: TokenParts
}

export const zeroTokens: TokenCounts = { prompt: 0, completion: 0, cached: 0, cacheWritten: 0, reasoning: 0 }

/** Tokens with a separate price: parts of `cacheWritten`, `prompt` and `completion`. */
export type TokenParts = {
  cacheWritten1h?: number
  audioPrompt?: number
  audioCompletion?: number
  imageCompletion?: number
}

/** Billed units other than tokens. */
export type Extras = {
  /** Counts by unit: `image`, or the name of a tool that the provider ran. Stored in spill files under this name. */
  pieces?: Record<string, number>
  /** The service tier of the response. `default` is the standard one. */
  serviceTier?: string
  /** Runs of other models, by the provider's names of the models. Their tokens are parts of the counts of the response. */
  models?: { name: string; tokens: TokenCounts }[]
}

/** A citation. `start` and `end` are the cited part of the whole text, if the provider sends them. */
export type Citation = CitationSource & { title?: string; quote?: string; start?: number; end?: number }

/** The source of a citation: a URL, or a file of the provider or of the request. */
type CitationSource = { url: string; file?: undefined } | { url?: undefined; file: CitedFile }
type CitedFile = { id: string; name: string; index: number }

/** A generated image: a data URL, or a URL of the provider. */
export type GeneratedImage = { url: string }

/** A piece of generated speech, in base64. */
export type Speech = { mediaType: string; data: string }

/** The provider's counts for the whole response so far. */
export type UsageEvent = {
  type: 'usage'
  tokens: TokenCounts
  extras?: Extras
  /** Set if these counts differ from those in the provider's event. */
  restated?: true
  /** Describes a contradiction between the counts. The larger counts are billed. */
  mismatch?: string
}

/** The pieces of a model's response, the same for every protocol. */
export type CompletionEvent = CompletionPiece & {
  /** The index of the choice, if it is not the first. */
  choice?: number
}

type CompletionPiece =
  /** The id and the model that the upstream reports. */
  | { type: 'started'; id: string; model: string }
  | { type: 'text'; text: string }
  /** A piece of reasoning. A signature or encrypted content ends a block. */
  | ({ type: 'reasoning'; text: string } & ThoughtMetadata)
  /** Text that the provider wrote instead of the model has no tokens. */
  | { type: 'refusal'; text: string; isFree?: true }
  | ({ type: 'citation' } & Citation)
  | ({ type: 'image' } & GeneratedImage)
  | ({ type: 'audio' } & Speech)
  /** The result of a task other than a chat: one item for each input, as JSON. */
  | { type: 'items'; items: readonly Buffer[] }
  /** The arguments of a `custom` tool are free text instead of JSON. Few protocols have namespaces of functions. */
  | { type: 'tool_call'; index: number; id: string; name: string; custom?: true; namespace?: string }
  | { type: 'tool_arguments'; index: number; text: string }
  | UsageEvent
  /** One unit that is billed per piece, such as an image. Its data, if clients get it, is in other events. */
  | { type: 'billed_piece'; unit: string }
  /** `native` is undefined if the upstream sent no reason. */
  | { type: 'finish'; reason: Exclude<FinishReason, 'error'>; native: string | undefined }
  /** The upstream failed: `status` if it sent one, its own `code`, and its details as JSON. */
  | {
      type: 'error'
      message: string
      status: number | undefined
      code?: string | undefined
      details?: string
      retryAfterMs?: number
    }
