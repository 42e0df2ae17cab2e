import type { Client, ElicitRequestURLParams } from '@modelcontextprotocol/client'
import type { Now } from '#platform/core/clock.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { ListedTool } from '../list-tools.ts'
import type { McpServerSpec } from '../server-spec.ts'
import { CallTimer } from './call-timer.ts'
import type { PendingCalls } from './pending-calls.ts'
import { toQuestion } from './server-requests.ts'

/** Each progress report restarts the timeout of a call. After this many timeouts, the call ends despite its progress. */
const maxTimeouts = 20
/** The longest timer of Node. */
const longestTimeoutMs = 2 ** 31 - 1
/** How often a server can refuse one call until the user has opened pages. */
const maxPageRounds = 3

type CallDeps = { spec: McpServerSpec; pending: PendingCalls; now: Now; canAsk: boolean }
type Call = { client: Client; tool: ListedTool['definition']; input: Record<string, unknown>; context: ToolContext }

/**
 * Calls a tool of a server. If the server refuses the call until the user has opened pages, asks the user to open them, and calls it
 * again. @throws the errors of the library
 */
export async function callTool(deps: CallDeps, call: Call) {
  for (let round = 1; ; round++) {
    try {
      return await sendCall(deps, call)
    } catch (error) {
      const pages = deps.canAsk && round <= maxPageRounds ? requiredPages(error) : []
      if (pages.length === 0) throw error
      await openPages(deps, call, pages)
    }
  }
}

/** Ends the call at its time limit. The library's own timer would include the time in which the user answers questions. */
async function sendCall({ spec, pending, now }: CallDeps, { client, tool, input, context }: Call) {
  const { SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
  const controller = new AbortController()
  const limits = { timeoutMs: spec.timeoutMs, maxTotalMs: spec.timeoutMs * maxTimeouts }
  const timer = new CallTimer(limits, now, (isTotal) => {
    const data = isTotal ? { maxTotalTimeout: limits.maxTotalMs } : {}
    controller.abort(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', data))
  })
  const options = {
    signal: AbortSignal.any([context.signal, controller.signal]),
    timeout: longestTimeoutMs,
    toolDefinition: tool,
    // The client requests progress only if there is a listener.
    onprogress: ({ message }: { message?: string }) => {
      timer.restart()
      context.notifyProgress(message)
    },
  }
  return pending.track({ context, timer }, () => client.callTool({ name: tool.name, arguments: input }, options))
}

/** The pages that a server requires before a call, from its error. */
function requiredPages(error: unknown): ElicitRequestURLParams[] {
  const { code, data } = Object(error) as { code?: unknown; data?: { elicitations?: unknown } }
  const pages = code === urlElicitationRequired ? data?.elicitations : undefined
  return Array.isArray(pages) ? pages.filter((page) => typeof Object(page).url === 'string') : []
}

/** The code of the protocol for a call that needs pages first. */
const urlElicitationRequired = -32042

/** @throws ProtocolError if the user does not open one of the pages. */
async function openPages(
  { spec, pending }: CallDeps,
  { context }: Call,
  pages: ElicitRequestURLParams[],
): Promise<void> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/client')
  const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  for (const page of pages) {
    const question = toQuestion(spec, { ...page, mode: 'url', message: String(page.message ?? '') }, invalid)
    const { action } = await pending.askIn(context, question)
    if (action !== 'accept') throw invalid(`The user did not open the page that the server ${spec.name} needs.`)
  }
}
