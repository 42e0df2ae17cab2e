import type { ChatRequest } from '#chat/chat-request.ts'

type Body = Record<string, unknown>

/** A tool that a provider runs itself, as one request has it. */
export type ProviderTool = {
  /** Its name in the catalogue's prices. */
  unit: string
  /** The place in the request: `tools[0] (web_search_20250305)`. */
  asked: string
  /** The most calls; undefined if the request sets no limit. */
  calls: number | undefined
  /** The field that could say how often, where the protocol has one. */
  bound?: string
  /** Its name in answers, if that differs from `unit`. */
  reported?: string
}

/** Everything in a request that a provider bills besides text: its own tools and the service tier. */
export type BillableOptions = {
  tools: readonly ProviderTool[]
  /** The tier of service, where it is not the ordinary one. */
  serviceTier: string | undefined
  /** Whether the model reads its whole context again after each call, and each reading is billed. */
  rereads: boolean
}

export const noBillableOptions: BillableOptions = { tools: [], serviceTier: undefined, rereads: false }

/** Tools that the client runs, or that only describe what it runs. Every other is the provider's to run. */
const clientRun =
  /^(?:function|custom|namespace|local_shell|apply_patch|computer|computer_use|computer_use_preview|(?:bash|text_editor|memory|computer)_\d{8})$/

export function isClientTool(type: string): boolean {
  return clientRun.test(type)
}

/** A tool's name without the day of its version: `web_search` of `web_search_20250305`. */
export function unitOfType(type: string): string {
  return type
    .replace(/[-_](?:20\d{6}|20\d\d[-_]\d\d[-_]\d\d)$/, '')
    .toLowerCase()
    .slice(0, longestName)
}

const longestName = 64

type RequestedTool = { type?: unknown } & Body

/** The tools of a request that the provider runs. `read` says how each is billed. */
export function providerTools(
  { tools }: Body,
  read: (tool: RequestedTool, path: string) => Omit<ProviderTool, 'asked'> | undefined,
): ProviderTool[] {
  if (!Array.isArray(tools)) return []
  const found: ProviderTool[] = []
  for (let at = 0; at < tools.length; at++) {
    const tool = tools[at] as RequestedTool | null
    if (typeof tool !== 'object' || tool === null) continue
    const type = typeof tool.type === 'string' ? tool.type : 'function'
    const billed = isClientTool(type) ? undefined : read(tool, `tools[${at}]`)
    if (billed) found.push({ ...billed, asked: `tools[${at}] (${type.slice(0, longestName)})` })
  }
  return found
}

/** A whole number of calls, if it is one. */
export function callsIn(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

/** Names of the ordinary service tier, and of the provider's own choice. */
const ordinary: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard'])

export function requestedTier({ service_tier: tier }: Pick<ChatRequest, 'service_tier'>): string | undefined {
  return typeof tier !== 'string' || ordinary.has(tier) ? undefined : tier
}
