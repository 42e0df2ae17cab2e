import { type Command, Option } from 'commander'
import type { WebhookDelivery } from '#webhooks/delivery.ts'
import { type Webhook, webhookEvents, webhookFormats, webhookIncludes } from '#webhooks/webhook.ts'
import { apiClient, clientHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { wholeNumber } from '../kit/whole-number.ts'

type CreateOptions = { event?: string[]; format?: string; include?: string[]; description?: string; workspace?: string }
type WithSecret = { data: Webhook; secret: string }

/** Manages webhooks for events of interns and limits. */
export function webhooksCommand(program: Command, { env, out, err }: Terminal): void {
  const webhooks = program.command('webhooks').description('Manage webhooks for intern and budget events')
  const client = () => apiClient(env)
  const path = (id: string, below = '') => `/webhooks/${encodeURIComponent(id)}${below}`
  const command = (name: string, about: string) =>
    webhooks.command(name).description(about).addHelpText('after', clientHelp)
  const printSecret = ({ data, secret }: WithSecret) => {
    // Only the secret is written to standard output, so that scripts can read it.
    out(secret)
    err(`This is the secret of the webhook ${data.id}. It is not shown again.`)
  }

  command('list', 'List the webhooks of a workspace')
    .option('--workspace <slug>', 'Workspace (default: the workspace of your key)')
    .option('--json', 'Print JSON')
    .action(async ({ workspace, json }: { workspace?: string; json?: true }) => {
      const query = workspace ? `?workspace_id=${encodeURIComponent(workspace)}` : ''
      const all = await client().listAll<Webhook>(`/webhooks${query}`)
      out(json ? JSON.stringify(all, null, 2) : webhookTable(all))
    })

  command('create', 'Create a webhook and print its secret. It is shown only once')
    .argument('<url>', 'URL that receives the events, or mailto: and an email address')
    .addOption(new Option('--format <format>', 'Form of the body').choices([...webhookFormats]))
    .addOption(new Option('--event <type...>', 'Events to send (default: all)').choices([...webhookEvents]))
    .addOption(
      new Option('--include <field...>', 'Fields of a question to include in addition to IDs').choices([
        ...webhookIncludes,
      ]),
    )
    .option('--description <text>', 'Description')
    .option('--workspace <slug>', 'Workspace (default: the workspace of your key)')
    .action(async (url: string, { event, workspace, ...rest }: CreateOptions) => {
      const body = { url, ...rest, ...(event && { events: event }), ...(workspace && { workspace_id: workspace }) }
      printSecret(await client().request<WithSecret>('POST', '/webhooks', body))
    })

  command('rotate', 'Replace the secret of a webhook and print the new one. It is shown only once')
    .argument('<id>', 'ID of the webhook')
    .option('--overlap <hours>', 'How long the previous secret also signs events, in hours', wholeNumber(0), 24)
    .action(async (id: string, { overlap }: { overlap: number }) =>
      printSecret(await client().request<WithSecret>('POST', path(id, '/rotate-secret'), { overlap_hours: overlap })),
    )

  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    command(name, enabled ? 'Enable a webhook' : 'Disable a webhook')
      .argument('<id>', 'ID of the webhook')
      .action(async (id: string) => {
        await client().request('PATCH', path(id), { enabled })
        out(`${enabled ? 'Enabled' : 'Disabled'} ${id}.`)
      })

  command('delete', 'Delete a webhook and its pending deliveries')
    .argument('<id>', 'ID of the webhook')
    .action(async (id: string) => {
      await client().request('DELETE', path(id))
      out(`Deleted ${id}.`)
    })

  command('test', 'Send a test event to a webhook')
    .argument('<id>', 'ID of the webhook')
    .action(async (id: string) => {
      const { data } = await client().request<{ data: WebhookDelivery }>('POST', path(id, '/test'))
      out(`Queued ${data.id}. To see the result: npx signalbox webhooks deliveries ${id}`)
    })

  command('deliveries', 'List pending and finished deliveries of a webhook, newest first')
    .argument('<id>', 'ID of the webhook')
    .option('--json', 'Print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const { data } = await client().request<{ data: WebhookDelivery[] }>('GET', path(id, '/deliveries?limit=100'))
      out(json ? JSON.stringify(data, null, 2) : deliveryTable(data))
    })

  command('retry', 'Retry a delivery')
    .argument('<id>', 'ID of the webhook')
    .argument('<delivery>', 'ID of the delivery, as listed by "webhooks deliveries"')
    .action(async (id: string, delivery: string) => {
      await client().request('POST', path(id, `/deliveries/${encodeURIComponent(delivery)}/retry`))
      out(`Queued ${delivery} again.`)
    })
}

function webhookTable(webhooks: Webhook[]): string {
  const rows = webhooks.map((one) => [
    one.id,
    one.enabled ? (one.failing_since === null ? 'enabled' : 'failing') : 'disabled',
    one.url,
    one.events.join(' '),
    one.disabled_reason ?? one.description ?? '',
  ])
  return table(['ID', 'STATE', 'URL', 'EVENTS', 'DESCRIPTION'], rows)
}

const minute = (at: string | null) => at?.slice(0, 19).replace('T', ' ') ?? '-'

function deliveryTable(deliveries: WebhookDelivery[]): string {
  const rows = deliveries.map((one) => [
    minute(one.created_at),
    one.event,
    one.state,
    String(one.attempts),
    minute(one.next_attempt_at),
    one.id,
    one.last_error ?? '',
  ])
  return table(['QUEUED (UTC)', 'EVENT', 'STATE', 'ATTEMPTS', 'NEXT (UTC)', 'ID', 'LAST ERROR'], rows)
}
