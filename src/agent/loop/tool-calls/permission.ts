import type { AgentContext, PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import type { Now } from '#platform/core/clock.ts'
import type { ToolCall } from '../../model/model.ts'
import type { ApprovalMode, ToolKind } from '../../tools/tool.ts'
import type { SessionLog } from '../session/session-store.ts'
import { parseInput } from './tool-call.ts'

const options: PermissionOption[] = [
  { optionId: 'allow_once', kind: 'allow_once', name: 'Allow' },
  { optionId: 'allow_always', kind: 'allow_always', name: 'Allow for the rest of the session' },
  { optionId: 'reject_once', kind: 'reject_once', name: 'Reject' },
  { optionId: 'reject_always', kind: 'reject_always', name: 'Reject for the rest of the session' },
]

const onceOptions = options.filter(({ kind }) => kind.endsWith('_once'))

type PermissionDeps = {
  client: AgentContext
  /** Whether the client has its own rules, which also apply to operations that need no permission of a person. */
  clientHasRules: boolean
  log: SessionLog
  mode: ApprovalMode
  signal: AbortSignal
  now: Now
}

type RequestedOperation = { name: string; title: string; kind: ToolKind; paths?: string[] }

/**
 * An operation that needs permission. A permission for the session is stored under `permissionKey`, which can be more specific than
 * the name, such as the name of an MCP tool with the hash of its definition.
 * A lasting rejection is stored under the name, so that no variant of the operation is asked for again.
 */
type Operation = { name: string; permissionKey?: string | undefined }

/**
 * Returns whether the operation is allowed. In `self-drive` it is allowed. In `manual` a person decides through the client, or
 * has decided for the session; a cancelled question means no. The rules of the client apply in both modes.
 */
export async function requestPermission(
  deps: PermissionDeps,
  call: ToolCall,
  { name, permissionKey = name }: Operation,
  title: string,
  kind: ToolKind = 'execute',
): Promise<boolean> {
  const { log } = deps
  const decision = deps.mode === 'self-drive' || findRememberedDecision(log, { name, permissionKey })
  const operation: RequestedOperation = { name, title, kind }
  if (decision !== undefined) return decision && askClientRules(deps, call, operation)
  const optionId = await sendPermissionRequest(deps, call, operation, { isForRulesOnly: false })
  const allowed = optionId === 'allow_once' || optionId === 'allow_always'
  if (optionId.endsWith('_always')) {
    await log.add({ type: 'permission.remembered', operation: allowed ? permissionKey : name, allowed, at: deps.now() })
  }
  return allowed
}

/** Returns whether the client's rules allow an operation that needs no permission of a person. True if the client has no rules. */
export async function askClientRules(
  deps: PermissionDeps,
  call: ToolCall,
  operation: RequestedOperation,
): Promise<boolean> {
  if (!deps.clientHasRules) return true
  return (await sendPermissionRequest(deps, call, operation, { isForRulesOnly: true })) === 'allow_once'
}

/** Returns the id of the option that the client selected. With `isForRulesOnly` its rules decide without a question. */
async function sendPermissionRequest(
  deps: PermissionDeps,
  call: ToolCall,
  operation: RequestedOperation,
  { isForRulesOnly }: { isForRulesOnly: boolean },
): Promise<string> {
  const { client, log, signal } = deps
  const { paths = [], ...description } = operation
  const locations = paths.length > 0 ? { locations: paths.map((path) => ({ path })) } : {}
  const toolCall = {
    toolCallId: call.id,
    ...description,
    ...locations,
    status: 'pending' as const,
    rawInput: parseInput(call),
  }
  const parameters: RequestPermissionRequest = {
    sessionId: log.session.id,
    toolCall,
    options: isForRulesOnly ? onceOptions : options,
    ...(isForRulesOnly && { _meta: { signalbox: { onlyJudged: isForRulesOnly } } }),
  }
  const { outcome } = await client.request('session/request_permission', parameters, {
    cancellationSignal: signal,
    stopWaitingOnCancel: true,
  })
  signal.throwIfAborted()
  return outcome.outcome === 'selected' ? outcome.optionId : 'cancelled'
}

/** Returns a decision for the session. A rejection of `shell` also applies to `shell.escalate`, a command outside the sandbox. */
function findRememberedDecision(
  { session: { rememberedDecisions } }: SessionLog,
  { name, permissionKey }: Required<Operation>,
): boolean | undefined {
  const parentName = name.split('.')[0]!
  const isRejected = [name, parentName].some((one) => rememberedDecisions.get(one) === false)
  return isRejected ? false : rememberedDecisions.get(permissionKey)
}
