import { createHash } from 'node:crypto'

/** Some providers take no longer one. */
const longest = 40

/**
 * What a tool call is called whose server names it not: the same for whoever reads the answer, another in each answer.
 * @param answerId what the answer is called, by its server or else by this service.
 */
export function madeCallId(answerId: string | undefined, index: number, prefix = 'call_'): string {
  const id = `${prefix}${answerId || 'unnamed'}_${index}`
  return id.length <= longest ? id : prefix + createHash('sha256').update(id).digest('base64url').slice(0, 32)
}
