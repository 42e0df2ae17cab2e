import type { PresetVersion } from '../api/types.ts'
import { compareFields } from './compared-fields.ts'

/** The fields of a version, with the lines removed and added since the version `from`. */
export function VersionFields({ from, to }: { from: PresetVersion; to: PresetVersion }) {
  return (
    <dl class="preset-fields">
      {compareFields(from, to).map(({ field, from, to }) => (
        <div key={field}>
          <dt class="dim">{field}</dt>
          {from !== to && from !== undefined && (
            <dd>
              <del>− {from}</del>
            </dd>
          )}
          {to !== undefined && <dd>{from === to ? to : <ins>+ {to}</ins>}</dd>}
        </div>
      ))}
    </dl>
  )
}
