import type { FinishReason } from './chunk.ts'
import type { ThoughtMark } from './thoughts.ts'

/**
 * Tokens as the upstream counted them. `cached` and `cacheWritten` are parts of `prompt`; `reasoning` of `completion`.
 */
export type TokenCounts = {
  prompt: number
  completion: number
  cached: number
  cacheWritten: number
  reasoning: number
  /** Only where there are some. */
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
  /** The tier of service that answered; `default` is the ordinary one. */
  serviceTier?: string
}

/** A source of what is said: from `start` up to `end` of all the text so far, where the provider says which part. */
export type Citation = CitedPlace & { title?: string; quote?: string; start?: number; end?: number }

/** The place of a source: an address, or a file of the provider or the request, by its `index`. */
type CitedPlace = { url: string; file?: undefined } | { url?: undefined; file: CitedFile }
export type CitedFile = { id: string; name: string; index: number }

/** An image that the model made: a data URL, or an address that the provider keeps it at. */
export type Picture = { url: string }

/** The provider's counts: sums of all pieces so far. */
export type UsageEvent = {
  type: 'usage'
  tokens: TokenCounts
  extras?: Extras
  /** Whether clients that read the provider's own words would see other counts than these. */
  restated?: true
  /** How the counts contradict each other, if they do. The larger ones are billed. */
  mismatch?: string
}

/** The pieces of a model's answer, the same for every protocol. */
export type AnswerEvent = AnswerPiece & {
  /** The number of the choice, if a request for several got this piece for another one than the first. */
  choice?: number
}

type AnswerPiece =
  /** The provider that answers, as the upstream says. */
  | { type: 'started'; id: string; model: string }
  | { type: 'text'; text: string }
  /** A piece of a thought. The piece with a signature, or with the thought encrypted, ends the thought. */
  | ({ type: 'reasoning'; text: string } & ThoughtMark)
  | { type: 'refusal'; text: string }
  | ({ type: 'citation' } & Citation)
  | ({ type: 'image' } & Picture)
  /** The arguments of a `custom` one are free text, and no JSON. Few protocols have functions in namespaces. */
  | { type: 'tool_call'; index: number; id: string; name: string; custom?: true; namespace?: string }
  | { type: 'tool_arguments'; index: number; text: string }
  | UsageEvent
  /** One of what is billed by the piece went by. */
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
