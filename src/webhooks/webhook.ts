import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import type { Tables } from '#platform/db/tables.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'

/** The events that a webhook can subscribe to. `webhook.test` is only sent on demand. */
export const webhookEvents = [
  'intern.question_asked',
  'intern.run_ended',
  'intern.failed',
  'limit.nearly_spent',
  'limit.spent',
] as const
export type WebhookEvent = (typeof webhookEvents)[number] | 'webhook.test'

/** Optional fields of question events: the question, and a link that answers it without further authentication. */
const webhookIncludes = ['question', 'answer_link'] as const
export type WebhookInclude = (typeof webhookIncludes)[number]

/** The form of the body: the event as JSON, or a message for Slack and compatible services. */
const webhookFormats = ['standard', 'slack'] as const
type WebhookFormat = (typeof webhookFormats)[number]

const fields = {
  url: text({ min: 1, max: 2048 }).describe(
    'The https URL that receives events. It must have a public address unless the operator allows it. With a mail server also `mailto:` and one email address.',
  ),
  format: z
    .enum(webhookFormats)
    .describe('`slack` sends `{"text": …}`, as Slack, Mattermost and others expect it. Not used for email.'),
  description: text({ max: 1000 }).nullable(),
  events: z
    .array(z.enum(webhookEvents))
    .min(1)
    .describe(
      'The events to send. Defaults to all. `limit.nearly_spent`: a threshold of a spending limit below 100 % is reached, by default 50 and 80 %. `limit.spent`: the limit is used up, or a request was refused because of it. Each threshold is sent once per limit and period.',
    ),
  include: z
    .array(z.enum(webhookIncludes))
    .describe(
      'Additional fields of question events. `question`: the text. `answer_link`: a link that answers it once, on behalf of the creator of the webhook.',
    ),
}
const { url, format, description, events, include } = fields

export const NewWebhook = strictFields({
  url,
  format: format.optional(),
  description: description.optional(),
  events: events.optional(),
  include: include.optional(),
  workspace_id: z
    .string()
    .optional()
    .describe('ID or slug of the workspace. Defaults to the workspace of the calling key.'),
}).meta({ id: 'NewWebhook' })
export type NewWebhook = z.output<typeof NewWebhook>

export const WebhookPatch = strictFields({
  url: url.optional(),
  format: format.optional(),
  description: description.optional(),
  events: events.optional(),
  include: include.optional(),
  enabled: z.boolean().optional().describe('False: no events are sent or queued.'),
}).meta({ id: 'WebhookPatch' })
export type WebhookPatch = z.output<typeof WebhookPatch>

export const Webhook = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    ...fields,
    events: z.array(z.enum(webhookEvents)),
    enabled: z.boolean(),
    disabled_reason: z.string().nullable().describe('Why the service has disabled it, if it has.'),
    failing_since: z.iso.datetime().nullable().describe('The time of the first of the consecutive failures.'),
    old_secret_until: z.iso
      .datetime()
      .nullable()
      .describe('The time until which the previous secret also signs deliveries.'),
    created_by_user_id: z
      .string()
      .describe(
        'The member who created the webhook, or last changed its URL or events. The webhook receives events of interns that this member sees.',
      ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({
    id: 'Webhook',
    description:
      'A webhook of a workspace for events of interns and spending limits. The secret is not returned again.',
  })
export type Webhook = z.output<typeof Webhook>

export const WebhookSecret = z
  .string()
  .describe('The secret that signs deliveries according to Standard Webhooks (`whsec_…`). It is returned only once.')

export const isoTimeOrNull = (at: number | null) => (at === null ? null : isoTime(at))

export function toWebhook(row: Selectable<Tables['webhooks']>, now: number): Webhook {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    url: row.url,
    format: row.format as WebhookFormat,
    description: row.description,
    events: JSON.parse(row.events),
    include: JSON.parse(row.include),
    enabled: row.enabled === 1,
    disabled_reason: row.disabled_reason,
    failing_since: isoTimeOrNull(row.failing_since),
    old_secret_until: isoTimeOrNull(row.before_until !== null && row.before_until > now ? row.before_until : null),
    created_by_user_id: row.created_by,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
