import { Refusal } from '#interns/contract/refusal.ts'
import { RpcError, readProperty } from '../../acp/rpc-message.ts'

/** The failure of a turn, for its caller. `isSevered`: the agent's connection broke. */
export type TurnFailure = { isSevered: boolean; message: string; retryable: boolean }

/**
 * Converts an error to the failure that the caller sees. An agent can declare an error as retryable (`data.retryable`), or
 * report the status of the model's provider.
 */
export function toTurnFailure(error: unknown): TurnFailure {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Refusal && error.kind === 'stream_severed') return { isSevered: true, message, retryable: true }
  if (error instanceof RpcError) return { isSevered: false, message, retryable: isTransient(error) }
  return { isSevered: false, message, retryable: false }
}

function isTransient(error: RpcError): boolean {
  const retryable = readProperty(error.data, 'retryable')
  if (typeof retryable === 'boolean') return retryable
  const status = readProperty(error.data, 'status') ?? readProperty(error.data, 'statusCode')
  return typeof status === 'number' && (status === 408 || status === 429 || status >= 500)
}
