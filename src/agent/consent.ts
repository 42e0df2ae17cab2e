import type { AgentContext, PermissionOption } from '@agentclientprotocol/sdk'
import type { Now } from '#lib/clock.ts'
import type { ToolCall } from './model/model.ts'
import type { SessionLog } from './session-store.ts'
import { inputOf } from './tool-call.ts'
import type { ApprovalMode, ToolKind } from './tools/tool.ts'

const options: PermissionOption[] = [
  { optionId: 'allow_once', kind: 'allow_once', name: 'Allow' },
  { optionId: 'allow_always', kind: 'allow_always', name: 'Allow for the rest of the session' },
  { optionId: 'reject_once', kind: 'reject_once', name: 'Reject' },
  { optionId: 'reject_always', kind: 'reject_always', name: 'Reject for the rest of the session' },
]

type ConsentDeps = { client: AgentContext; log: SessionLog; mode: ApprovalMode; signal: AbortSignal; now: Now }

/**
 * May the operation be done? In `self-drive` yes; in `manual` the person says so through the client, or has said so for
 * the session. No choice is no consent.
 */
export async function consentTo(
  deps: ConsentDeps,
  call: ToolCall,
  operation: string,
  title: string,
  kind: ToolKind = 'execute',
): Promise<boolean> {
  const { log, signal } = deps
  if (deps.mode === 'self-drive') return true
  const { remembered } = log.session
  // After a permanent rejection of the shell, leaving its sandbox is not asked for either.
  if (remembered.get(operation.split('.')[0]!) === false) return false
  const before = remembered.get(operation)
  if (before !== undefined) return before

  const toolCall = { toolCallId: call.id, name: operation, title, kind, status: 'pending' as const }
  const { outcome } = await deps.client.request(
    'session/request_permission',
    { sessionId: log.session.id, toolCall: { ...toolCall, rawInput: inputOf(call) }, options },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  signal.throwIfAborted()
  const chosen = outcome.outcome === 'selected' ? outcome.optionId : 'cancelled'
  const allowed = chosen === 'allow_once' || chosen === 'allow_always'
  if (chosen.endsWith('_always')) {
    await log.add({ type: 'permission.remembered', operation, allowed, at: deps.now() })
  }
  return allowed
}
