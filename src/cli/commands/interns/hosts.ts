import type { Command } from 'commander'
import type { InternRecord, ListedHost } from '#interns/registry/intern.ts'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, internsHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Relocated = { data: { name: string }[] }
type ListOptions = { json?: true }
type Whole = { host?: string }

const eitherHelp = internsHelp.replace('an API key', 'an API key; with --host a management key')

/** The hosts that interns live on, and interns whose host is gone. */
export function hostsCommands(interns: Command, { env, out }: Terminal): void {
  const client = () => apiClient(env, 'api')
  const ofOne = (intern: string, command: string) => `/interns/${encodeURIComponent(intern)}${command}`
  const ofHost = (host: string, command: string) => `/organization/intern-hosts/${encodeURIComponent(host)}${command}`

  interns
    .command('hosts')
    .description('list the hosts that interns live on, and those that are gone')
    .option('--json', 'print them as JSON')
    .addHelpText('after', internsHelp)
    .action(async ({ json }: ListOptions) => {
      const { data } = await client().ask<{ data: ListedHost[] }>('GET', '/interns/hosts')
      out(json ? JSON.stringify(data, null, 2) : hostTable(data))
    })

  interns
    .command('move')
    .description('let an intern live on another host, into whose data folder its files were put before')
    .argument('[intern]', 'its name or id')
    .requiredOption('--to <host>', 'the name of that host')
    .option('--host <host>', 'all interns of this host, which is gone, and not just one')
    .addHelpText('after', eitherHelp)
    .action(async (intern: string | undefined, { to, host }: Whole & { to: string }) => {
      const one = oneOrAll(intern, host)
      if ('host' in one) {
        const { data } = await apiClient(env).ask<Relocated>('POST', ofHost(one.host, '/move'), { to })
        out(`${counted(data)} of ${host} live on ${to} now${names(data)}`)
        return
      }
      const moved = await client().ask<InternRecord>('POST', ofOne(one.intern, '/move'), { host: to })
      out(`"${intern}" lives on ${moved.hostname} now: ${moved.status}.`)
    })

  interns
    .command('give-up')
    .description('give up the files of an intern whose host is gone: it begins anew where it is started next')
    .argument('[intern]', 'its name or id')
    .option('--host <host>', 'all interns of this host, and not just one')
    .addHelpText('after', eitherHelp)
    .action(async (intern: string | undefined, { host }: Whole) => {
      const one = oneOrAll(intern, host)
      if ('host' in one) {
        const { data } = await apiClient(env).ask<Relocated>('POST', ofHost(one.host, '/give-up'))
        out(`${counted(data)} of ${host} have no host any more, and begin anew when they are started${names(data)}`)
        return
      }
      await client().ask('POST', ofOne(one.intern, '/give-up'))
      out(`"${intern}" has no host any more, and begins anew when it is started (provision).`)
    })
}

function oneOrAll(intern?: string, host?: string): { intern: string } | { host: string } {
  if (intern !== undefined && host === undefined) return { intern }
  if (intern === undefined && host !== undefined) return { host }
  throw new StartupError('Name an intern, or with --host all interns of a host.')
}

const counted = ({ length }: { name: string }[]) => `${length} intern${length === 1 ? '' : 's'}`
const names = (interns: { name: string }[]) =>
  interns.length === 0 ? '.' : `: ${interns.map(({ name }) => name).join(', ')}.`

function hostTable(hosts: ListedHost[]): string {
  const rows = hosts.map((host) => [
    host.name,
    host.state,
    host.since?.slice(0, 19).replace('T', ' ') ?? '-',
    host.labels.join(', ') || '-',
    `${host.capacity_used} of ${host.capacity ?? 'any number'}`,
    String(host.interns),
    host.reason ?? '',
  ])
  return table(['NAME', 'STATE', 'GONE SINCE (UTC)', 'LABELS', 'IN SERVICE', 'INTERNS', 'WHY'], rows)
}
