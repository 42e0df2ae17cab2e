import type { McpServer } from '../../api/types.ts'

/** Stands for a value that is stored and never shown. Sent back, it stays. */
const hidden = '********'

/** A credential: a variable of a command, or a header of an address. An empty value of a known one stays as it is. */
export type Credential = { name: string; value: string; isStored: boolean }

/** What the form of a server of tools holds: text, as fields do. */
export type ServerFields = {
  name: string
  type: McpServer['type']
  command: string
  args: string
  /** Paths that the command can read in the sandbox, one a line. */
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

/** What is sent of it. Arguments stand one a line. */
export function serverIn({ name, type, command, args, readable, url, credentials, timeout }: ServerFields) {
  const values = Object.fromEntries(
    credentials
      .filter((one) => one.name.trim() !== '')
      .map((one) => [one.name.trim(), one.value === '' && one.isStored ? hidden : one.value]),
  )
  const rest = { name: name.trim(), type, timeout_seconds: Number(timeout) }
  if (type !== 'stdio') return { ...rest, url: url.trim(), headers: values }
  const paths = linesOf(readable)
  const own = { command: command.trim(), args: linesOf(args), ...(paths.length > 0 && { readable: paths }) }
  return { ...rest, ...own, env: values }
}

/** As it was told, to be sent again beside one that changes: what is hidden stays. */
export const asStored = (server: McpServer) => serverIn(fieldsOf(server))
