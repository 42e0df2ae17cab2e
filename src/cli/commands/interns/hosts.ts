import type { Command } from 'commander'
import type { InternResponse } from '#interns/registry/intern.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { apiKeyHelp, createApiClient } from '../../kit/api-client.ts'
import { countWithNoun } from '../../kit/format.ts'
import { internPath } from '../../kit/intern-path.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Relocated = { data: { name: string }[] }
type HostOption = { host?: string }

const bothKeysHelp = `${apiKeyHelp}
  With --host, SIGNALBOX_KEY must be a management key.`

/** Commands for interns whose host is lost. */
export function hostsCommands(interns: Command, { env, out }: Terminal): void {
  const client = () => createApiClient(env, 'api')
  const hostPath = (host: string, command: string) => `/organization/intern-hosts/${encodeURIComponent(host)}${command}`

  interns
    .command('move')
    .description('Assign an intern to another host. First copy its files to the data folder of that host')
    .argument('[intern]', 'Name or ID of the intern')
    .requiredOption('--to <host>', 'Name of the new host')
    .option('--host <host>', 'Move all interns of this lost host')
    .addHelpText('after', bothKeysHelp)
    .action(async (intern: string | undefined, { to, host }: HostOption & { to: string }) => {
      const target = requireOneTarget(intern, host)
      if ('host' in target) {
        const { data } = await createApiClient(env).request<Relocated>('POST', hostPath(target.host, '/move'), { to })
        out(`Moved ${countWithNoun(data.length, 'intern')} from ${host} to ${to}${namesText(data)}`)
        return
      }
      const moved = await client().request<InternResponse>('POST', internPath(target.intern, '/move'), { host: to })
      out(`Moved "${intern}" to ${moved.hostname}: ${moved.status}.`)
    })

  interns
    .command('give-up')
    .description(
      'Abandon the files of an intern whose host is lost. At its next start it gets a new host and an empty workspace',
    )
    .argument('[intern]', 'Name or ID of the intern')
    .option('--host <host>', 'Abandon the files of all interns of this lost host')
    .addHelpText('after', bothKeysHelp)
    .action(async (intern: string | undefined, { host }: HostOption) => {
      const target = requireOneTarget(intern, host)
      if ('host' in target) {
        const { data } = await createApiClient(env).request<Relocated>('POST', hostPath(target.host, '/give-up'))
        out(
          `${countWithNoun(data.length, 'intern')} of ${host} will start with empty workspaces on another host${namesText(data)}`,
        )
        return
      }
      await client().request('POST', internPath(target.intern, '/give-up'))
      out(
        `"${intern}" will start with an empty workspace on another host. To start it: npx signalbox interns provision ${intern}`,
      )
    })
}

/** @throws UserFacingError unless exactly one of both is given */
function requireOneTarget(intern?: string, host?: string): { intern: string } | { host: string } {
  if (intern !== undefined && host === undefined) return { intern }
  if (intern === undefined && host !== undefined) return { host }
  throw new UserFacingError('Specify an intern, or all interns of a host with --host.')
}

const namesText = (interns: { name: string }[]) =>
  interns.length === 0 ? '.' : `: ${interns.map(({ name }) => name).join(', ')}.`
