import type { Snapshot } from '#catalogue/index/snapshot.ts'
import { createGauge, type Metric } from '#platform/metrics/metric.ts'

type CatalogueLists = Pick<Snapshot, 'models' | 'providers'>

/** The size of the catalogue. */
export function catalogueMetrics(current: () => CatalogueLists): Metric[] {
  const help = 'Models, endpoints and providers in the catalogue.'
  const description = { name: 'signalbox_catalogue_size', help, label: 'of', aggregator: 'max' } as const
  return [createGauge(description, () => catalogueSizes(current()))]
}

const catalogueSizes = ({ models, providers }: CatalogueLists) => ({
  models: models.length,
  endpoints: models.reduce((sum, model) => sum + model.endpoints.length, 0),
  providers: providers.length,
})
