import type { CompletionEvent } from '#chat/events.ts'
import { parseWithExactArguments } from '#chat/fields/arguments-fields.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { repairJsonSyntax } from '#platform/json/json-text/repair-json-syntax.ts'
import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { defaultErrorMessage, errorWithoutResponse } from '../../providers/errors/error-event.ts'
import { protocols } from '../../providers/protocols.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { assertMaxDepth, isPageOrPlainText, toErrorEvent } from './event-text.ts'
import type { WholeResponse } from './receiver.ts'

/**
 * The whole response; undefined if it is not JSON. Some servers encode it twice. @throws Error if it is nested too deeply.
 */
export function parseResponse(bytes: Buffer, text: string): WholeResponse | undefined {
  const body = parseJsonOr(text, undefined, parseWithExactArguments)
  if (body === undefined) return undefined
  if (typeof body === 'string' && /^\s*\{/.test(body)) return parseResponse(Buffer.from(body), body)
  assertMaxDepth(body, text)
  return { bytes, text, body }
}

/** The whole response with valid JSON. @throws Error if its JSON cannot be repaired. */
export function repairResponse(text: string): WholeResponse {
  const repaired = repairJsonSyntax(text) ?? text
  const body = parseWithExactArguments(repaired)
  assertMaxDepth(body, repaired)
  return { bytes: Buffer.from(repaired), text: repaired, body }
}

/** The error in a response that is not JSON; undefined if the response is not an error. */
export function readErrorText(text: string): Extract<CompletionEvent, { type: 'error' }> | undefined {
  // Earlier versions of llama.cpp send a field `error:` instead of an event.
  const [, json] = /^\s*error:\s*(\{.*)/s.exec(text) ?? []
  if (json !== undefined) return errorWithoutResponse(parseJsonOr(json, undefined), defaultErrorMessage)
  return isPageOrPlainText(text) ? toErrorEvent(text) : undefined
}

/**
 * Reads a whole response in the form of its protocol.
 * @returns its events, and the response for clients of the same protocol. The response is undefined if its provider
 * used another protocol.
 * @throws Error if it violates its protocol.
 */
export function readWholeResponse(
  { providerProtocol, adaptProtocol, responseId, outputLimit, toolNames, target, choiceCount }: AttemptRequest,
  response: WholeResponse,
): { events: CompletionEvent[]; wholeResponse: WholeResponse | undefined } {
  if (response.body === null) throw new Error('it is null')
  const { normalizer } = providerProtocol.normalization ?? {}
  const options = { endpoint: target.endpoint, choiceCount, toolNames }
  const body = normalizer ? normalizer.normalizeResponse(response.body, options) : response.body
  const protocol = recognizeProtocol(body, providerProtocol)
  const needsTranslation = protocol !== providerProtocol
  const reader = needsTranslation && adaptProtocol ? adaptProtocol(protocol) : protocol
  const events = reader.readBody(body, { responseId, outputLimit, toolNames })
  return { events, wholeResponse: needsTranslation ? undefined : replaceBody(response, body) }
}

/** The protocol that a response shows: that of its endpoint or another one. */
function recognizeProtocol(body: unknown, expected: ProviderProtocol): ProviderProtocol {
  if (!expected.normalization || expected.normalization.isOwnResponse(body)) return expected
  return Object.values(protocols).find(({ normalization }) => normalization?.isOwnResponse(body)) ?? expected
}

/** Returns the response with the normalized body. Returns the same object if normalizing did not change the body. */
function replaceBody(response: WholeResponse, normalized: unknown): WholeResponse {
  if (normalized === response.body) return response
  const text = JSON.stringify(normalized)
  return { bytes: Buffer.from(text), text, body: normalized }
}
