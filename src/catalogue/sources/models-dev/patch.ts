import type { EndpointPatch, ModelPatch } from '../layer.ts'
import { toEndpointFacts, toModelFacts } from './facts.ts'
import { findLeadRow } from './group.ts'
import type { Identity } from './identity.ts'
import { toPrices } from './prices.ts'
import type { Row } from './row.ts'

/** Merges the entries for one model. */
export function toModelPatch(rowsByTag: ReadonlyMap<string, Row>, { canonicalSlug, aliases }: Identity): ModelPatch {
  const rows = [...rowsByTag.values()]
  const contexts = rows.map((row) => row.model.limit.context)
  const facts = toModelFacts(findLeadRow(rows).model)
  const patch: ModelPatch = {
    ...facts,
    created: Date.parse(releaseDay(rows)) / 1000,
    // A context length of 0 is unknown.
    contextLength: facts.contextLength ?? (Math.max(...contexts) || undefined),
    aliases,
    endpoints: new Map([...rowsByTag].map(([tag, row]) => [tag, toEndpointPatch(row)])),
  }
  if (canonicalSlug) patch.canonicalSlug = canonicalSlug
  return patch
}

/** Returns the release date of the author's row, or else the most frequent date, or else the earliest of those. */
function releaseDay(rows: readonly Row[]): string {
  const lead = findLeadRow(rows)
  if (lead.isServedByAuthor || lead.hasMatchingBase) return lead.model.release_date
  const days = [...Map.groupBy(rows, (row) => row.model.release_date)]
  days.sort(([a, rowsOfA], [b, rowsOfB]) => rowsOfB.length - rowsOfA.length || (a < b ? -1 : 1))
  return days[0]![0]
}

function toEndpointPatch({ provider, model, quantization, api, isDefaultApi }: Row): EndpointPatch {
  const patch = toEndpointFacts(model, toPrices(model, provider.id)!)
  if (quantization) patch.quantization = quantization
  return isDefaultApi ? patch : { ...patch, ...api }
}
