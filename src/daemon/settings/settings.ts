import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { inheritedVariables } from '#interns/contract/inherited-variables.ts'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { isObject } from '#platform/core/is-object.ts'
import { maxSocketPath } from '#platform/net/socket-path.ts'
import { type AgentSettings, defaultLimits, type Limits } from './limits.ts'

/** The TLS listener of a daemon, for clients with a certificate of the trusted CAs. */
export type TcpListener = {
  /** Defaults to all addresses of the host. */
  host: string | undefined
  port: number
  /** PEM files, reloaded when they change. `authorities` has the CA certificates of the clients. */
  tls: { certificate: string; key: string; authorities: string }
}

export type DaemonSettings = {
  socketPath: string | undefined
  listen: TcpListener | undefined
  token: string
  /** The folder that the agent works in. */
  workspace: string
  /** The folder of the daemon's store. */
  state: string
  agent: AgentSettings
  /** Whether to start the agent before the first prompt. */
  startsAgent: boolean
  limits: Limits
}

/**
 * Reads the settings file: JSON with `socket` or `listen` or both, `token_file`, `workspace`, `state`, `agent` (`command`,
 * `args`, `env`, `modes`, `authenticate`, `_meta`), `start_agent`, `mcp_servers` and `limits`. Paths are relative to the
 * file. The MCP servers are a list or, because of their secrets, `"stdin"`: then they are read as JSON from standard input.
 * @throws UserFacingError that names the file and the setting, never a value.
 */
export function readSettings(file: string, environment: Record<string, string | undefined>): DaemonSettings {
  const root = requireObject(readJson(file), file)
  const path = (key: string) => resolve(dirname(file), requireText(root, key, file))
  const workspace = path('workspace')
  const listen = root.listen === undefined ? undefined : readListen(requireObject(root.listen, `${file}: listen`), file)
  return {
    socketPath: listen && root.socket === undefined ? undefined : requireShort(path('socket'), file),
    listen,
    token: readToken(path('token_file')),
    workspace,
    state: path('state'),
    agent: {
      ...readAgent(requireObject(root.agent, `${file}: agent`), `${file}: agent`, { workspace, environment }),
      mcpServers: readServers(root.mcp_servers ?? [], `${file}: mcp_servers`),
    },
    startsAgent: root.start_agent === true,
    limits: readLimits(requireObject(root.limits ?? {}, `${file}: limits`), `${file}: limits`),
  }
}

function requireShort(socketPath: string, file: string): string {
  const bytes = Buffer.byteLength(socketPath)
  if (bytes <= maxSocketPath) return socketPath
  throw new UserFacingError(`${file}: socket is ${bytes} bytes long, and must be at most ${maxSocketPath}.`)
}

function readListen(listen: JsonObject, file: string): TcpListener {
  const { port } = listen
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UserFacingError(`${file}: listen: port must be a whole number from 0 to 65535.`)
  const tls = requireObject(listen.tls, `${file}: listen: tls`)
  const path = (key: string) => resolve(dirname(file), requireText(tls, key, `${file}: listen: tls`))
  return {
    host: listen.host === undefined ? undefined : requireText(listen, 'host', `${file}: listen`),
    port,
    tls: { certificate: path('certificate'), key: path('key'), authorities: path('authorities') },
  }
}

type SettingsSources = { workspace: string; environment: Record<string, string | undefined> }

function readAgent(agent: JsonObject, source: string, { workspace, environment }: SettingsSources): AgentSettings {
  const inherited = inheritedVariables.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []))
  const args = agent.args ?? []
  if (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string')) {
    throw new UserFacingError(`${source}: args must be a list of strings.`)
  }
  const modes = requireObject(agent.modes ?? {}, `${source}: modes`)
  return {
    command: requireText(agent, 'command', source),
    args,
    env: { HOME: workspace, ...Object.fromEntries(inherited), ...requireStrings(agent.env ?? {}, `${source}: env`) },
    modes: requireStrings(modes, `${source}: modes`),
    ...(agent.authenticate !== undefined && { authenticate: requireText(agent, 'authenticate', source) }),
    ...(agent._meta !== undefined && { _meta: requireObject(agent._meta, `${source}: _meta`) }),
  }
}

function readServers(value: unknown, source: string): McpServer[] {
  const servers = value === 'stdin' ? parseJson(readFileSync(0, 'utf8'), 'standard input') : value
  if (!Array.isArray(servers)) throw new UserFacingError(`${source} must be a list, or "stdin".`)
  return servers.map((each: unknown, index) => {
    const at = `${source}[${index}]`
    const server = requireObject(each, at)
    const type = requireText(server, 'type', at)
    requireText(server, 'name', at)
    if (type === 'stdio') requireText(server, 'command', at)
    else if (type === 'http' || type === 'sse') requireText(server, 'url', at)
    else throw new UserFacingError(`${at}: type must be "stdio", "http" or "sse".`)
    requireStrings(server.env ?? {}, `${at}: env`)
    requireStrings(server.headers ?? {}, `${at}: headers`)
    // The same as `defaultTimeoutSeconds` in `mcp-server-schema.ts`. Importing that module would load Zod.
    return { timeout_seconds: 60, ...server } as McpServer
  })
}

/** Unknown limits are an error. */
function readLimits(limits: JsonObject, source: string): Limits {
  for (const [key, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, key)) throw new UserFacingError(`${source}: unknown limit ${key}.`)
    if (typeof value !== 'number' || !(value >= 0))
      throw new UserFacingError(`${source}: ${key} must be a number from 0.`)
  }
  return { ...defaultLimits, ...limits }
}

/** A shorter token could be guessed. */
const minTokenLength = 16

function readToken(file: string): string {
  const token = readTextFile(file).trim()
  if (token.length < minTokenLength)
    throw new UserFacingError(`${file}: the token must have at least ${minTokenLength} characters.`)
  return token
}

type JsonObject = Record<string, unknown>

function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserFacingError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

function readJson(file: string): unknown {
  return parseJson(readTextFile(file), file)
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UserFacingError(`${source} is not JSON.`)
  }
}

function requireObject(value: unknown, source: string): JsonObject {
  if (isObject(value)) return value as JsonObject
  throw new UserFacingError(`${source} must be an object.`)
}

function requireText(from: JsonObject, key: string, source: string): string {
  const value = from[key]
  if (typeof value === 'string' && value) return value
  throw new UserFacingError(`${source}: ${key} must be a string that is not empty.`)
}

function requireStrings(value: unknown, source: string): Record<string, string> {
  const found = requireObject(value, source)
  if (Object.values(found).every((one) => typeof one === 'string')) return found as Record<string, string>
  throw new UserFacingError(`${source} must have strings as values.`)
}
