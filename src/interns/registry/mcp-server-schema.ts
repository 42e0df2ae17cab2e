import { normalize } from 'node:path'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'

const mcpServerTypes = ['stdio', 'http', 'sse'] as const
export type McpServerType = (typeof mcpServerTypes)[number]

export const defaultTimeoutSeconds = 60

/** Headers of the transport itself. */
const transportHeaders = [
  'accept',
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'upgrade',
]

const Name = z
  .string()
  .min(1)
  .max(32)
  .regex(/^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/, 'must be lowercase letters and digits, in words joined by "-" or "_"')
  .describe('Prefix for the names of its tools: `name__tool`.')
const Value = z.string().trim().min(1).max(8192)
const VariableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be up to 128 letters, digits and "_", and not start with a digit')
const Environment = z.record(VariableName, Value).describe('Values are encrypted at rest and never returned.')
const HeaderValue = Value.regex(/^[\x20-\x7e]+$/, 'must be visible ASCII')
const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'must be the name of a header, up to 128 characters')
  .refine((name) => !isTransportHeader(name), 'is a header that the protocol sets itself')
const Url = text({ min: 1, max: 2048 })
  .refine(isServerUrl, { error: 'must be an http:// or https:// URL without user, password and fragment' })
  .describe('The query can contain a secret. It is encrypted at rest and never returned.')

const ReadablePath = text({ min: 2, max: 4096 }).refine((path) => path.startsWith('/') && normalize(path) === path, {
  error: 'must be an absolute path, without "//", "." and ".."',
})

const isNotEmpty = (value: object | undefined) => value !== undefined && Object.keys(value).length > 0

/** An MCP server with tools for an intern. */
export const NewMcpServer = strictFields({
  name: Name,
  type: z
    .enum(mcpServerTypes)
    .optional()
    .describe('`stdio` for a command; `http` (streamable HTTP, the default) or `sse` for a URL.'),
  command: text({ min: 1, max: 4096 }).optional().describe('The program to start.'),
  args: z
    .array(text({ max: 4096 }))
    .max(100)
    .optional()
    .describe('Arguments are returned by the API and visible to other users of the host. Put secrets into `env`.'),
  env: Environment.optional(),
  readable: z
    .array(ReadablePath)
    .max(10)
    .optional()
    .describe(
      'Folders or files of the host that the program can read in the sandbox of the builtin agent, in addition to `/usr` and the workspace.',
    ),
  url: Url.optional(),
  headers: z.record(HeaderName, HeaderValue).optional().describe('Values are encrypted at rest and never returned.'),
  timeout_seconds: z
    .int()
    .min(1)
    .max(900)
    .optional()
    .describe(`Timeout of a call by the builtin agent, in seconds. Defaults to ${defaultTimeoutSeconds}.`),
})
  .refine((server) => (server.command === undefined) !== (server.url === undefined), {
    error: 'must have either "command" or "url"',
  })
  .refine(({ type, command }) => type === undefined || (type === 'stdio') === (command !== undefined), {
    error: 'is "stdio" with a command, "http" or "sse" with a URL',
    path: ['type'],
  })
  .refine(({ url, args, env }) => url === undefined || (args === undefined && !isNotEmpty(env)), {
    error: 'is only for a command; for a URL, use "headers" for credentials',
    path: ['env'],
  })
  .refine(({ url, readable }) => url === undefined || readable === undefined, {
    error: 'is only for a command',
    path: ['readable'],
  })
  .refine(({ command, headers }) => command === undefined || !isNotEmpty(headers), {
    error: 'are only for a URL; for a command, use "env" for credentials',
    path: ['headers'],
  })
  .meta({ id: 'NewMcpServer', oneOf: [{ required: ['command'] }, { required: ['url'] }] })
export type NewMcpServer = z.infer<typeof NewMcpServer>

export const NewMcpServers = z
  .array(NewMcpServer)
  .max(20)
  .refine((servers) => new Set(servers.map(({ name }) => name)).size === servers.length, {
    error: 'must have different names',
  })
  .describe(
    'MCP servers whose tools the intern can use. Replaced completely. A value sent as `********` stays unchanged if the rest of its server is unchanged.',
  )

/** A server as the API returns it. */
export const McpServer = z
  .object({
    name: z.string(),
    type: z.enum(mcpServerTypes),
    command: z.string().optional(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    readable: z.array(z.string()).optional(),
    url: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    timeout_seconds: z.int(),
  })
  .meta({ id: 'McpServer', description: 'An MCP server. Values of `env` and `headers` are never returned.' })
/** A server, with or without its secrets. */
export type McpServer = z.infer<typeof McpServer>

function isTransportHeader(name: string): boolean {
  return transportHeaders.includes(name.toLowerCase()) || name.toLowerCase().startsWith('mcp-')
}

function isServerUrl(value: string): boolean {
  const url = /^https?:\/\/[^\s\\]+$/i.test(value) && URL.parse(value)
  if (!url) return false
  return url.username === '' && url.password === '' && !value.includes('#')
}
