import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatTool } from '#chat/chat-request.ts'
import { type BillableOptions, listProviderTools } from '../../pricing/billable-options.ts'
import type { Body } from '../../protocol/request-body.ts'
import { billsSearchesByRequest } from './gemini-searches.ts'
import { findGeminiTier } from './gemini-service-tier.ts'

/** The tools that Gemini runs, by the name of their price, with the settings that are sent. */
const geminiTools: Record<string, { name: string; settings: string[] }> = {
  google_search: { name: 'googleSearch', settings: ['timeRangeFilter', 'excludeDomains'] },
  google_search_retrieval: { name: 'googleSearchRetrieval', settings: ['dynamicRetrievalConfig'] },
  google_maps: { name: 'googleMaps', settings: ['enableWidget'] },
  url_context: { name: 'urlContext', settings: [] },
  code_execution: { name: 'codeExecution', settings: [] },
}

const unitByAlias = new Map(
  Object.entries(geminiTools).flatMap(([unit, { name }]) => [unit, name].map((alias) => [alias, unit])),
)

/** The requested tool, by its type or by a field with its name, which is Gemini's own form. */
function findToolUnit(tool: Body): string | undefined {
  const alias = [tool.type, ...Object.keys(tool)].find((name) => unitByAlias.has(String(name)))
  return alias === undefined ? undefined : unitByAlias.get(String(alias))
}

/** Translates a tool that Gemini runs, setting by setting. Undefined for an unknown tool. */
export function encodeProviderTool(tool: ChatTool): Body | undefined {
  const unit = findToolUnit(tool)
  if (unit === undefined) return undefined
  const { name, settings } = geminiTools[unit]!
  const config = ((tool as Body)[name] ?? (tool as Body)[unit] ?? {}) as Body
  const entries = settings.filter((setting) => config[setting] != null).map((setting) => [setting, config[setting]])
  return { [name]: Object.fromEntries(entries) }
}

/** The billable options. The model reads the results of Gemini's tools once, and they never exceed its context. */
export function readGeminiBillableOptions(chat: Body, { upstreamModel }: Endpoint): BillableOptions {
  const tools = listProviderTools(chat, (tool) => {
    // Both search tools have the same price.
    const unit = findToolUnit(tool)?.replace('_retrieval', '')
    if (unit === undefined) return undefined
    // Only searches of later models are billed by query, without a limit for one request.
    return { unit, maxCalls: unit === 'google_search' && !billsSearchesByRequest(upstreamModel) ? undefined : 1 }
  })
  return { tools, serviceTier: findGeminiTier(chat), rereadsContext: false }
}
