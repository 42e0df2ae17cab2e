import type { Model } from '../model.ts'

/** Maps names without their tag `:latest` to models. Ollama implies this tag for a name without one. */
export function mapUntaggedNames(modelByName: ReadonlyMap<string, Model>): Map<string, Model> {
  const untagged = new Map<string, Model>()
  for (const [name, model] of modelByName) {
    const [base = '', tag, ...more] = name.split(':')
    if (tag === 'latest' && more.length === 0) untagged.set(base, model)
  }
  return untagged
}

/** The models by alias. An alias of several models is ambiguous and not used. */
function modelsByAlias(models: readonly Model[]): Map<string, Model[]> {
  const holders = new Map<string, Model[]>()
  for (const model of models)
    for (const alias of model.aliases) holders.set(alias, [...(holders.get(alias) ?? []), model])
  return holders
}

/** Maps names to models. Ids have priority over canonical slugs, and canonical slugs over aliases. */
export function mapModelNames(models: readonly Model[]): Map<string, Model> {
  const byName = new Map<string, Model>()
  const add = (name: string, model: Model) => {
    if (!byName.has(name)) byName.set(name, model)
  }
  for (const model of models) add(model.id, model)
  for (const model of models) add(model.canonicalSlug, model)
  for (const [alias, holders] of modelsByAlias(models)) if (holders.length === 1) add(alias, holders[0]!)
  return byName
}
