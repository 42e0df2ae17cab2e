import { createHash } from 'node:crypto'

/** Some providers take no longer one. */
const longest = 40

/**
 * An id for a tool call whose server gave none: the same for every reader of the answer, and different in each answer.
 * @param answerId the id of the answer, from its server or else from this service.
 */
export function madeCallId(answerId: string | undefined, index: number, prefix = 'call_'): string {
  const id = `${prefix}${answerId || 'unnamed'}_${index}`
  return id.length <= longest ? id : prefix + createHash('sha256').update(id).digest('base64url').slice(0, 32)
}
