import type { CompletionEvent } from '#chat/events.ts'
import { isObject } from '#platform/core/is-object.ts'
import { findError } from './error-body.ts'
import { readErrorBodyMessage } from './error-message.ts'
import { readErrorMetadata } from './error-metadata.ts'
import { readErrorStatus } from './error-status.ts'
import { miniMaxFilterCodes, miniMaxStatuses } from './numeric-codes.ts'

/** The message for an upstream error that has none. */
export const defaultErrorMessage = 'the upstream failed'

/**
 * The error of a response without content. Some servers send errors with a status of success.
 * @param problem the error if the body has no message.
 * @throws Error in that case.
 */
export function errorWithoutResponse(body: unknown, problem: string): Extract<CompletionEvent, { type: 'error' }> {
  const message = readErrorBodyMessage(body)
  if (!message) throw new Error(problem)
  const found = findError(body)
  const error = isObject(found) ? found : Array.isArray(body) ? body[0] : body
  const miniMax = (error as MiniMaxError | undefined)?.base_resp?.status_code
  const status = readErrorStatus(error) ?? miniMaxStatuses.get(miniMax)
  const isFiltered = miniMaxFilterCodes.has(miniMax)
  return { type: 'error', message, status, ...readErrorMetadata(error), ...(isFiltered && { code: 'content_filter' }) }
}

type MiniMaxError = { base_resp?: { status_code?: unknown } | null }
