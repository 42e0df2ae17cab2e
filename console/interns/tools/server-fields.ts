import type { McpServer } from '../../api/types.ts'

/** The placeholder of a stored value. Sending it keeps the value. */
const hiddenValue = '********'

/** A credential: an environment variable or a header. An empty value keeps the stored one. */
export type Credential = { name: string; value: string; isStored: boolean }

/** The form state of an MCP server. */
export type ServerFields = {
  name: string
  type: McpServer['type']
  command: string
  args: string
  /** Paths that the command can read in the sandbox, one per line. */
  readable: string
  url: string
  credentials: Credential[]
  timeout: string
}

export const newServer: ServerFields = {
  name: '',
  type: 'http',
  command: '',
  args: '',
  readable: '',
  url: '',
  credentials: [],
  timeout: '60',
}

export const fieldsOf = ({
  name,
  type,
  command,
  args,
  readable,
  env,
  url,
  headers,
  timeout_seconds,
}: McpServer): ServerFields => ({
  name,
  type,
  command: command ?? '',
  args: args?.join('\n') ?? '',
  readable: readable?.join('\n') ?? '',
  url: url ?? '',
  credentials: Object.keys(env ?? headers ?? {}).map((name) => ({ name, value: '', isStored: true })),
  timeout: String(timeout_seconds),
})

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

/** Converts the form to the API's format. */
export function toApiServer({ name, type, command, args, readable, url, credentials, timeout }: ServerFields) {
  const values = Object.fromEntries(
    credentials
      .filter((one) => one.name.trim() !== '')
      .map((one) => [one.name.trim(), one.value === '' && one.isStored ? hiddenValue : one.value]),
  )
  const commonFields = { name: name.trim(), type, timeout_seconds: Number(timeout) }
  if (type !== 'stdio') return { ...commonFields, url: url.trim(), headers: values }
  const paths = linesOf(readable)
  const stdioFields = { command: command.trim(), args: linesOf(args), ...(paths.length > 0 && { readable: paths }) }
  return { ...commonFields, ...stdioFields, env: values }
}

/** An unchanged server in the API's format; hidden values stay. */
export const asStored = (server: McpServer) => toApiServer(fieldsOf(server))
