import { z } from '../../json/schema.ts'

/** The retention of data about requests. */
export const retentionSettings = {
  generation_retention_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('The time for which the record of a request is stored. Daily sums are not deleted.'),
  content_retention_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('The time for which prompts and responses are stored, in workspaces that enable it.'),
  content_bytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(16 * 1024 * 1024)
    .default(256 * 1024)
    .describe(
      'The maximum stored size of the contents of a request, and of its response, in bytes. Longer contents are truncated.',
    ),
}
