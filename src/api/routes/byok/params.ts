import { z } from '#platform/json/schema.ts'

export const ProviderKeyParams = z.object({ id: z.string().describe('The ID of the provider key.') })
