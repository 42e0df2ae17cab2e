import type { Command } from 'commander'
import type { InternRecord } from '#interns/registry/intern.ts'
import type { McpServer, NewMcpServer } from '#interns/registry/mcp-servers.ts'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, internsHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { wholeNumber } from '../kit/whole-number.ts'

type AddOptions = { url?: string; sse?: boolean; header: string[]; env: string[]; timeout?: number }

/** The servers of tools that an intern uses. Secrets are never options: other users of the machine see those. */
export function internsMcpCommand(interns: Command, { env, out }: Terminal): void {
  const mcp = interns.command('mcp').description('list, add and remove the servers of tools (MCP) that an intern uses')
  const client = () => apiClient(env, 'api')
  const path = (intern: string) => `/interns/${encodeURIComponent(intern)}`
  const serversOf = async (intern: string) => (await client().ask<InternRecord>('GET', path(intern))).mcp_servers
  const change = (intern: string, mcp_servers: object[]) => client().ask('PATCH', path(intern), { mcp_servers })

  mcp
    .command('list')
    .description('list them')
    .argument('<intern>', 'its name or id')
    .option('--json', 'print them as JSON')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, { json }: { json?: boolean }) => {
      const servers = await serversOf(intern)
      out(json ? JSON.stringify(servers, null, 2) : serverTable(servers))
    })

  mcp
    .command('add')
    .description('add one, or replace the one of its name')
    .argument('<intern>', 'its name or id')
    .argument('<server>', 'such as "tracker": lowercase letters, digits, "-" and "_"')
    .argument('[command...]', 'after "--": the program to start, with its arguments')
    .option('--url <url>', 'where it is reached, if it is no command')
    .option('--sse', 'it speaks the older protocol over HTTP')
    .option('--header <name=variable>', 'a header, whose value is in this variable of your environment', collected, [])
    .option('--env <variable>', 'a variable of your environment that the command gets', collected, [])
    .option('--timeout <seconds>', 'how long a call may take', wholeNumber(1))
    .addHelpText('after', internsHelp)
    .action(async (intern: string, name: string, [command, ...args]: string[], options: AddOptions) => {
      const server = {
        name,
        ...(command !== undefined && { command, args, env: valuesOf(options.env, env) }),
        ...(options.url !== undefined && { url: options.url, headers: valuesOf(options.header, env) }),
        ...(options.sse && { type: 'sse' as const }),
        ...(options.timeout !== undefined && { timeout_seconds: options.timeout }),
      } satisfies NewMcpServer
      const others = (await serversOf(intern)).filter((one) => one.name !== name)
      await change(intern, [...others, server])
      out(`"${intern}" uses "${name}" from its next start on.`)
    })

  mcp
    .command('remove')
    .description('remove one')
    .argument('<intern>', 'its name or id')
    .argument('<server>', 'its name')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, name: string) => {
      const servers = await serversOf(intern)
      const others = servers.filter((one) => one.name !== name)
      if (others.length === servers.length) throw new StartupError(`"${intern}" has no server of tools "${name}".`)
      await change(intern, others)
      out(`"${intern}" goes without "${name}" from its next start on.`)
    })
}

const collected = (one: string, all: string[]) => [...all, one]

/** `NAME`, or `name=VARIABLE`: the values are those of the environment. */
function valuesOf(wanted: string[], env: Terminal['env']): Record<string, string> {
  const entries = wanted.map((each) => {
    const [name = '', variable = name] = each.split('=')
    const value = env[variable]
    if (!value) throw new StartupError(`${variable} is not set in the environment; its value is what "${name}" gets.`)
    return [name, value] as const
  })
  return Object.fromEntries(entries)
}

function serverTable(servers: McpServer[]): string {
  const rows = servers.map((server) => [
    server.name,
    server.type,
    server.url ?? [server.command, ...(server.args ?? [])].join(' '),
    Object.keys({ ...server.env, ...server.headers }).join(', ') || '-',
    `${server.timeout_seconds} s`,
  ])
  return table(['NAME', 'TYPE', 'WHERE', 'CREDENTIALS', 'PATIENCE'], rows)
}
