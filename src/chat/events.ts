import type { FinishReason } from './chunk.ts'
import type { ThoughtMark } from './thoughts.ts'

/** Tokens as the upstream counted them. `cached` and `cacheWritten` are parts of `prompt`; `reasoning` of `completion`. */
export type TokenCounts = {
  prompt: number
  completion: number
  cached: number
  cacheWritten: number
  reasoning: number
}

/** What a model's answer consists of, piece by piece, whatever protocol it came in. */
export type AnswerEvent =
  /** Who answers, as the upstream says. */
  | { type: 'started'; id: string; model: string }
  | { type: 'text'; text: string }
  /** A piece of a thought. The piece with a signature, or with the thought encrypted, ends the thought. */
  | ({ type: 'reasoning'; text: string } & ThoughtMark)
  | { type: 'refusal'; text: string }
  | { type: 'tool_call'; index: number; id: string; name: string }
  | { type: 'tool_arguments'; index: number; text: string }
  | { type: 'usage'; tokens: TokenCounts }
  | { type: 'finish'; reason: Exclude<FinishReason, 'error'>; native: string }
  /** The upstream gave up: `status` as far as it said one. */
  | { type: 'error'; message: string; status: number | undefined }
