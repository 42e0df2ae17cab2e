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
  url: string
  credentials: Credential[]
  timeout: string
}

export const newServer: ServerFields = {
  name: '',
  type: 'http',
  command: '',
  args: '',
  url: '',
  credentials: [],
  timeout: '60',
}

export const fieldsOf = ({
  name,
  type,
  command,
  args,
  env,
  url,
  headers,
  timeout_seconds,
}: McpServer): ServerFields => ({
  name,
  type,
  command: command ?? '',
  args: args?.join('\n') ?? '',
  url: url ?? '',
  credentials: Object.keys(env ?? headers ?? {}).map((name) => ({ name, value: '', isStored: true })),
  timeout: String(timeout_seconds),
})

/** What is sent of it. Arguments stand one a line. */
export function serverIn({ name, type, command, args, url, credentials, timeout }: ServerFields) {
  const values = Object.fromEntries(
    credentials
      .filter((one) => one.name.trim() !== '')
      .map((one) => [one.name.trim(), one.value === '' && one.isStored ? hidden : one.value]),
  )
  const rest = { name: name.trim(), type, timeout_seconds: Number(timeout) }
  if (type !== 'stdio') return { ...rest, url: url.trim(), headers: values }
  return { ...rest, command: command.trim(), args: args.split('\n').filter((line) => line !== ''), env: values }
}

/** As it was told, to be sent again beside one that changes: what is hidden stays. */
export const asStored = (server: McpServer) => serverIn(fieldsOf(server))
