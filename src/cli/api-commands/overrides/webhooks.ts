import type { WebhookDelivery } from '#webhooks/delivery.ts'
import type { Webhook } from '#webhooks/webhook.ts'
import { formatSecond } from '../../kit/format.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { columns, type Input, type Overrides } from '../api-command.ts'

const eventOption: [string, string] = ['--event <type...>', 'Events to send']
const includeOption: [string, string] = ['--include <field...>', 'Fields of a question to include in addition to IDs']

/** Commands for webhooks. */
export const webhooks = {
  listWebhooks: {
    columns: columns<Webhook>({
      ID: (webhook) => webhook.id,
      STATE: webhookState,
      URL: (webhook) => webhook.url,
      EVENTS: (webhook) => webhook.events.join(' '),
      DESCRIPTION: (webhook) => webhook.disabled_reason ?? webhook.description ?? '',
    }),
  },
  createWebhook: {
    description: 'Create a webhook and print its secret. It is shown only once',
    arguments: { url: { name: 'url', help: 'URL that receives the events, or mailto: and an email address' } },
    options: {
      format: ['--format <format>', 'Format of the body'],
      events: [eventOption[0], `${eventOption[1]} (default: all)`],
      include: includeOption,
    },
    print: printSecret,
  },
  updateWebhook: [
    {
      description: 'Update a webhook',
      options: { events: eventOption, include: includeOption },
    },
    { name: 'webhooks enable', description: 'Enable a webhook', ...enabledCommand({ enabled: true }) },
    { name: 'webhooks disable', description: 'Disable a webhook', ...enabledCommand({ enabled: false }) },
  ],
  rotateWebhookSecret: {
    name: 'webhooks rotate',
    description: 'Replace the secret of a webhook and print the new one. It is shown only once',
    options: {
      overlap_hours: ['--overlap <hours>', 'Hours for which the previous secret also signs events (default: 24)'],
    },
    print: printSecret,
  },
  deleteWebhook: { description: 'Delete a webhook and its pending deliveries' },
  testWebhook: {
    description: 'Send a test event to a webhook',
    resultMessage: ({ webhookId }, { data }) =>
      `Queued ${(data as WebhookDelivery).id}. To see the result: npx signalbox webhooks deliveries ${webhookId}`,
  },
  listWebhookDeliveries: {
    name: 'webhooks deliveries',
    description: 'List pending and finished deliveries of a webhook, newest first',
    limit: [100, 'Maximum number of deliveries, 1 to 100'],
    columns: columns<WebhookDelivery>({
      'QUEUED (UTC)': (delivery) => formatSecond(delivery.created_at),
      EVENT: (delivery) => delivery.event,
      STATE: (delivery) => delivery.state,
      ATTEMPTS: (delivery) => String(delivery.attempts),
      'NEXT (UTC)': (delivery) => formatSecond(delivery.next_attempt_at),
      ID: (delivery) => delivery.id,
      'LAST ERROR': (delivery) => delivery.last_error ?? '',
    }),
  },
  retryWebhookDelivery: {
    name: 'webhooks retry',
    description: 'Retry a delivery',
    resultMessage: ({ deliveryId }) => `Queued ${deliveryId} again.`,
  },
} satisfies Overrides

function printSecret({ data, secret }: { data: Webhook; secret: string }, { out, err }: Terminal): void {
  // Only the secret is written to standard output, so that scripts can read it.
  out(secret)
  err(`This is the secret of the webhook ${data.id}. It is not shown again.`)
}

function webhookState({ enabled, failing_since }: Webhook): string {
  if (!enabled) return 'disabled'
  return failing_since === null ? 'enabled' : 'failing'
}

/** A command that only enables or disables a webhook. */
function enabledCommand({ enabled }: { enabled: boolean }) {
  const message = enabled ? 'Enabled' : 'Disabled'
  const noOptions = { url: false, format: false, description: false, events: false, include: false } as const
  return { fixed: { enabled }, options: noOptions, resultMessage: ({ webhookId }: Input) => `${message} ${webhookId}.` }
}
