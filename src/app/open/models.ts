import type { ApiDeps } from '#api/access/deps.ts'
import type { CatalogueData } from '#catalogue/index/model.ts'
import { Measures } from '#catalogue/measurements/measures.ts'
import { openCatalogue } from '#catalogue/sources/catalogue-holder.ts'
import type { LoadReport } from '#catalogue/sources/layer.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import type { Config } from '#platform/config/settings.ts'
import { Fault } from '#platform/core/fault.ts'
import { findInternModelProblem } from './intern-model.ts'
import { closeMs, createWarning, type OpenContext } from './parts.ts'
import type { OpenStore } from './store.ts'

/** Opens the catalogue and the measurements of its endpoints. */
export async function openModels(context: OpenContext, { settings, db, catalogue: source, hasPrimary }: OpenStore) {
  const { parts, metrics, cleanup } = context
  const { config, log, now, newId } = parts
  const warnOfCatalogue = createWarning(context, 'catalogue')
  const catalogue = await openCatalogue({
    settings,
    ...source,
    signals: db.signals,
    newId,
    onLoad: hasPrimary ? () => {} : createLoadLogger(config, log),
    onError: (error) => (error instanceof Fault ? log.warn(error.message) : warnOfCatalogue(error)),
  })
  cleanup.defer(catalogue.close)
  metrics.observeCatalogue(catalogue.current)
  const onError = createWarning(context, 'measurements were not exchanged')
  const measures = await Measures.start({ db, now, newId, historyDays: config.generation_retention_days, onError })
  cleanup.defer(() => waitAtMost(closeMs, measures.close()))
  measures.onRefresh(catalogue.updateFigures)
  catalogue.updateFigures(measures.figures())
  return { catalogue, measures }
}

/**
 * Logs each mistake in the operator's file or server, and a missing default model of interns. Mistakes in published
 * snapshots are only counted.
 */
export function createLoadLogger(
  config: Pick<Config, 'catalogue_file' | 'default_intern_model' | 'interns'>,
  log: ApiDeps['log'],
) {
  const { catalogue_file, default_intern_model: model } = config
  return ({ sources, providers, models, endpoints, skipped }: LoadReport, data: CatalogueData) => {
    log.debug({ sources, providers, models, endpoints, skipped: skipped.length }, 'catalogue loaded')
    const isFromOperator = ({ source }: { source: string }) => source === catalogue_file || /^https?:/.test(source)
    for (const row of skipped) if (isFromOperator(row)) log.warn(row, 'catalogue row skipped')
    const problem = findInternModelProblem(config, data)
    if (problem)
      log.warn({ model }, `interns without a configured model have no model (default_intern_model): ${problem}`)
  }
}
