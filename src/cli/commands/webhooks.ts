import { type Command, Option } from 'commander'
import type { WebhookDelivery } from '#webhooks/delivery.ts'
import { type Webhook, webhookEvents, webhookIncludes } from '#webhooks/webhook.ts'
import { apiClient, clientHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { wholeNumber } from '../kit/whole-number.ts'

type CreateOptions = { event?: string[]; include?: string[]; description?: string; workspace?: string }
type WithSecret = { data: Webhook; secret: string }

/** Addresses that are told what interns do, and when limits are spent. */
export function webhooksCommand(program: Command, { env, out, err }: Terminal): void {
  const webhooks = program
    .command('webhooks')
    .description('tell an address of yours what interns do, and when limits are spent')
  const client = () => apiClient(env)
  const path = (id: string, below = '') => `/webhooks/${encodeURIComponent(id)}${below}`
  const command = (name: string, about: string) =>
    webhooks.command(name).description(about).addHelpText('after', clientHelp)
  const shown = ({ data, secret }: WithSecret) => {
    // Only the secret goes to standard output, so that a script can keep it.
    out(secret)
    err(`This is the secret of the webhook ${data.id}. It is not shown again.`)
  }

  command('list', 'list the webhooks of a workspace')
    .option('--workspace <slug>', 'which one (default: that of your key)')
    .option('--json', 'print them as JSON')
    .action(async ({ workspace, json }: { workspace?: string; json?: true }) => {
      const query = workspace ? `?workspace_id=${encodeURIComponent(workspace)}` : ''
      const all = await client().listAll<Webhook>(`/webhooks${query}`)
      out(json ? JSON.stringify(all, null, 2) : webhookTable(all))
    })

  command('create', 'make a webhook, and print its secret: it is shown this once')
    .argument('<url>', 'where to send to')
    .addOption(new Option('--event <type...>', 'what it is told of (default: everything)').choices([...webhookEvents]))
    .addOption(
      new Option('--include <what...>', 'what of a question is told besides ids').choices([...webhookIncludes]),
    )
    .option('--description <text>', 'what it is for')
    .option('--workspace <slug>', 'whose interns and limits (default: that of your key)')
    .action(async (url: string, { event, workspace, ...rest }: CreateOptions) => {
      const wanted = { url, ...rest, ...(event && { events: event }), ...(workspace && { workspace_id: workspace }) }
      shown(await client().ask<WithSecret>('POST', '/webhooks', wanted))
    })

  command('rotate', 'give a webhook a new secret, and print it: it is shown this once')
    .argument('<id>')
    .option('--overlap <hours>', 'how long the one before signs as well', wholeNumber(0), 24)
    .action(async (id: string, { overlap }: { overlap: number }) =>
      shown(await client().ask<WithSecret>('POST', path(id, '/rotate-secret'), { overlap_hours: overlap })),
    )

  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    command(name, enabled ? 'send to a webhook again' : 'send nothing to a webhook any more')
      .argument('<id>')
      .action(async (id: string) => {
        await client().ask('PATCH', path(id), { enabled })
        out(`It is ${name}d.`)
      })

  command('delete', 'delete a webhook, with all that is still to be sent there')
    .argument('<id>')
    .action(async (id: string) => {
      await client().ask('DELETE', path(id))
      out('It is deleted.')
    })

  command('test', 'send an event that says nothing to a webhook')
    .argument('<id>')
    .action(async (id: string) => {
      const { data } = await client().ask<{ data: WebhookDelivery }>('POST', path(id, '/test'))
      out(`${data.id} is queued; "webhooks deliveries ${id}" tells what becomes of it.`)
    })

  command('deliveries', 'list what a webhook was told, or is still to be, the latest first')
    .argument('<id>')
    .option('--json', 'print them as JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const { data } = await client().ask<{ data: WebhookDelivery[] }>('GET', path(id, '/deliveries?limit=100'))
      out(json ? JSON.stringify(data, null, 2) : deliveryTable(data))
    })

  command('retry', 'send an event to a webhook once more')
    .argument('<id>')
    .argument('<delivery>', 'its id, as "webhooks deliveries" lists it')
    .action(async (id: string, delivery: string) => {
      await client().ask('POST', path(id, `/deliveries/${encodeURIComponent(delivery)}/retry`))
      out('It is sent once more.')
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
  return table(['ID', 'STATE', 'URL', 'EVENTS', 'ABOUT'], rows)
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
  return table(['QUEUED (UTC)', 'EVENT', 'STATE', 'TRIED', 'NEXT (UTC)', 'ID', 'LAST ERROR'], rows)
}
