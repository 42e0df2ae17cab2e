import { createHash } from 'node:crypto'

/** The maximum length that all providers accept. */
const longest = 40

/**
 * Creates an id for a tool call without one. It is deterministic for an answer, and different in each answer.
 * @param answerId the id of the answer, from its server or from this service.
 */
export function madeCallId(answerId: string | undefined, index: number, prefix = 'call_'): string {
  const id = `${prefix}${answerId || 'unnamed'}_${index}`
  return id.length <= longest ? id : prefix + createHash('sha256').update(id).digest('base64url').slice(0, 32)
}
