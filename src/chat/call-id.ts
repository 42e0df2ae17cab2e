import { createHash } from 'node:crypto'

/** The maximum length that all providers accept. OpenAI refuses longer ids. */
const maxLength = 40
/** The length of the digest in a shortened id, whose prefix is at most eight characters long. */
const digestLength = 32

/**
 * Creates an id for a tool call that has none. The id is deterministic, and different for each response.
 * @param responseId the id of the response, from its server or from this service.
 */
export function createCallId(responseId: string | undefined, index: number, prefix = 'call_'): string {
  const id = `${prefix}${responseId || 'unnamed'}_${index}`
  return id.length <= maxLength
    ? id
    : prefix + createHash('sha256').update(id).digest('base64url').slice(0, digestLength)
}
