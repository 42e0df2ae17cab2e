import { ownValue } from '#platform/core/own-value.ts'
import { maxUnitNameLength } from '../../pricing/billable-options.ts'

/** The fields of an output item that describe the work of a tool. */
export type ToolItem = { type?: string; action?: { type?: string } | null; container_id?: string | null }

/** Types of calls that the client runs, so that the provider does not bill them. */
const clientCallTypes: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
])

/** The name under which calls of a provider tool are billed: `web_search` for a `web_search_call`. The ledger limits its length. */
export function findProviderToolName(type: string | undefined): string | undefined {
  if (typeof type !== 'string' || !type.endsWith('_call') || clientCallTypes.has(type)) return undefined
  return type.slice(0, -'_call'.length).slice(0, maxUnitNameLength)
}

/** The number of calls that OpenAI bills, by tool; 0 if a tool was used without a billed call. */
export function countBilledCalls(output: unknown): Record<string, number> {
  const callCounts: Record<string, number> = {}
  const containers = new Set<string>()
  for (const item of Array.isArray(output) ? (output as ToolItem[]) : []) {
    const toolName = findProviderToolName(item?.type)
    if (toolName !== undefined)
      callCounts[toolName] = (ownValue(callCounts, toolName) ?? 0) + billedCallsOf(item, containers)
  }
  return callCounts
}

/**
 * Returns 1 for a billed call. OpenAI bills a web search, but not the pages that it opens. It bills a container once, so the
 * id of the container is added to `containers`.
 */
function billedCallsOf({ action, container_id }: ToolItem, containers: Set<string>): 0 | 1 {
  if (typeof action?.type === 'string' && action.type !== 'search') return 0
  if (typeof container_id !== 'string') return 1
  if (containers.has(container_id)) return 0
  containers.add(container_id)
  return 1
}
