import type { AgentContext, PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import type { Now } from '#platform/core/clock.ts'
import type { ToolCall } from '../model/model.ts'
import type { ApprovalMode, ToolKind } from '../tools/tool.ts'
import type { SessionLog } from './session-store.ts'
import { inputOf } from './tool-call.ts'

const options: PermissionOption[] = [
  { optionId: 'allow_once', kind: 'allow_once', name: 'Allow' },
  { optionId: 'allow_always', kind: 'allow_always', name: 'Allow for the rest of the session' },
  { optionId: 'reject_once', kind: 'reject_once', name: 'Reject' },
  { optionId: 'reject_always', kind: 'reject_always', name: 'Reject for the rest of the session' },
]

const onceOptions = options.filter(({ kind }) => kind.endsWith('_once'))

type ConsentDeps = {
  client: AgentContext
  /** Whether the client has rules of its own, and wants to judge also what needs nobody's consent. */
  clientJudges: boolean
  log: SessionLog
  mode: ApprovalMode
  signal: AbortSignal
  now: Now
}

type Wanted = { name: string; title: string; kind: ToolKind; paths?: string[] }

/** What is asked for: `as` says what exactly a lasting leave is about, where the operation's name alone does not. */
export type Operation = { name: string; as?: string | undefined }

/**
 * May the operation be done? In `self-drive` yes; in `manual` the person says so through the client, or has said so for
 * the session. No choice is no consent. What needs no consent is still judged by a client that judges.
 */
export async function consentTo(
  deps: ConsentDeps,
  call: ToolCall,
  { name, as = name }: Operation,
  title: string,
  kind: ToolKind = 'execute',
): Promise<boolean> {
  const { log } = deps
  const settled = deps.mode === 'self-drive' || rememberedOf(log, { name, as })
  const wanted: Wanted = { name, title, kind }
  if (settled !== undefined) return settled && judged(deps, call, wanted)
  const chosen = await request(deps, call, wanted, false)
  const allowed = chosen === 'allow_once' || chosen === 'allow_always'
  if (chosen.endsWith('_always')) {
    await log.add({ type: 'permission.remembered', operation: allowed ? as : name, allowed, at: deps.now() })
  }
  return allowed
}

/** Whether the client's rules let this be done, which needs no consent. True where the client has no say in it. */
export async function judged(deps: ConsentDeps, call: ToolCall, wanted: Wanted): Promise<boolean> {
  if (!deps.clientJudges) return true
  return (await request(deps, call, wanted, true)) === 'allow_once'
}

/** What the client chose. `onlyJudged`: nobody is asked on our account. */
async function request(deps: ConsentDeps, call: ToolCall, wanted: Wanted, onlyJudged: boolean): Promise<string> {
  const { client, log, signal } = deps
  const { paths = [], ...about } = wanted
  const locations = paths.length > 0 ? { locations: paths.map((path) => ({ path })) } : {}
  const toolCall = { toolCallId: call.id, ...about, ...locations, status: 'pending' as const, rawInput: inputOf(call) }
  const asked: RequestPermissionRequest = {
    ...{ sessionId: log.session.id, toolCall, options: onlyJudged ? onceOptions : options },
    ...(onlyJudged && { _meta: { signalbox: { onlyJudged } } }),
  }
  const how = { cancellationSignal: signal, stopWaitingOnCancel: true }
  const { outcome } = await client.request('session/request_permission', asked, how)
  signal.throwIfAborted()
  return outcome.outcome === 'selected' ? outcome.optionId : 'cancelled'
}

/** After a permanent rejection of the shell, leaving its sandbox is not asked for either. */
function rememberedOf({ session: { remembered } }: SessionLog, { name, as }: Required<Operation>): boolean | undefined {
  const isRejected = [name, name.split('.')[0]!].some((one) => remembered.get(one) === false)
  return isRejected ? false : remembered.get(as)
}
