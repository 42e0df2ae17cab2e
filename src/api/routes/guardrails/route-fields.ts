import { z } from '#platform/json/schema.ts'

/** Any text: an invalid id is treated as an unknown one. */
export const GuardrailParams = z.object({ id: z.string().describe('The ID of the guardrail.') })

/** The specification of guardrails has no status 403, so their routes refuse API keys with 401. */
export const wrongKeyFault = 'unauthenticated'
