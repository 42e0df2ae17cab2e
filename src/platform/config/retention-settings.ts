import { z } from '../json/schema.ts'

/** The retention of data about requests. */
export const retentionSettings = {
  generation_retention_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('How long the record of a single request is kept. Sums per day stay.'),
  content_retention_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('How long what was asked and answered is kept, in workspaces that want it kept.'),
  content_bytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(16 * 1024 * 1024)
    .default(256 * 1024)
    .describe('How much of it is kept of a request, and as much of its answer, in bytes; the rest is cut.'),
}
