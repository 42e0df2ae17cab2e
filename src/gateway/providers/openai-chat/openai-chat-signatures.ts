import { googleSignaturePath, type ReasoningDetail, readSigned, signaturePath } from '#chat/thoughts.ts'
import { isObject } from '#platform/core/is-object.ts'
import type { Body } from '../../protocol/request-body.ts'
import type { CallSignature } from '../../protocol/tool-calls/fragment.ts'

const format = 'google-gemini-v1'

/** The fields of a call or a message in which chat servers have the signature of Gemini. */
type SignedObject = { extra_content?: unknown; provider_specific_fields?: unknown; function?: unknown }

/**
 * Reads the signature of a call or of a message. Gemini refuses a call without it in later requests. Chat servers have it
 * in different fields.
 */
export function readSignature(signed: object): CallSignature | undefined {
  const { extra_content: extra, provider_specific_fields: specific, function: called } = signed as SignedObject
  const others = specific ?? (isObject(called) ? called.provider_specific_fields : undefined)
  const namespaces = isObject(extra) ? Object.keys(extra) : []
  return (
    namespaces
      .map((name) => toSignature(`extra_content.${name}.thought_signature`, isObject(extra) && extra[name]))
      .find((signature) => signature !== undefined) ??
    toSignature('provider_specific_fields.thought_signature', others) ??
    toSignature('thought_signature', signed) ??
    toSignature('thoughtSignature', signed)
  )
}

function toSignature(path: string, fields: unknown): CallSignature | undefined {
  const encrypted = isObject(fields) ? fields[lastName(path)] : undefined
  if (typeof encrypted !== 'string' || !encrypted || !signaturePath.test(path)) return undefined
  return { format, via: 'chat', encrypted, ...(path !== googleSignaturePath && { path }) }
}

const lastName = (path: string) => path.slice(path.lastIndexOf('.') + 1)

export const isSignature = ({ format: detailFormat, data }: ReasoningDetail) =>
  detailFormat === format && typeof data === 'string'

/** Adds the signatures of details in the fields in which their server sent them, because it refuses other fields. */
export function withSignatures(message: Body, details: readonly ReasoningDetail[]): Body {
  const fieldsByCallId = new Map<unknown, Body>()
  let messageFields: Body | undefined
  for (const detail of details.filter(isSignature)) {
    const { id, path } = readSigned(detail)
    const fields = fieldsAt(path.split('.'), detail.data)
    if (id === undefined) messageFields = fields
    else fieldsByCallId.set(id, fields)
  }
  const calls = message.tool_calls
  const signedMessage = withSignature(message, messageFields)
  if (!Array.isArray(calls)) return signedMessage
  const tool_calls = (calls as Body[]).map((call) => withSignature(call, fieldsByCallId.get(call?.id)))
  return { ...signedMessage, tool_calls }
}

const fieldsAt = (path: string[], value: unknown): Body =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Body

/** Adds the fields of a signature. Those that the client returned itself stay. */
const withSignature = (signed: Body, fields: Body | undefined): Body => (fields ? { ...fields, ...signed } : signed)
