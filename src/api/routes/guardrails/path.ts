import { z } from '#platform/json/schema.ts'

/** Any text: one that is no guardrail's id is an unknown one. */
export const GuardrailPath = z.object({ id: z.string().describe('The ID of the guardrail.') })
