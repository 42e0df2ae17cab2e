import { madeCallId } from '#chat/call-id.ts'

const prefix = 'gemini_'

/** An id for a call that came without one: the same for the same call of the same answer. */
export function callIdFor(answerId: string, index: number): string {
  return madeCallId(answerId, index, prefix)
}

/** Ids that Gemini does not know. Its own calls have none, and those of other providers' it never saw. */
export const madeUpCallId = new RegExp(`^(?:${prefix}|call_|toolu_|fc_|chatcmpl-tool-)`)
