import type { Command } from 'commander'
import type { InternResponse } from '#interns/registry/intern.ts'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { apiKeyHelp, createApiClient } from '../../kit/api-client.ts'
import { internPath } from '../../kit/intern-path.ts'
import { collect, wholeNumber } from '../../kit/option-parsers.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

type AddOptions = {
  url?: string
  sse?: boolean
  header?: string[]
  env?: string[]
  readable?: string[]
  timeout?: number
}

/**
 * Manages the MCP servers of an intern. Secrets are read from the environment, because other users of the machine see
 * the options of a command.
 */
export function internsMcpCommand(interns: Command, { env, out }: Terminal): void {
  const mcp = interns.command('mcp').description('Manage the MCP servers of an intern')
  const client = () => createApiClient(env, 'api')
  const readServers = async (intern: string) =>
    (await client().request<InternResponse>('GET', internPath(intern))).mcp_servers
  const writeServers = (intern: string, mcp_servers: object[]) =>
    client().request('PATCH', internPath(intern), { mcp_servers })

  mcp
    .command('list')
    .description('List the MCP servers of an intern')
    .argument('<intern>', 'Name or ID of the intern')
    .option('--json', 'Print JSON')
    .addHelpText('after', apiKeyHelp)
    .action(async (intern: string, { json }: { json?: boolean }) => {
      const servers = await readServers(intern)
      out(json ? JSON.stringify(servers, null, 2) : serverTable(servers))
    })

  mcp
    .command('add')
    .description('Add an MCP server, or replace the one with the same name')
    .argument('<intern>', 'Name or ID of the intern')
    .argument('<server>', 'Name such as "tracker": lowercase letters, digits, "-" and "_"')
    .argument('[command...]', 'Program to start and its arguments, after "--"')
    .option('--url <url>', 'URL of a remote server, instead of a command')
    .option('--sse', 'Use the older HTTP+SSE transport')
    .option(
      '--header <name=variable>',
      'Send a header; its value is read from this environment variable. Can be repeated',
      collect,
    )
    .option('--env <variable>', 'Pass this environment variable to the command. Can be repeated', collect)
    .option('--readable <path>', 'Let the command read this file or folder in the sandbox. Can be repeated', collect)
    .option('--timeout <seconds>', 'Time limit of a tool call, in seconds', wholeNumber(1))
    .addHelpText('after', apiKeyHelp)
    .action(async (intern: string, name: string, [command, ...args]: string[], options: AddOptions) => {
      // Undefined fields are not sent. The API refuses options that do not belong together.
      const server = {
        name,
        url: options.url,
        command,
        args: command && args,
        env: options.env && readVariables(options.env, env),
        headers: options.header && readVariables(options.header, env),
        readable: options.readable,
        type: options.sse ? 'sse' : undefined,
        timeout_seconds: options.timeout,
      }
      const servers = await readServers(intern)
      const others = servers.filter((existing) => existing.name !== name)
      await writeServers(intern, [...others, server])
      const change = others.length < servers.length ? 'Replaced' : 'Added'
      out(`${change} "${name}". "${intern}" uses it after its next start.`)
    })

  mcp
    .command('remove')
    .description('Remove an MCP server')
    .argument('<intern>', 'Name or ID of the intern')
    .argument('<server>', 'Name of the MCP server')
    .addHelpText('after', apiKeyHelp)
    .action(async (intern: string, name: string) => {
      const servers = await readServers(intern)
      const others = servers.filter((existing) => existing.name !== name)
      if (others.length === servers.length) throw new UserFacingError(`"${intern}" has no MCP server "${name}".`)
      await writeServers(intern, others)
      out(`Removed "${name}". "${intern}" stops using it at its next start.`)
    })
}

/** Reads the values of `VARIABLE` or `name=VARIABLE` options from the environment. */
function readVariables(options: string[], env: Terminal['env']): Record<string, string> {
  const entries = options.map((option) => {
    const [name = '', variable = name] = option.split('=')
    const value = env[variable]
    if (!value)
      throw new UserFacingError(`Set the environment variable ${variable}: "${name}" takes its value from it.`)
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
  return table(['NAME', 'TYPE', 'COMMAND OR URL', 'CREDENTIALS', 'TIMEOUT'], rows)
}
