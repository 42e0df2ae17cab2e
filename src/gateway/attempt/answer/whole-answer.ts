import type { AnswerEvent } from '#chat/events.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { repairJsonSyntax } from '#platform/json/json-text/repair-json-syntax.ts'
import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { defaultErrorMessage, errorWithoutAnswer } from '../../providers/errors/error-event.ts'
import { protocols } from '../../providers/protocols.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { assertMaxDepth, isPageOrPlainText, toErrorEvent } from './event-text.ts'
import type { WholeAnswer } from './receiver.ts'

/**
 * The whole answer; undefined if it is not JSON. Some servers encode it twice. @throws Error if it is nested too deeply.
 */
export function parseAnswer(bytes: Buffer, text: string): WholeAnswer | undefined {
  const body = parseJsonOr(text, undefined)
  if (body === undefined) return undefined
  if (typeof body === 'string' && /^\s*\{/.test(body)) return parseAnswer(Buffer.from(body), body)
  assertMaxDepth(body, text)
  return { bytes, text, body }
}

/** The whole answer with valid JSON. @throws Error if its JSON cannot be repaired. */
export function repairAnswer(text: string): WholeAnswer {
  const repaired = repairJsonSyntax(text) ?? text
  const body: unknown = JSON.parse(repaired)
  assertMaxDepth(body, repaired)
  return { bytes: Buffer.from(repaired), text: repaired, body }
}

/** The error in an answer that is not JSON; undefined if the answer is not an error. */
export function readErrorText(text: string): Extract<AnswerEvent, { type: 'error' }> | undefined {
  // Earlier versions of llama.cpp send a field `error:` instead of an event.
  const [, json] = /^\s*error:\s*(\{.*)/s.exec(text) ?? []
  if (json !== undefined) return errorWithoutAnswer(parseJsonOr(json, undefined), defaultErrorMessage)
  return isPageOrPlainText(text) ? toErrorEvent(text) : undefined
}

/**
 * Reads a whole answer in the form of its protocol.
 * @returns its events, and the answer for clients of the same protocol. The answer is undefined if its provider
 * used another protocol.
 * @throws Error if it violates its protocol.
 */
export function readWholeAnswer(
  { providerProtocol, adaptProtocol, answerId, answerLimit, toolNames, target, choiceCount }: AttemptRequest,
  answer: WholeAnswer,
): { events: AnswerEvent[]; wholeAnswer: WholeAnswer | undefined } {
  if (answer.body === null) throw new Error('it is null')
  const { normalizer } = providerProtocol.normalization ?? {}
  const options = { endpoint: target.endpoint, choiceCount, toolNames }
  const body = normalizer ? normalizer.normalizeAnswer(answer.body, options) : answer.body
  const protocol = recognizeProtocol(body, providerProtocol)
  const needsTranslation = protocol !== providerProtocol
  const reader = needsTranslation && adaptProtocol ? adaptProtocol(protocol) : protocol
  const events = reader.readBody(body, { answerId, answerLimit, toolNames })
  return { events, wholeAnswer: needsTranslation ? undefined : replaceBody(answer, body) }
}

/** The protocol that an answer shows: that of its endpoint or another one. */
function recognizeProtocol(body: unknown, expected: ProviderProtocol): ProviderProtocol {
  if (!expected.normalization || expected.normalization.isOwnAnswer(body)) return expected
  return Object.values(protocols).find(({ normalization }) => normalization?.isOwnAnswer(body)) ?? expected
}

/** The same answer if normalizing did not change its body. */
function replaceBody(answer: WholeAnswer, normalized: unknown): WholeAnswer {
  if (normalized === answer.body) return answer
  const text = JSON.stringify(normalized)
  return { bytes: Buffer.from(text), text, body: normalized }
}
