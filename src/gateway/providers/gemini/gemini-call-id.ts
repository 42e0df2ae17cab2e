import { createCallId } from '#chat/call-id.ts'

const prefix = 'gemini_'

/** Generates the id of a call without one. A call of a response always gets the same id. */
export function generateCallId(responseId: string, index: number): string {
  return createCallId(responseId, index, prefix)
}

/** Matches ids that Gemini did not create, but this service or another provider. Gemini does not receive them. */
export const nonGeminiCallIdPattern = new RegExp(`^(?:${prefix}|call_|toolu_|fc_|chatcmpl-tool-)`)
