import type { EndpointPatch, ModelPatch } from '../layer.ts'
import { endpointFacts, modelFacts } from './facts.ts'
import { leadRow } from './group.ts'
import type { Identity } from './identity.ts'
import { pricesOf } from './prices.ts'
import type { Row } from './row.ts'

/** The entries for one model, merged. */
export function modelPatch(tagged: ReadonlyMap<string, Row>, { canonicalSlug, aliases }: Identity): ModelPatch {
  const rows = [...tagged.values()]
  const contexts = rows.map((row) => row.model.limit.context)
  const facts = modelFacts(leadRow(rows).model)
  return {
    ...facts,
    created: Date.parse(releaseDay(rows)) / 1000,
    contextLength: facts.contextLength ?? (Math.max(...contexts) || undefined),
    ...(canonicalSlug && { canonicalSlug }),
    aliases,
    endpoints: new Map([...tagged].map(([tag, row]) => [tag, endpointPatch(row)])),
  }
}

/** The release date: the author's, else the most frequent one, else the earliest of those. */
function releaseDay(rows: readonly Row[]): string {
  const lead = leadRow(rows)
  if (lead.firstParty || lead.based) return lead.model.release_date
  const days = [...Map.groupBy(rows, (row) => row.model.release_date)]
  days.sort(([a, rowsOfA], [b, rowsOfB]) => rowsOfB.length - rowsOfA.length || (a < b ? -1 : 1))
  return days[0]![0]
}

function endpointPatch({ provider, model, quantization, api, isUsualApi }: Row): EndpointPatch {
  return {
    ...endpointFacts(model, pricesOf(model, provider.id)!),
    ...(quantization && { quantization }),
    ...(!isUsualApi && api),
  }
}
