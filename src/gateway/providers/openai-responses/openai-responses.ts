import type { Endpoint } from '#catalogue/index/model.ts'
import { nameLimit } from '#chat/answer-limit.ts'
import { isOurSeal } from '#chat/sealed-thought.ts'
import type { JsonSource } from '#platform/json/json-source.ts'
import type { Body, EncodedRequest, ProtocolTarget, ProviderProtocol } from '../../protocol/protocol.ts'
import { fieldsSetIn } from '../../protocol/repairs/absent-fields.ts'
import { repairBody } from '../../protocol/repairs/repair.ts'
import { assemblingBodyReader, assemblingReader } from '../../protocol/tool-calls/readers.ts'
import { messageOfRefusal } from '../error-code.ts'
import { openaiContextErrors } from '../openai-context-errors.ts'
import { ownTool, responsesBillable } from '../openai-tools.ts'
import { withoutOwnFields } from '../own-fields.ts'
import { readResponse, responsesReader } from './openai-responses-answer.ts'
import { responsesLimit, responsesRequest } from './openai-responses-request.ts'
import { responsesLacks, responsesRules } from './openai-responses-rules.ts'

/** OpenAI responses: items instead of messages, and thoughts that come back encrypted. */
export const openaiResponses: ProviderProtocol = {
  protocol: 'openai-responses',
  encode: (chat, target) => {
    const encoded = sent(responsesRequest(chat, target.endpoint), target)
    const renamed = encoded.dropped!.map((name) => name.replace(/^text\.format/, 'response_format'))
    return { ...encoded, dropped: [...fieldsSetIn(chat as Body, responsesLacks), ...renamed] }
  },
  passThrough: (body, target, source) => sent(passedToResponses(body, target.endpoint), target, source),
  answerLimit: responsesLimit,
  billableOptions: responsesBillable,
  knowsTool: (tool) => ownTool(tool) !== undefined,
  reader: assemblingReader(responsesReader),
  readBody: assemblingBodyReader(readResponse),
  contextErrors: openaiContextErrors,
  errorMessage: messageOfRefusal,
}

function sent(asked: Body, target: ProtocolTarget, source?: JsonSource): EncodedRequest {
  const { endpoint, credential, stream } = target
  const { body, dropped, aliases } = repairBody({ ...asked, model: endpoint.upstreamModel, stream }, responsesRules)
  return {
    path: '/responses',
    headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    writeBody: () => source?.as(body) ?? JSON.stringify(body),
    dropped,
    aliases,
  }
}

/**
 * The body for an upstream of the same protocol. By default nothing is stored here, but upstreams store by default: so
 * `store` is set to false unless the client sets it. Without storage, thoughts are requested in a form that can be sent
 * back; a thought that came without this form is left out, because the upstream could not find it.
 */
function passedToResponses(body: Body, endpoint: Endpoint): Body {
  const kept = withoutOwnFields(body)
  const asked: Body = { ...kept, store: kept.store ?? false }
  nameLimit(asked, 'max_output_tokens')
  const isLost =
    asked.store === true ? isOthersThought : (item: unknown) => isOthersThought(item) || isBareThought(item)
  if (Array.isArray(kept.input) && kept.input.some(isLost)) asked.input = kept.input.filter((item) => !isLost(item))
  if (saysNothing(asked.input)) asked.input = [{ role: 'user', content: '' }]
  if (asked.store === false && endpoint.supportedParameters.includes('reasoning'))
    asked.include = [...new Set([...((kept.include ?? []) as string[]), 'reasoning.encrypted_content'])]
  if (typeof kept.reasoning === 'object' && kept.reasoning !== null) asked.reasoning = plainReasoning(kept.reasoning)
  return asked
}

/** Instructions alone are refused: a turn there must be, though it says nothing. */
function saysNothing(input: unknown): boolean {
  return input == null || input === '' || (Array.isArray(input) && input.length === 0)
}

/** One that says nothing itself could only be looked up where it is stored. */
function isBareThought(item: unknown): boolean {
  const thought = item as { type?: string; encrypted_content?: unknown; content?: unknown; summary?: unknown }
  return (
    thought.type === 'reasoning' &&
    !thought.encrypted_content &&
    !hasParts(thought.content) &&
    !hasParts(thought.summary)
  )
}

const hasParts = (parts: unknown) => Array.isArray(parts) && parts.length > 0

/** A thought of another provider's, from an earlier turn that it answered. */
function isOthersThought(item: unknown): boolean {
  const { type, encrypted_content: sealed } = item as { type?: string; encrypted_content?: unknown }
  return type === 'reasoning' && typeof sealed === 'string' && isOurSeal(sealed)
}

/** `enabled` and `max_tokens` are words of this service. */
function plainReasoning(reasoning: object): object {
  const {
    enabled,
    max_tokens: _budget,
    ...plain
  } = reasoning as { enabled?: unknown; max_tokens?: unknown; effort?: unknown }
  return enabled === false ? { ...plain, effort: plain.effort ?? 'none' } : plain
}
