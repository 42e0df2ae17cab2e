import { call } from './client.ts'
import { invalidate } from './resource.ts'

/** Reloads the sources of the catalogue. @returns its report. */
export async function reloadCatalogue() {
  const { data: report } = await call('POST /catalogue/reload', {})
  invalidate()
  return report
}
