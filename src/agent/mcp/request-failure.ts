import type { ServerConnection } from './connect-server.ts'
import { toErrorText } from './error-text.ts'
import { type McpServerSpec, redactSecrets } from './server-spec.ts'

/** A server that does not answer a ping within this time hangs. */
const pingMs = 5_000

/** The server refused a request unread. In most cases it has restarted and does not know the session of the connection. */
export class UnknownSession extends Error {}

/** `outcome` is a sentence about the request, for the error of a server that did not answer it properly. */
type FailedRequest = { spec: McpServerSpec; connection: ServerConnection; outcome: string }

/**
 * `error` describes the failure for the model. `mustReconnect`: the next request needs a new connection, because the server has
 * ended, hangs or refused the request.
 */
type RequestFailure = { error: Error; mustReconnect: boolean }

/** Finds out why a request has failed, and the state of its server. */
export async function findRequestFailure(error: unknown, request: FailedRequest): Promise<RequestFailure> {
  const { spec, connection, outcome } = request
  const { name, timeoutMs } = spec
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } = await import('@modelcontextprotocol/client')
  const { CapabilityNotSupported, InputRequiredRoundsExceeded } = SdkErrorCode
  const keepConnection = (failure: Error) => ({ error: failure, mustReconnect: false })
  if (error instanceof ProtocolError) return keepConnection(new Error(withData(spec, error)))
  if ((error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) || 'issues' in Object(error))
    return keepConnection(new Error(`The server ${name} sent a response that breaks the protocol. ${outcome}`.trim()))
  if (error instanceof SdkError && [CapabilityNotSupported, InputRequiredRoundsExceeded].includes(error.code))
    return keepConnection(new Error(`The server ${name} needs an answer that it does not get here: ${error.message}`))
  const isTimeout = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
  if (isTimeout && (await isResponding(connection))) {
    const { maxTotalTimeout = timeoutMs } = (error.data ?? {}) as { maxTotalTimeout?: number }
    const seconds = maxTotalTimeout / 1000
    return keepConnection(new Error(`The server ${name} did not finish within ${seconds} s; the request was given up.`))
  }
  const exitReason = connection.exitReason()
  const refusal =
    error instanceof SdkHttpError ? { status: error.status, text: error.data.text } : readSseRefusal(error)
  if (exitReason === undefined && refusal)
    return { error: refusalError(refusal, request), mustReconnect: hasSession(request) }
  const reason = (exitReason ?? (error as Error).message).replace(/\.$/, '')
  const state = isTimeout ? `did not respond within ${timeoutMs / 1000} s, and hangs` : `has ended: ${reason}`
  const message = `The server ${name} ${state}. ${outcome}The server is started again when it is needed.`
  return { error: new Error(message), mustReconnect: true }
}

/** The message of a server's error, with the details that some servers put into `data`. */
function withData(spec: McpServerSpec, { message, data }: { message: string; data?: unknown }): string {
  const details = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
  if (details === '' || details === 'null' || details === '{}' || message.includes(details)) return message
  return `${message}: ${toErrorText(spec, details)}`
}

/** The HTTP status of a refusal, and the text of its body if it has one. */
type Refusal = { status: number | undefined; text: unknown }

/** The status and text of a refusal by a server of the type `sse`, for which the library has no error class. */
function readSseRefusal(error: unknown): Refusal | undefined {
  const [, status, text = ''] = /^Error POSTing to endpoint \(HTTP (\d+)\): (.*)$/s.exec((error as Error).message) ?? []
  return status === undefined ? undefined : { status: Number(status), text }
}

function refusalError({ status, text }: Refusal, { spec, connection, outcome }: FailedRequest): Error {
  const detail = toErrorText(spec, String(text ?? ''))
  const message = `The server ${spec.name} returned the HTTP status ${status}${detail && `: ${detail}`}`
  const fullMessage = redactSecrets(spec, `${message.replace(/\.$/, '')}. ${outcome}`.trim())
  const isUnknownSession = hasSession({ spec, connection }) && (status === 404 || status === 400)
  return isUnknownSession ? new UnknownSession(fullMessage) : new Error(fullMessage)
}

/** Whether the server has state for the connection, which it can have lost. */
const hasSession = ({ spec, connection }: Pick<FailedRequest, 'spec' | 'connection'>) =>
  spec.type === 'sse' || connection.client.transport?.sessionId !== undefined

const isResponding = ({ client }: ServerConnection) =>
  client.ping({ timeout: pingMs }).then(
    () => true,
    () => false,
  )
