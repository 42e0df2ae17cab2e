import { z } from '#platform/json/schema.ts'

/** Any text: an invalid id is treated as an unknown one. */
export const GuardrailPath = z.object({ id: z.string().describe('The ID of the guardrail.') })
