import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import type { Tables } from '#platform/db/tables.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'

/** What webhooks tell of. `webhook.test` is sent on demand alone. */
export const webhookEvents = [
  'intern.question_asked',
  'intern.run_ended',
  'intern.failed',
  'limit.nearly_spent',
  'limit.spent',
] as const
export type WebhookEvent = (typeof webhookEvents)[number] | 'webhook.test'

/** What an event of a question holds besides: what is asked, and a link by which whoever has it answers. */
export const webhookIncludes = ['question', 'answer_link'] as const
export type WebhookInclude = (typeof webhookIncludes)[number]

const fields = {
  url: text({ min: 1, max: 2048 }).describe(
    'Where it is sent: https, at a public address unless the operator named it.',
  ),
  description: text({ max: 1000 }).nullable(),
  events: z
    .array(z.enum(webhookEvents))
    .min(1)
    .describe(
      'What it tells of; everything unless told. `limit.nearly_spent`: 80 % of a spending limit are spent; `limit.spent`: all of it, or a request was refused after that. Each once for each limit and period.',
    ),
  include: z
    .array(z.enum(webhookIncludes))
    .describe(
      'What a question’s event holds besides ids: `question`, what is asked; `answer_link`, a link that answers it once, in the name of whoever made the webhook.',
    ),
}
const { url, description, events, include } = fields

export const NewWebhook = strictFields({
  url,
  description: description.optional(),
  events: events.optional(),
  include: include.optional(),
  workspace_id: z.string().optional().describe('By id or slug; the calling key’s own unless told.'),
}).meta({ id: 'NewWebhook' })
export type NewWebhook = z.output<typeof NewWebhook>

export const WebhookPatch = strictFields({
  url: url.optional(),
  description: description.optional(),
  events: events.optional(),
  include: include.optional(),
  enabled: z.boolean().optional().describe('False: nothing is sent, and nothing that happens is kept for it.'),
}).meta({ id: 'WebhookPatch' })
export type WebhookPatch = z.output<typeof WebhookPatch>

export const Webhook = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    ...fields,
    events: z.array(z.enum(webhookEvents)),
    enabled: z.boolean(),
    disabled_reason: z.string().nullable().describe('Why the service has disabled it, where it has.'),
    failing_since: z.iso.datetime().nullable().describe('Since when nothing has been taken there.'),
    old_secret_until: z.iso
      .datetime()
      .nullable()
      .describe('Until when the secret before the last rotation signs as well.'),
    created_by_user_id: z
      .string()
      .describe(
        'Who made it, or was the last to say where it goes or what it tells: it hears of the interns that they see.',
      ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({
    id: 'Webhook',
    description:
      'Where a workspace hears of what its interns do, and that spending limits are nearly or wholly spent. Its secret is never shown again.',
  })
export type Webhook = z.output<typeof Webhook>

export const WebhookSecret = z
  .string()
  .describe('Signs what is sent, as Standard Webhooks has it (`whsec_…`). It is shown this once.')

const time = (at: number | null) => (at === null ? null : isoTime(at))

export function webhookOf(row: Selectable<Tables['webhooks']>, now: number): Webhook {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    url: row.url,
    description: row.description,
    events: JSON.parse(row.events),
    include: JSON.parse(row.include),
    enabled: row.enabled === 1,
    disabled_reason: row.disabled_reason,
    failing_since: time(row.failing_since),
    old_secret_until: time(row.before_until !== null && row.before_until > now ? row.before_until : null),
    created_by_user_id: row.created_by,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
