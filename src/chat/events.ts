import type { FinishReason } from './chunk.ts'
import type { ThoughtMark } from './thoughts.ts'

/**
 * The token counts of the upstream. `cached` and `cacheWritten` are parts of `prompt`, `reasoning` is a part of `completion`.
 */
export type TokenCounts = {
  prompt: number
  completion: number
  cached: number
  cacheWritten: number
  reasoning: number
  /** Absent if there are none. */
  parts?: TokenParts
}

export const noTokens: TokenCounts = { prompt: 0, completion: 0, cached: 0, cacheWritten: 0, reasoning: 0 }

/** Tokens with a separate price: parts of `cacheWritten`, `prompt` and `completion`. */
export type TokenParts = {
  cacheWritten1h?: number
  audioPrompt?: number
  audioCompletion?: number
  imageCompletion?: number
}

/** Billed units other than tokens. */
export type Extras = {
  /** Counts by unit: `image`, or the name of a tool that the provider ran. */
  pieces?: Record<string, number>
  /** The service tier of the answer. `default` is the standard one. */
  serviceTier?: string
}

/** A citation. `start` and `end` are the cited part of the whole text, if the provider sends them. */
export type Citation = CitedPlace & { title?: string; quote?: string; start?: number; end?: number }

/** The source of a citation: a URL, or a file of the provider or of the request. */
type CitedPlace = { url: string; file?: undefined } | { url?: undefined; file: CitedFile }
export type CitedFile = { id: string; name: string; index: number }

/** A generated image: a data URL, or a URL of the provider. */
export type Picture = { url: string }

/** The counts of the provider, cumulative. */
export type UsageEvent = {
  type: 'usage'
  tokens: TokenCounts
  extras?: Extras
  /** Whether the original event of the provider contains other counts than these. */
  restated?: true
  /** How the counts contradict each other, if they do. The larger ones are billed. */
  mismatch?: string
}

/** The pieces of a model's answer, the same for every protocol. */
export type AnswerEvent = AnswerPiece & {
  /** The index of the choice, if it is not the first. */
  choice?: number
}

type AnswerPiece =
  /** The provider, according to the upstream. */
  | { type: 'started'; id: string; model: string }
  | { type: 'text'; text: string }
  /** A piece of reasoning. A signature or encrypted content ends a block. */
  | ({ type: 'reasoning'; text: string } & ThoughtMark)
  | { type: 'refusal'; text: string }
  | ({ type: 'citation' } & Citation)
  | ({ type: 'image' } & Picture)
  /** The arguments of a `custom` tool are free text instead of JSON. Few protocols have namespaces of functions. */
  | { type: 'tool_call'; index: number; id: string; name: string; custom?: true; namespace?: string }
  | { type: 'tool_arguments'; index: number; text: string }
  | UsageEvent
  /** A unit that is billed per piece, such as an image. */
  | { type: 'piece'; unit: string }
  | { type: 'finish'; reason: Exclude<FinishReason, 'error'>; native: string }
  /** The upstream failed: `status` if it sent one, its own `code`, and its details as JSON. */
  | {
      type: 'error'
      message: string
      status: number | undefined
      code?: string | undefined
      details?: string
      retryAfterMs?: number
    }
