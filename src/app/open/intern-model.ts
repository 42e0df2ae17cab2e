import type { CatalogueData } from '#catalogue/index/model.ts'
import { readPresetReference } from '#gateway/presets/preset-reference.ts'
import type { ModelLookup } from '#gateway/request/catalogue-lookup.ts'
import { resolveModels } from '#gateway/request/resolve-models.ts'
import type { Config } from '#platform/config/settings.ts'
import { Fault } from '#platform/core/fault.ts'

/** Interns with this model follow a script without a language model, so no model has to exist. */
const scriptedModel = 'script'

type DefaultModelConfig = Pick<Config, 'default_intern_model' | 'interns'>

/**
 * Returns why requests of interns without a configured model would fail; undefined if they can succeed. Of a preset with a model,
 * checks only the model, because presets belong to a workspace and can change.
 */
export function findInternModelProblem(
  { default_intern_model: modelOrPreset, interns }: DefaultModelConfig,
  data: CatalogueData,
) {
  if (interns === 'off' || modelOrPreset === scriptedModel) return undefined
  const preset = readPresetReference({ model: modelOrPreset })
  const model = preset ? preset.bodyWithoutPreset.model : modelOrPreset
  if (typeof model !== 'string') return undefined
  try {
    resolveModels(createModelLookup(data), { model })
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

function createModelLookup(data: CatalogueData): ModelLookup {
  const models = data.models.filter(({ endpoints }) => endpoints.length > 0)
  const findModel = (name: string) =>
    models.find(({ id, canonicalSlug, aliases }) => id === name || canonicalSlug === name || aliases.includes(name))
  return { models, findModel }
}
