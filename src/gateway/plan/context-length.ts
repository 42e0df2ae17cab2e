import type { FaultDetails } from '#platform/core/fault.ts'
import type { ContextSizes } from '../providers/errors/context-errors.ts'
import type { Target } from './plan.ts'

/**
 * Whether a prompt that was too long for one endpoint is worth sending to another. Another model splits a text into other
 * tokens, so only a token count in the error can show that the prompt is too long for the other model too.
 */
export function canFitPrompt({ tokens }: ContextSizes, failed: Target, next: Target): boolean {
  const { contextLength } = next.endpoint
  if (tokens !== undefined && contextLength < tokens) return false
  return next.model !== failed.model || contextLength > failed.endpoint.contextLength
}

/** The code by which OpenAI's clients know such an error. */
export const contextLengthExceeded = 'context_length_exceeded'

/** The error for a client whose prompt is too long. */
export function contextLengthError(
  limit: number,
  tokens: number | undefined,
  metadata: Record<string, unknown>,
): { message: string; details: FaultDetails } {
  return {
    message: `The maximum context length is ${limit} tokens. ${describeProblem(limit, tokens)} or name a model with a larger context (${contextLengthExceeded}).`,
    details: {
      type: 'invalid_request_error',
      metadata: {
        ...metadata,
        error_type: contextLengthExceeded,
        max_context_length: limit,
        ...(tokens !== undefined && { prompt_tokens: tokens }),
      },
    },
  }
}

function describeProblem(limit: number, tokens: number | undefined): string {
  if (tokens === undefined) return 'The prompt is longer. Shorten the messages,'
  if (tokens > limit) return `The prompt has about ${tokens} tokens. Shorten the messages,`
  return `The prompt has about ${tokens} tokens, so there is no room for the output limit. Lower the limit, shorten the messages,`
}
