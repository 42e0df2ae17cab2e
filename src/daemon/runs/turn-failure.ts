import { ConnectionLost, member, ProtocolBroken, RpcError } from '../acp/connection.ts'
import { StoreFailed } from '../store/store.ts'

/** Why a turn failed, for its caller. `severed`: the agent's connection broke. */
export type TurnFailure = { severed: boolean; message: string; retryable: boolean }

/**
 * The failure as the caller sees it. An agent may say itself whether another try makes sense (`data.retryable`), or
 * report the status of the model's provider.
 */
export function turnFailureOf(error: unknown): TurnFailure {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof ConnectionLost) return { severed: true, message, retryable: true }
  if (error instanceof ProtocolBroken || error instanceof StoreFailed)
    return { severed: false, message, retryable: false }
  if (error instanceof RpcError) return { severed: false, message, retryable: isTransient(error) }
  return { severed: false, message, retryable: false }
}

function isTransient(error: RpcError): boolean {
  const said = member(error.data, 'retryable')
  if (typeof said === 'boolean') return said
  const status = member(error.data, 'status') ?? member(error.data, 'statusCode')
  return typeof status === 'number' && (status === 408 || status === 429 || status >= 500)
}
