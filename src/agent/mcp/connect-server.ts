import type { Client, jsonSchemaValidator, Transport } from '@modelcontextprotocol/client'
import { once } from '#platform/async/once.ts'
import { version } from '#platform/core/version.ts'
import type { Shell } from '../sandbox/shell.ts'
import { type AskUser, clientCapabilities, handleServerRequests } from './calls/server-requests.ts'
import { createEnvironmentLine, createStartScript } from './command-script.ts'
import { CommandTransport } from './command-transport.ts'
import { toErrorText } from './error-text.ts'
import { recordRefusals } from './refusal-recorder.ts'
import { repairHttpResponse } from './repair-responses.ts'
import { repairResults } from './repair-results.ts'
import type { McpServerSpec } from './server-spec.ts'

/** Where the command of a server runs: in the sandbox or outside of it, like shell commands. */
export type RunLocation = { shell: Shell; workspace: string; sandbox: boolean }

/** `fetch` is used for servers with a URL. */
type ServerAccess = RunLocation & { fetch: typeof globalThis.fetch }

/** `onToolsChanged` is called when the server's list of tools has changed, `askUser` when the server asks the user. */
type ServerListener = { onToolsChanged: () => void; askUser: AskUser | undefined }

export type ServerConnection = {
  client: Client
  sandbox: boolean
  /** Returns why the connection was closed; undefined while it is open. */
  exitReason: () => string | undefined
  close: () => Promise<void>
}

/** The time limit of connecting, which includes the start of a command. */
const startTimeoutMs = 30_000
/** The time limit of the request for the protocol version, which older servers do not answer. */
const probeTimeoutMs = 10_000

type VersionMode = 'auto' | 'legacy'

/** The library is loaded with the first server, to save the memory of agents without servers. */
const library = once(() => import('@modelcontextprotocol/client'))

/**
 * Connects to a server. If it does not answer the request for its protocol version properly, it gets the older handshake:
 * some commands exit at an unknown first message, or start slower than the timeout; some URLs answer it with the status 500.
 * @throws Error with the reason of a failure.
 */
export async function connectServer(
  spec: McpServerSpec,
  access: ServerAccess,
  listener: ServerListener,
  signal: AbortSignal,
): Promise<ServerConnection> {
  try {
    return await connectAs('auto', spec, access, listener, signal)
  } catch (error) {
    if (signal.aborted || (spec.type !== 'stdio' && (error as Error).cause !== failedProbe)) throw error
    return await connectAs('legacy', spec, access, listener, signal)
  }
}

/** The cause of a failure: the server did not answer the request for its protocol version properly. */
const failedProbe = Symbol('failed probe')

const probeFailure = /^Version negotiation (probe )?(failed: )?/

async function connectAs(
  versionMode: VersionMode,
  spec: McpServerSpec,
  access: ServerAccess,
  listener: ServerListener,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const { transport, endReason } = await createTransport(spec, access)
  const mcp = await library()
  const requestDeps = { spec, workspace: access.workspace, askUser: listener.askUser }
  const client = new mcp.Client(
    { name: 'signalbox', version },
    {
      versionNegotiation:
        versionMode === 'auto' ? { mode: versionMode, probe: { timeoutMs: probeTimeoutMs } } : { mode: versionMode },
      capabilities: clientCapabilities(requestDeps),
      // The next turn lists the tools again, so the library need not do it.
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: listener.onToolsChanged } },
      // Results are not validated against the server's output schemas, because only the model reads them.
      jsonSchemaValidator: acceptEverything,
    },
  )
  handleServerRequests(mcp, client, requestDeps)
  let closedReason: string | undefined
  client.onclose = () => {
    closedReason ??= endReason() ?? 'the connection was closed'
  }
  const close = () => client.close().catch(() => {})
  const timeoutSignal = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs)])
  try {
    await untilAborted(client.connect(transport, { timeout: startTimeoutMs, signal: timeoutSignal }), timeoutSignal)
    return { client, sandbox: access.sandbox, exitReason: () => closedReason ?? endReason(), close }
  } catch (error) {
    const { message } = error as Error
    const knownReason = endReason()
    await transport.close().catch(() => {})
    signal.throwIfAborted()
    if (timeoutSignal.aborted) throw new Error(`it did not respond within ${startTimeoutMs / 1000} s`)
    if (knownReason === undefined && probeFailure.test(message))
      throw new Error(message.replace(probeFailure, ''), { cause: failedProbe })
    throw new Error(knownReason ?? withStatus(spec, error as Error))
  }
}

/** The message of a failure, with the HTTP status if there is one. The library's message has only the text of the response. */
function withStatus(spec: McpServerSpec, { message, status }: Error & { status?: unknown }): string {
  const prefix = 'Error POSTing to endpoint: '
  if (typeof status !== 'number' || !message.startsWith(prefix)) return message
  const text = toErrorText(spec, message.slice(prefix.length))
  return `it returned the HTTP status ${status}${text && `: ${text}`}`
}

async function createTransport(spec: McpServerSpec, { shell, workspace, sandbox, fetch }: ServerAccess) {
  const mcp = await library()
  if (spec.type === 'stdio') {
    const script = createStartScript(spec.command, spec.args)
    const start = (onOutput: (bytes: Buffer) => void, signal: AbortSignal) =>
      shell.start(script, { workspace, sandbox, signal, onOutput, hasInput: true, readable: spec.readable })
    const transport = new CommandTransport(mcp, start, createEnvironmentLine(spec.env))
    return { transport: repairResults(mcp, transport), endReason: () => transport.endReason }
  }
  const url = new URL(spec.url)
  const authorization = recordRefusals(spec.headers, fetch)
  const repairingFetch = async (url: string | URL, init?: RequestInit) =>
    repairHttpResponse(await authorization.fetch(url, init))
  const options = { fetch: repairingFetch, requestInit: { headers: Object.fromEntries(spec.headers) } }
  const transport =
    spec.type === 'sse' ? new mcp.SSEClientTransport(url, options) : new mcp.StreamableHTTPClientTransport(url, options)
  return { transport: repairResults(mcp, transport as Transport), endReason: authorization.refusalReason }
}

const acceptEverything: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (value) => ({ valid: true, data: value as T & {}, errorMessage: undefined }),
}

/** Rejects when the signal aborts. The library's `connect` ignores its signal while the transport starts. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
