import { reloadCatalogue } from '../api/reload-catalogue.ts'
import { useGet } from '../api/resource.ts'
import { canManageService } from '../api/session.ts'
import type { CatalogueReport } from '../api/types.ts'
import { useAction } from '../components/form/use-action.ts'
import { FailureState, Loading } from '../components/page/page-states.tsx'
import { Problem } from '../components/page/problem.tsx'
import { toast } from '../components/page/toast.tsx'
import { countText, exactCount } from '../format/count.ts'

/** More rows would make the page slow. */
const maxRows = 500

/** The sources of the catalogue and the skipped rows. */
export function Catalogue() {
  const { data, failure, reload } = useGet('GET /catalogue', {})
  const { problem, isBusy, run } = useAction()
  const reloadSources = () =>
    run(async () => {
      const report = await reloadCatalogue()
      reload()
      toast(`${countText(report.models, 'model')} loaded, ${countText(report.skipped.length, 'row')} skipped`)
    })
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  const { sources, providers, models, endpoints, skipped } = data.data.report
  return (
    <>
      <p class="toolbar">
        {countText(models, 'model')}, {countText(endpoints, 'endpoint')}, {countText(providers, 'provider')}
        {canManageService() && (
          <button type="button" disabled={isBusy} onClick={() => void reloadSources()}>
            {isBusy ? 'Loading …' : 'Reload'}
          </button>
        )}
      </p>
      <Problem text={problem} />
      <section class="service-part" aria-label="Sources">
        <h2>Sources (later ones take precedence)</h2>
        <ol>
          {sources.map((source) => (
            <li key={source} class="mono">
              {source}
            </li>
          ))}
        </ol>
        <h2>{skipped.length === 0 ? 'No skipped rows' : `${countText(skipped.length, 'row')} skipped`}</h2>
      </section>
      {skipped.length > 0 && <SkippedRows rows={skipped} />}
    </>
  )
}

function SkippedRows({ rows }: { rows: CatalogueReport['skipped'] }) {
  return (
    <>
      <table class="plain-table" aria-label="Skipped rows">
        <thead>
          <tr>
            <th scope="col">row</th>
            <th scope="col">reason</th>
            <th scope="col">source</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxRows).map(({ source, line, row, reason }, index) => (
            <tr key={index}>
              <th scope="row" class="mono">
                {row}
              </th>
              <td>{reason}</td>
              <td class="dim mono">
                {source}
                {line !== undefined && `:${line}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > maxRows && (
        <p class="pages dim">
          The first {exactCount(maxRows)} of {exactCount(rows.length)}
        </p>
      )}
    </>
  )
}
